"""`python -m benchmarks.verdicts.paraphrases [--json] [--wrong]`: statements in other words, half with one error.

`paraphrases.json` has 100 in each language over passages written for this purpose. A faithful one merges, turns round
or renames what its passage says; a wrong one does so, too, and gets one thing wrong.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from benchmarks.verdicts.verdict_cases import Verdicts, print_table, share, verdicts

PARAPHRASES = Path(__file__).with_name("paraphrases.json")

ERRORS = (
    "number",
    "date",
    "unit",
    "name",
    "negation",
    "direction",
    "quantifier",
    "entities swapped",
    "modality",
    "attribution",
    "antonym",
    "added detail",
)


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """`statement` says what `source` says when it is `faithful`; else it has one `error`, of `ERRORS`."""

    id: str
    language: Literal["en", "ko"]
    genre: str
    source: str
    statement: str
    faithful: bool
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A paraphrase and its results."""

    paraphrase: Paraphrase
    verdicts: Verdicts

    @property
    def wrong(self) -> bool:
        """Return whether the offline verdict is wrong: a faithful statement denied, or a wrong one supported."""
        return self.verdicts.denied if self.paraphrase.faithful else self.verdicts.passes[0]


def read_paraphrases() -> list[Paraphrase]:
    return [Paraphrase(**pair) for pair in json.loads(PARAPHRASES.read_text(encoding="utf-8"))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print every verdict as the last line, too")
    parser.add_argument("--wrong", action="store_true", help="print the pairs that the offline verdict is wrong on")
    options = parser.parse_args()
    judged = [Judged(pair, verdicts(pair.statement, pair.source)) for pair in read_paraphrases()]
    if options.wrong:
        _print_each([each for each in judged if each.wrong])
    print_table("Paraphrases", _HEADINGS, _rows(judged))
    if options.json:
        print(
            json.dumps([{**asdict(each.paraphrase), **each.verdicts.as_json()} for each in judged], ensure_ascii=False)
        )


_HEADINGS = ("pairs", "language", "n", "denied", "struck", "supported", "yes-judge: supported", "citation accurate")
"""`denied` and `struck` as in `Verdicts`: a statement that is denied and not struck is published as partial."""


def _rows(judged: Sequence[Judged]) -> Iterable[tuple[object, ...]]:
    groups: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for each in judged:
        pair = each.paraphrase
        groups["faithful" if pair.faithful else "one error", pair.language].append(each)
        if pair.error:
            groups[f"  {pair.error}", pair.language].append(each)
    order = ["faithful", "one error", *(f"  {error}" for error in ERRORS)]
    for name, language in sorted(groups, key=lambda key: (order.index(key[0]), key[1])):
        found = [each.verdicts for each in groups[name, language]]
        passed = (share(each.passes[place] for each in found) for place in range(3))
        denied, struck = share(each.denied for each in found), share(each.struck for each in found)
        yield name, language, len(found), denied, struck, *passed


def _print_each(judged: Sequence[Judged]) -> None:
    for each in judged:
        pair, found = each.paraphrase, each.verdicts
        print(f"{pair.id} [{pair.error or 'faithful'}] {found.offline}: {found.why}")
        print(f"     statement: {pair.statement}\n     source:    {pair.source}")


if __name__ == "__main__":
    main()
