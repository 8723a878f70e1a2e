"""`python -m benchmarks.verdicts.missing_subjects [en|ko]`: 150 lines of which 22 name what no source has (V6).

The source gives a pressure and an interval for each of 128 pumps. The answer says so for 150: 22 of them are not in
the source, and eight that are have a wrong pressure. A repair may correct these eight from their own lines. It may
drop the 22 or leave them marked, but never give them the figures of another pump. Printed is the body for
`POST /v1/verifications`, to try it against a running server; tests/services/test_missing_subjects.py does so without.
"""

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Language = Literal["en", "ko"]

LISTED = 150
_LINES: dict[Language, str] = {
    "en": "Pump {number} runs at {bar} bar and is inspected every {months} months.",
    "ko": "{number}호 펌프는 {bar}바로 가동되며 {months}개월마다 점검한다.",
}
_STATED: dict[Language, re.Pattern[str]] = {
    "en": re.compile(r"Pump (\d+) runs at (\d+) bar and is inspected every (\d+) months"),
    "ko": re.compile(r"(\d+)호 펌프는 (\d+)바로 가동되며 (\d+)개월마다 점검한다"),
}
_MISSING = frozenset(range(7, 7 + 22 * 6, 6))
_WRONG = frozenset(range(4, 4 + 8 * 18, 18))


@dataclass(frozen=True, slots=True)
class Pump:
    """The statement of a line: `bar` is the pressure, `months` the time between two inspections."""

    number: int
    bar: int
    months: int


@dataclass(frozen=True)
class PumpList:
    """The source, the answer about it, and the truth about both."""

    language: Language = "en"

    @cached_property
    def pumps(self) -> list[Pump]:
        """Return all 150 pumps with figures of their own; those of neighbours differ."""
        return [Pump(number, 10 + number * 7 % 23, 3 + number * 5 % 9) for number in range(1, LISTED + 1)]

    @property
    def missing(self) -> frozenset[int]:
        """Return the numbers of the 22 pumps that the source does not name."""
        return _MISSING

    @property
    def wrong(self) -> frozenset[int]:
        """Return the numbers of the pumps that the source names with another pressure."""
        return _WRONG

    @property
    def source(self) -> str:
        """Return a line for each pump that is not missing."""
        return "\n".join(self._line(pump) for pump in self.pumps if pump.number not in self.missing)

    @property
    def answer(self) -> str:
        """Return a line for each pump."""
        return "\n".join(self._line(pump) for pump in self._claimed())

    def stated(self, text: str) -> list[Pump]:
        """Return the statements about pumps in `text`, in its order."""
        return [Pump(*map(int, found)) for found in _STATED[self.language].findall(text)]

    def misstated(self, text: str) -> list[Pump]:
        """Return the statements in `text` that neither the source nor the answer makes: figures of another pump."""
        known = {*self._claimed(), *(pump for pump in self.pumps if pump.number not in self.missing)}
        return [pump for pump in self.stated(text) if pump not in known]

    def _claimed(self) -> Iterator[Pump]:
        for pump in self.pumps:
            yield Pump(pump.number, pump.bar + 40, pump.months) if pump.number in self.wrong else pump

    def _line(self, pump: Pump) -> str:
        return _LINES[self.language].format(number=pump.number, bar=pump.bar, months=pump.months)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", nargs="?", default="en", choices=list(_LINES))
    pumps = PumpList(parser.parse_args().language)
    print(json.dumps({"answer": pumps.answer, "sources": [{"text": pumps.source}]}, ensure_ascii=False))


if __name__ == "__main__":
    main()
