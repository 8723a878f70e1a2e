"""How citation markers are read, checked and renumbered: violations of V5 per form over random answers.

`python -m benchmarks.verdicts.markers --answers 10000` prints a table; every figure of it should be 0.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from random import Random

from benchmarks.verdicts.marker_answers import FORMS, SOURCES, MarkedAnswer, marked_answer
from citewell_verify.answers.statements import statements
from citewell_verify.correction.corrected_answer import Corrected, correct
from citewell_verify.markers.parser import cited_markers

KINDS = ("misread", "changed", "unchecked", "misnumbered", "offsets", "again")
"""misread: not the numbers that a sentence cites. changed: other bytes of the text. unchecked: a number is left that
was not checked. misnumbered: dangling, skipped or duplicated. offsets: statements do not slice. again: not idempotent.
"""


def violations(answer: MarkedAnswer, wrong: frozenset[tuple[int, int]]) -> Iterator[str]:
    """Yield the kinds of violations of one answer, whose `wrong` (statement, number) pairs were not supported."""
    said = statements(answer.text, SOURCES)
    cites_numbers = "NAME" not in answer.form
    expected = [(each.words, {n for n in each.numbers if cites_numbers or n in SOURCES}) for each in answer.said]
    if [(each.text, set(each.numbers)) for each in said] != expected:
        yield "misread"
        return
    corrected = correct(answer.text, SOURCES, wrong)
    kept = [
        {n for n in each.numbers if n in SOURCES} - {n for i, n in wrong if i == index}
        for index, each in enumerate(said)
    ]
    yield from _violations(answer, corrected, kept)


def _violations(answer: MarkedAnswer, corrected: Corrected, kept: list[set[int]]) -> Iterator[str]:
    used = sorted({number for numbers in kept for number in numbers})
    mapping = {old: new for new, old in enumerate(used, start=1)}
    wanted = [tuple(sorted(mapping[number] for number in numbers)) for numbers in kept]
    if [each.numbers for each in corrected.statements] != wanted or corrected.mapping != mapping:
        yield "misnumbered"
    if any(corrected.text[each.start : each.end] != each.text for each in corrected.statements):
        yield "offsets"
    if _without(corrected) != answer.plain:
        yield "changed"
    count = len(mapping)
    if [n for marker in cited_markers(corrected.text, count) for n in marker.numbers] != [
        n for own in wanted for n in own
    ]:
        yield "unchecked"
    twice = correct(corrected.text, count, frozenset())
    if (twice.text, twice.statements, twice.edits) != (corrected.text, corrected.statements, []):
        yield "again"


def _without(corrected: Corrected) -> str:
    """Return the corrected text without the parts that were put after its statements."""
    pieces: list[str] = []
    position = 0
    for each in corrected.statements:
        markers = "".join(f"[{number}]" for number in each.numbers)
        pieces.append(corrected.text[position : each.end])
        behind = re.compile(rf"\s?{re.escape(markers)}" if markers else "").match(corrected.text, each.end)
        position = behind.end() if behind else each.end
    return "".join([*pieces, corrected.text[position:]])


def measured(count: int, first: int = 0) -> tuple[Counter[str], Counter[tuple[str, str]], list[tuple[int, str]]]:
    """Return answers per form, violations per (form, kind), and the (seed, kind) of each violation."""
    answers, found, examples = Counter[str](), Counter[tuple[str, str]](), list[tuple[int, str]]()
    for seed in range(first, first + count):
        answer = marked_answer(seed)
        answers[answer.form] += 1
        rng = Random(seed)
        pairs = [(index, number) for index, each in enumerate(answer.said) for number in each.numbers]
        for kind in violations(answer, frozenset(pair for pair in pairs if rng.random() < 0.3)):
            found[answer.form, kind] += 1
            examples.append((seed, kind))
    return answers, found, examples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    answers, found, examples = measured(options.answers, options.seed)
    print(f"| form | answers | {' | '.join(KINDS)} |\n|---|---|{'---|' * len(KINDS)}")
    for form in FORMS:
        print(f"| `{form}` | {answers[form]} | {' | '.join(str(found[form, kind]) for kind in KINDS)} |")
    print(f"| all | {answers.total()} | {' | '.join(str(sum(found[f, kind] for f in FORMS)) for kind in KINDS)} |")
    for seed, kind in examples[:5]:
        print(f"\n{kind}, seed {seed}: {marked_answer(seed).text!r}")


if __name__ == "__main__":
    main()
