"""`python -m benchmarks.metamorphic FOLDER`: verdicts on thousands of cases of which the truth is known.

FOLDER holds labelled `*.jsonl` (their sources are read), and may hold `qa/*_passages.jsonl` and `documents/`. Without
it the cases come from the project's own examples. "right" kinds (verbatim, faithful) show the share that is supported
and the share that is struck, the others the share that is supported though it must not be.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.metamorphic.cases import KINDS, Case
from benchmarks.metamorphic.generating import generate
from benchmarks.metamorphic.judges import Judge, Outcome, is_unchanged, judges, outcomes
from benchmarks.metamorphic.texts import folder_texts, project_texts
from citewell_verify.embeddings.wheel import default_embedder

_LANGUAGES = {"en": "English", "ko": "Korean"}


@dataclass(frozen=True, slots=True)
class Tried:
    """One case with its results; `unchanged` is None where a case does not require it."""

    case: Case
    outcomes: Mapping[str, Outcome]
    unchanged: bool | None

    def is_wrong(self, judge: str) -> bool:
        """Return whether the verdict is wrong: supported for a wrong case, or struck for a right one."""
        outcome = self.outcomes[judge]
        if self.case.expected == "not_supported":
            return outcome.supported
        if self.case.kind == "verbatim":
            return not outcome.supported or not self.unchanged
        return outcome.struck


def main() -> None:
    options = _options()
    began = time.perf_counter()
    texts = [*project_texts(), *(folder_texts(options.folder) if options.folder else ())]
    chosen = {
        name: judge
        for name, judge in judges(None if options.no_embedder else default_embedder()).items()
        if not options.judge or name in options.judge
    }
    kinds = [kind for kind in KINDS if not options.kind or any(part in kind for part in options.kind)]
    languages: list[str] = options.language or list(_LANGUAGES)
    for language in languages:
        cases = generate(texts, language, options.cases, options.seed, kinds)
        tried = _within(60 * options.minutes / len(languages), cases, chosen)
        _show(language, tried, list(chosen), options)
        if len(tried) < len(cases):
            print(f"{len(cases) - len(tried):,} more cases were not tried: the time was over (--minutes)")
    print(f"{time.perf_counter() - began:.0f} s")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.metamorphic", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="folder of labelled data")
    parser.add_argument("--cases", type=int, default=3300, help="cases per language over all kinds (3300)")
    parser.add_argument("--minutes", type=float, default=5.0, help="stop judging after this time (5)")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--language", action="append", choices=list(_LANGUAGES))
    parser.add_argument("--kind", action="append", help="only kinds whose name contains this; may be repeated")
    parser.add_argument("--judge", action="append", help='only this judge, such as "offline" or "yes"; may be repeated')
    parser.add_argument("--no-embedder", action="store_true", help="judge offline by words alone, which is faster")
    parser.add_argument("--wrong", action="store_true", help="print the cases whose verdict is wrong")
    parser.add_argument("--json", type=Path, help="write every case with its outcomes to this file, one a line")
    return parser.parse_args()


def _within(seconds: float, cases: Sequence[Case], chosen: Mapping[str, Judge]) -> list[Tried]:
    """Try the cases, one of each kind in turns, until the time is over."""
    began, turns = time.perf_counter(), defaultdict[str, int](int)
    in_turns: list[tuple[int, Case]] = []
    for case in cases:
        in_turns.append((turns[case.kind], case))
        turns[case.kind] += 1
    tried: list[Tried] = []
    for _, case in sorted(in_turns, key=lambda each: each[0]):
        if time.perf_counter() - began > seconds:
            break
        tried.append(_try(case, chosen))
    return sorted(tried, key=lambda each: KINDS.index(each.case.kind))


def _try(case: Case, chosen: Mapping[str, Judge]) -> Tried:
    return Tried(case, outcomes(case, chosen), is_unchanged(case) if case.unchanged else None)


def _show(language: str, tried: Sequence[Tried], names: Sequence[str], options: argparse.Namespace) -> None:
    by_kind: dict[str, list[Tried]] = defaultdict(list)
    for each in tried:
        by_kind[each.case.kind].append(each)
    console = Console(width=160 if not Console().is_terminal else None)
    table = Table(title=f"{_LANGUAGES[language]}: {len(tried):,} cases", title_justify="left")
    table.add_column("kind")
    for column in ("n", *names, "unchanged"):
        table.add_column(column, justify="right")
    for kind, members in by_kind.items():
        table.add_row(kind, str(len(members)), *(_cell(members, name) for name in names), _unchanged(members))
    table.add_section()
    for title, prefixes in (("all faithful", ("faithful",)), ("all wrong", ("swap", "change", "missing"))):
        members = [each for each in tried if each.case.kind.startswith(prefixes)]
        if members:
            table.add_row(title, str(len(members)), *(_cell(members, name) for name in names), "")
    console.print(table)
    if options.wrong:
        _show_wrong(by_kind, names)
    if options.json:
        _write(options.json, tried)


def _cell(members: Sequence[Tried], judge: str) -> str:
    supported = sum(each.outcomes[judge].supported for each in members) / len(members)
    struck = sum(each.outcomes[judge].struck for each in members) / len(members)
    if members[0].case.expected == "supported":
        return f"{supported:.1%}, struck {struck:.1%}"
    return f"{supported:.1%}"


def _unchanged(members: Sequence[Tried]) -> str:
    asked = [each.unchanged for each in members if each.unchanged is not None]
    return f"{sum(asked) / len(asked):.1%}" if asked else ""


def _show_wrong(by_kind: Mapping[str, Sequence[Tried]], names: Sequence[str]) -> None:
    for kind, members in by_kind.items():
        for each in members:
            if failing := [name for name in names if each.is_wrong(name)]:
                outcome = each.outcomes[failing[0]]
                print(f"\n{kind} · {', '.join(failing)} · {outcome.status} · {outcome.explanation}")
                print(f"  statement: {each.case.statement}\n  source:    {each.case.source!r}")


def _write(path: Path, tried: Sequence[Tried]) -> None:
    with path.open("a", encoding="utf-8") as lines:
        for each in tried:
            found = {name: asdict(outcome) for name, outcome in each.outcomes.items()}
            row = {**asdict(each.case), "unchanged_text": each.unchanged, "outcomes": found}
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
