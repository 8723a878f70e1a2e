"""`python -m benchmarks.verdicts.table_cells FOLDER`: verdicts on statements about cells of real tables.

FOLDER holds `qa/*_passages.jsonl` with tables and `documents/`. A "right" statement has to be supported; one with the
value of another row or column, another unit, a period that the table does not have, or a figure that stands nowhere in
it, must not be. Half of the tables (by a hash of their text) is held out: rules are made on the other half.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from random import Random

from benchmarks.verdicts.cell_statements import KINDS, CellStatement, Kind, statements
from benchmarks.verdicts.truth_tables import TruthTable, truth_tables
from benchmarks.verdicts.verdict_cases import print_table
from citewell_verify.embeddings.wheel import default_embedder
from citewell_verify.offline.judging import check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.verdicts.ruling import Grounds
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, sentence_status

_HALVES = ("made on", "held out")
_STATES = ("supported", "partial", "contradicted", "unsupported")


@dataclass(frozen=True, slots=True)
class Judged:
    """A statement, the state that users get, and the reason."""

    said: CellStatement
    state: SentenceStatus
    why: str

    @property
    def is_right(self) -> bool:
        return (self.state is SentenceStatus.SUPPORTED) is (self.said.kind == "right")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verdicts.table_cells", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", type=int, default=500, help="in each half, over all kinds (500)")
    parser.add_argument("--language", default="en", choices=("en", "ko"), help="of the statements")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only this kind; may be repeated")
    parser.add_argument("--embedder", action="store_true", help="judge by meaning, too, not by words alone")
    parser.add_argument("--wrong", action="store_true", help="print the cases of the first half with a wrong verdict")
    options = parser.parse_args()
    tables = truth_tables(options.folder)
    meaning = Meaning(default_embedder() if options.embedder else None)
    for half, name in enumerate(_HALVES):
        own = [table for table in tables if table.held_out is bool(half)]
        cases = generated(own, options.cases, options.language, options.kind or KINDS)
        judged = [judge(case, meaning) for case in cases]
        show(f"{name}: {len(judged)} statements on {len({case.table for case in cases})} tables", judged)
        if options.wrong and not half:
            print_wrong(judged)


def generated(tables: Sequence[TruthTable], count: int, language: str, kinds: Sequence[Kind]) -> list[CellStatement]:
    """Return `count` statements: as many of each kind, and in turns from each table."""
    return [
        case
        for kind in kinds
        for case in islice(
            _in_turns(statements(each, kind, language, Random(f"{kind}{each.source}")) for each in tables),
            count // len(kinds),
        )
    ]


def _in_turns(streams: Iterable[Iterable[CellStatement]]) -> Iterable[CellStatement]:
    return (case for turn in zip_longest(*streams) for case in turn if case is not None)


def judge(said: CellStatement, meaning: Meaning) -> Judged:
    """Judge as the offline provider does, with the table as the only source."""
    source = said.table.source
    reply = check_statement(said.statement, Sources.numbered([("table", source)]), meaning)
    ruling = Grounds.of(said.statement, [source]).rule(reply)
    state = sentence_status(claim=True, checks=[PairVerdict.from_json(1, ruling.as_json())])
    return Judged(said, state, ruling.explanation)


def show(title: str, judged: Sequence[Judged]) -> None:
    rows: list[tuple[object, ...]] = []
    for kind in [*dict.fromkeys(each.said.kind for each in judged), "all"]:
        own = [each for each in judged if kind in (each.said.kind, "all")]
        counted = Counter(str(each.state) for each in own)
        right = sum(each.is_right for each in own) / len(own)
        rows.append((kind, "", len(own), *(counted[state] for state in _STATES), f"{right:.1%}"))
    print_table(title, ("kind", "", "n", *_STATES, "right"), rows)


def print_wrong(judged: Sequence[Judged]) -> None:
    for each in judged:
        if not each.is_right:
            print(f"\n{each.said.kind} · {each.state} · {each.said.statement}\n  {each.said.cell} · {each.why}")
            print("  " + each.said.table.source[:1500].replace("\n", "\n  "))


if __name__ == "__main__":
    main()
