"""`python -m benchmarks.rules FOLDER`: the ledger of rules, what every family of rules of evidence is worth.

FOLDER holds labelled `*.jsonl`. A family is switched off (`benchmarks.rules.families`), and what changes is its worth.
`--write` writes `docs/internals/rules.md`.
"""

import argparse
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from benchmarks.rules.families import FAMILIES, ROOT, Family
from benchmarks.rules.measuring import Pair, Seen, below_headings, labelled, measured, planted
from domain.quality import metrics

_PAGE = ROOT / "docs/internals/rules.md"
_HEAD = """# What each rule of evidence is worth

`python -m benchmarks.rules FOLDER --write` writes this page. A family of rules is switched off, and what changes is its
worth. Measured with the offline judge by words alone on {pairs:,} pairs of {sets} data sets that people labelled
(balanced accuracy {accuracy:.1f}, area under the curve {area:.1f} with all rules), and on {wrong:,} wrong and {right:,}
faithful statements of our own: changes that **our own generator** made of sentences of the same texts, and the tests'
statements about documents with headings. These figures say what the rules were made with, not how they do on what
others write. With all rules {passed:,} of the wrong ones pass, {yes:,} with a model
that says yes to everything and quotes the nearest sentence; {struck:,} faithful ones are struck.

"Points at" are labelled pairs with other disagreements with the family than without it, "right" is the share of them
that people call unsupported. The other columns are what changes without the family: points of accuracy and area, wrong
cases that pass, faithful ones that are struck. Families overlap: of two that find the same, each alone is worth
nothing. Those of one module share its lines.

| family | lines | points at | right | accuracy | area | wrong pass | with a yes | faithful struck |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
"""


def _row(family: Family, pairs: Sequence[Pair], seen: Sequence[Seen], without: Mapping[int, Seen]) -> str:
    lost = [
        one - other
        for one, other in zip(
            _ranked(pairs, [without.get(at, each) for at, each in enumerate(seen)]), _ranked(pairs, seen), strict=True
        )
    ]
    pointed = [
        pairs[at]
        for at, each in without.items()
        if not pairs[at].planted and each.disagreements != seen[at].disagreements
    ]
    right = f"{sum(not each.supported for each in pointed) / len(pointed):.0%}" if pointed else "–"
    wrong = [(seen[at], each) for at, each in without.items() if pairs[at].planted and not pairs[at].supported]
    faithful = [(seen[at], each) for at, each in without.items() if pairs[at].planted and pairs[at].supported]
    cells = (
        *(
            family.name,
            f"{family.lines}",
            f"{len(pointed)}",
            right.replace("%", " %"),
            *(f"{each:+.2f}" for each in lost),
        ),
        f"{sum(after.supported - before.supported for before, after in wrong):+d}",
        f"{sum(after.yes_supported - before.yes_supported for before, after in wrong):+d}",
        f"{sum(after.struck - before.struck for before, after in faithful):+d}",
    )
    return f"| {' | '.join(cells)} |"


def _ranked(pairs: Sequence[Pair], seen: Sequence[Seen]) -> tuple[float, float]:
    """Return balanced accuracy and area under the curve, in points, as means over the labelled data sets."""
    groups: dict[str, tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
    for pair, each in zip(pairs, seen, strict=True):
        if not pair.planted:
            groups[pair.group][0].append(int(pair.supported))
            groups[pair.group][1].append(each.score)
    accuracy = metrics.mean(metrics.balanced_accuracy(*each) for each in groups.values())
    area = metrics.mean(metrics.roc_auc(*each) for each in groups.values())
    return 100 * (accuracy or 0.0), 100 * (area or 0.0)


def ledger(pairs: Sequence[Pair], families: Sequence[Family]) -> str:
    """Return the page `docs/internals/rules.md`."""
    seen, without = measured(pairs, families)
    accuracy, area = _ranked(pairs, seen)
    cases = [(pair, each) for pair, each in zip(pairs, seen, strict=True) if pair.planted]
    wrong = [each for pair, each in cases if not pair.supported]
    head = _HEAD.format(
        pairs=len(pairs) - len(cases),
        sets=len({pair.group for pair in pairs if not pair.planted}),
        accuracy=accuracy,
        area=area,
        wrong=len(wrong),
        right=len(cases) - len(wrong),
        passed=sum(each.supported for each in wrong),
        yes=sum(each.yes_supported for each in wrong),
        struck=sum(each.struck for pair, each in cases if pair.supported),
    )
    return head + "".join(f"{_row(family, pairs, seen, without[family.name])}\n" for family in families)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rules", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=100, help="of each data set (100)")
    parser.add_argument("--cases", type=int, default=20, help="of each kind and language (20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"write {_PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    folder = cast("Path", options.folder)
    cases = [*planted(folder, options.cases, options.seed), *below_headings(10 * options.cases, options.seed)]
    pairs = [*labelled(folder, options.pairs, options.seed), *cases]
    page = ledger(pairs, FAMILIES)
    print(page)
    if options.write:
        _PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
