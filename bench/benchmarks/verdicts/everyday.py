"""`python -m benchmarks.verdicts.everyday [--half open|kept] [--language en|ko] [--wrong]`: what people write daily.

`everyday_en.jsonl` and `everyday_ko.jsonl` have 260 statements each about contracts, price lists, minutes, leaflets and
the like. The project wrote them itself, before it looked at a rule. The kept half has sources of its own: it is run to
measure, never to find out what to mend.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.verdicts.verdict_cases import Verdicts, print_table, share, verdicts
from citewell_verify.verdicts.states import SentenceStatus

LANGUAGES = ("en", "ko")
HALVES = ("open", "kept")


@dataclass(frozen=True, slots=True)
class EverydayPair:
    """A `statement` that is true or wrong by its `source`, and the way in which it departs from the words there."""

    id: str
    source: str
    statement: str
    label: Literal["true", "wrong"]
    kind: str
    half: Literal["open", "kept"]


def read_pairs(language: str) -> list[EverydayPair]:
    lines = Path(__file__).with_name(f"everyday_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [EverydayPair(**json.loads(line)) for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=HALVES, help="only this half of the sources")
    parser.add_argument("--language", choices=LANGUAGES)
    parser.add_argument("--wrong", action="store_true", help="print true statements struck and wrong ones supported")
    options = parser.parse_args()
    for language in [options.language] if options.language else LANGUAGES:
        pairs = [pair for pair in read_pairs(language) if options.half in (None, pair.half)]
        judged = [(pair, verdicts(pair.statement, pair.source)) for pair in pairs]
        if options.wrong:
            _print_failures(judged)
        title = f"Everyday pairs, {language}, {options.half or 'both halves'}; written by the project itself"
        print_table(title, _HEADINGS, _rows(judged))


_HEADINGS = ("statements", "kind", "n", "struck", "partial", "supported", "yes-judge: supported")
"""`struck` is contradicted or unsupported: at most 5 % of the true statements should be; at most 12 % of the wrong ones
should be `supported`."""

_STRUCK = (SentenceStatus.CONTRADICTED, SentenceStatus.UNSUPPORTED)


def _rows(judged: Sequence[tuple[EverydayPair, Verdicts]]) -> Iterable[tuple[object, ...]]:
    groups: dict[tuple[str, str], list[Verdicts]] = defaultdict(list)
    for pair, verdict in judged:
        groups[pair.label, ""].append(verdict)
        groups[pair.label, pair.kind].append(verdict)
    for label, kind in sorted(groups):
        group = groups[label, kind]
        states = [verdict.offline for verdict in group]
        struck, supported = (
            share(state in wanted for state in states) for wanted in (_STRUCK, (SentenceStatus.SUPPORTED,))
        )
        partial = 1 - struck - supported
        yield (
            label,
            kind or "all",
            len(group),
            struck,
            partial,
            supported,
            share(verdict.passes[1] for verdict in group),
        )


def _print_failures(judged: Sequence[tuple[EverydayPair, Verdicts]]) -> None:
    for pair, verdict in judged:
        if verdict.struck if pair.label == "true" else verdict.passes[0]:
            print(f"{pair.id} [{pair.label}, {pair.kind}] {verdict.offline}: {verdict.why}")
            print(f"     statement: {pair.statement}\n     source:    {pair.source}")


if __name__ == "__main__":
    main()
