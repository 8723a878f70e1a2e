"""`python -m benchmarks.verdicts.reader_cases [--json] [--wrong]`: the statements that a sceptical reader tries first.

One thing's value given to another, one change to a true sentence, differences that `/api/verify-citation` has to see,
and true statements in another form that must not be denied. `reader_cases.json` has them, all written for this
purpose.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

from benchmarks.verdicts.verdict_cases import Verdicts, print_table, share, verdicts

CASES = Path(__file__).with_name("reader_cases.json")

Group = Literal["swap", "single change", "citation", "false alarm", "more"]
"""`swap`: a value of another subject. `citation`: kinds of S4.4. `false alarm`: supported, in another form. `more`:
further ones of these kinds."""
GROUPS: tuple[Group, ...] = get_args(Group)


@dataclass(frozen=True, slots=True)
class ReaderCase:
    """`expected` says whether a careful reader finds `statement` in `source`; `kind` is the kind of the test.

    A `verbatim` one is a sentence of its source, word for word.
    """

    id: str
    group: Group
    kind: str
    language: Literal["en", "ko"]
    statement: str
    source: str
    expected: Literal["supported", "not supported"]
    verbatim: bool = False

    @property
    def supported(self) -> bool:
        """Return whether the statement has to pass."""
        return self.expected == "supported"


@dataclass(frozen=True, slots=True)
class Judged:
    """A case and its results."""

    case: ReaderCase
    verdicts: Verdicts

    @property
    def right(self) -> tuple[bool, bool, bool]:
        """Return whether each of the three verdicts is the expected one."""
        offline, yes, citation = self.verdicts.passes
        wanted = self.case.supported
        return offline is wanted, yes is wanted, citation is wanted


def read_cases() -> list[ReaderCase]:
    return [ReaderCase(**case) for case in json.loads(CASES.read_text(encoding="utf-8"))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print every verdict as the last line, too")
    parser.add_argument("--wrong", action="store_true", help="print only the cases that a verdict is wrong on")
    options = parser.parse_args()
    judged = [Judged(case, verdicts(case.statement, case.source)) for case in read_cases()]
    _print_each([each for each in judged if not (options.wrong and all(each.right))])
    _print_groups(judged)
    if options.json:
        print(json.dumps([{**asdict(each.case), **each.verdicts.as_json()} for each in judged], ensure_ascii=False))


def _print_each(judged: Sequence[Judged]) -> None:
    for each in judged:
        case, found = each.case, each.verdicts
        citation = "accurate" if found.citation else "not accurate"
        mark = "ok  " if all(each.right) else "FAIL"
        print(f"{mark} {case.id} [{case.group}: {case.kind}] expected {case.expected}")
        print(f"     statement: {case.statement}\n     source:    {case.source}")
        print(f"     offline {found.offline}, yes-judge {found.yes}, citation {citation} | {found.why}")


def _print_groups(judged: Sequence[Judged]) -> None:
    groups: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for each in judged:
        groups[each.case.group, each.case.language].append(each)
    rows = [
        (group, language, len(cases), *(share(each.right[place] for each in cases) for place in range(3)))
        for (group, language), cases in sorted(groups.items(), key=lambda item: (GROUPS.index(item[0][0]), item[0][1]))
    ]
    headings = ("group", "language", "n", "offline right", "yes-judge right", "verify-citation right")
    print_table("Cases that a reader tries first", headings, rows)


if __name__ == "__main__":
    main()
