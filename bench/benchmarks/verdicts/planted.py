"""`python -m benchmarks.verdicts.planted [--data DIR] [--json]`: how many planted errors are caught, and at what price.

Three judges see the same cases: the share of the claim's words in the source (the baseline), the deterministic
`disagreements` alone, and the offline model's `check_statement`. The price is the share of faithful sentences struck.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from rich.console import Console
from rich.table import Table

from benchmarks.verdicts.planted_cases import Case, all_cases, data_cases
from benchmarks.verdicts.planted_errors import ERRORS
from citewell_verify.embeddings.wheel import default_embedder
from citewell_verify.evidence.contradictions import Disagreement, disagreements
from citewell_verify.offline.judging import check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.text.words import content_stems, coverage

_OVERLAP = 0.8  # the baseline strikes a sentence if the source has less of its words
_NAMED = {"borrowed number": {"number"}, "scale": {"number"}, "swapped source": set[str]()}
_MOST_JUDGED = 700  # the most cases of --data that the offline model also judges


@dataclass(frozen=True, slots=True)
class Outcome:
    """The judges' verdicts on one case; `offline` is None where the offline model was not asked."""

    case: Case
    overlap: bool
    found: tuple[Disagreement, ...]
    offline: bool | None

    @property
    def named(self) -> bool:
        """Return whether the deterministic layer names the right kind of error."""
        return bool({each.kind for each in self.found} & _NAMED.get(self.case.kind, {self.case.kind}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of labelled pairs, *.jsonl")
    parser.add_argument("--json", action="store_true", help="print the figures as the last line, too")
    parser.add_argument("--no-model", action="store_true", help="leave out the offline model, which takes most time")
    parser.add_argument("--missed", action="store_true", help="print what the deterministic layer gets wrong")
    options = parser.parse_args()
    meaning = None if options.no_model else Meaning(default_embedder())
    outcomes = _measured(all_cases(), meaning)
    figures: dict[str, object] = {"planted": _shown("Planted errors, own passages", outcomes)}
    unseen = [outcome for outcome in outcomes if not outcome.case.seen]
    figures["unseen"] = _shown("Of these, the passages not looked at while the rules were written", unseen)
    if options.data:
        extra = _measured(data_cases(options.data), meaning)
        figures["data"] = _shown("Planted into supported pairs of labelled data", extra)
        figures["pairs"] = _pairs(options.data)
    if options.missed:
        _print_missed(outcomes)
    if options.json:
        print(json.dumps(figures))


def _measured(cases: Sequence[Case], meaning: Meaning | None) -> list[Outcome]:
    step = len(cases) // _MOST_JUDGED if len(cases) > 3 * _MOST_JUDGED else 1
    return [_outcome(case, meaning if place % step == 0 else None) for place, case in enumerate(cases)]


def _outcome(case: Case, meaning: Meaning | None) -> Outcome:
    offline = None
    if meaning:
        offline = not check_statement(case.claim, Sources.numbered([("source", case.source)]), meaning).is_accurate
    shared = coverage(content_stems(case.claim), set(content_stems(case.source)))
    return Outcome(case, shared < _OVERLAP, disagreements(case.claim, case.source), offline)


def _shown(title: str, outcomes: Sequence[Outcome]) -> list[dict[str, object]]:
    groups: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.case.kind, outcome.case.language].append(outcome)
        if outcome.case.kind == "clean":
            groups[f"clean: {outcome.case.how}", outcome.case.language].append(outcome)
    rows = [_row(kind, language, groups[kind, language]) for kind, language in sorted(groups, key=_order)]
    table = Table(title=f"{title}: share struck, %")
    for heading in ("case", "language", "n", "word overlap (baseline)", "deterministic", "kind named", "offline model"):
        table.add_column(heading, justify="left" if heading in ("case", "language") else "right")
    for row in rows:
        table.add_row(*(_percent(value) if isinstance(value, float) else str(value) for value in row.values()))
    Console(width=120).print(table)
    return rows


def _order(group: tuple[str, str]) -> tuple[int, str, str]:
    kind, language = group
    return (ERRORS.index(kind) if kind in ERRORS else len(ERRORS), kind, language)


def _row(kind: str, language: str, outcomes: Sequence[Outcome]) -> dict[str, object]:
    nameable = not kind.startswith(("clean", "swapped"))
    return {
        "case": kind,
        "language": language,
        "n": len(outcomes),
        "overlap": _share(outcome.overlap for outcome in outcomes),
        "deterministic": _share(bool(outcome.found) for outcome in outcomes),
        "named": _share(outcome.named for outcome in outcomes) if nameable else "",
        "offline": _share(outcome.offline for outcome in outcomes if outcome.offline is not None),
    }


def _share(flags: Iterable[bool]) -> float:
    listed = list(flags)
    return sum(listed) / len(listed) if listed else 0.0


def _percent(share: float) -> str:
    return f"{share:.1%}".rstrip("%")


def _pairs(folder: Path) -> dict[str, object]:
    """Count the labelled pairs with a disagreement: on supported pairs each is a false alarm."""
    flags: dict[int, list[set[str]]] = {0: [], 1: []}
    started = time.perf_counter()
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = cast("dict[str, str | int]", json.loads(line))
            found = disagreements(str(row["claim"]), str(row["source"]))
            flags[int(row["label"])].append({each.kind for each in found})
    elapsed = time.perf_counter() - started
    table = Table(title="Labelled pairs with any disagreement")
    for heading in ("label", "pairs", "flagged", "share, %", "by kind"):
        table.add_column(heading)
    for label, kinds in flags.items():
        flagged = sum(map(bool, kinds))
        by_kind = _counted(kinds)
        share = _percent(flagged / max(1, len(kinds)))
        table.add_row("supported" if label else "not supported", str(len(kinds)), str(flagged), share, str(by_kind))
    Console(width=120).print(table)
    each = elapsed / max(1, sum(map(len, flags.values()))) * 1000
    print(f"{each:.2f} ms per pair")
    return {
        "supported_flagged": sum(map(bool, flags[1])),
        "other_flagged": sum(map(bool, flags[0])),
        "ms_per_pair": round(each, 2),
    }


def _counted(kinds: Iterable[set[str]]) -> Mapping[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for kind in (kind for found in kinds for kind in found):
        counts[kind] += 1
    return dict(sorted(counts.items()))


def _print_missed(outcomes: Sequence[Outcome]) -> None:
    """Print the wrong decisions on those passages that developers may look at."""
    wrong: Callable[[Outcome], bool] = lambda outcome: bool(outcome.found) == (outcome.case.kind == "clean")  # noqa: E731
    for outcome in filter(wrong, outcomes):
        if outcome.case.seen:
            found = [(each.kind, each.claim_value, each.source_value) for each in outcome.found]
            print(outcome.case.kind, outcome.case.how, outcome.case.language, "|", outcome.case.claim, "|", found)


if __name__ == "__main__":
    main()
