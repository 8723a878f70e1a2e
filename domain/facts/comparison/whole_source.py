"""A statement against a whole source: some place has to say all of it, of the same subject and in the same way (V1-V4).

The statement is laid beside the sentences of the source that share most with it, each with its context. One of them,
or two neighbours, has to say it without a difference; or each clause of the statement has such a place of its own.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from domain.facts.comparison.below_headings import in_section
from domain.facts.comparison.best_place import Compared, best_place
from domain.facts.comparison.source import ReadSource, folded, read_source
from domain.facts.differences.restrictions import left_out
from domain.facts.differences.roles import exchanged, pairs
from domain.facts.differences.titles import other_titles
from domain.facts.reading.clauses import clauses
from domain.facts.reading.tokens import Token, read_tokens
from domain.facts.structure.cells import against_tables
from domain.facts.structure.tables import read_tables


@lru_cache(maxsize=2048)
def compare(statement: str, source: str) -> Compared:
    """Lay one sentence beside `source`. Linear in the source's length; remembered, as several checks ask the same."""
    known = read_source(source)
    if (plain := folded(statement)) and plain in known.folded:
        return Compared(near=True, verbatim=True, share=1.0, likeness=1.0, differences=(), place=statement)
    tokens = read_tokens(statement)
    if found := _in_tables(tokens, source) or in_section(tokens, source):
        return found
    parts = clauses(statement)
    best = best_place(tokens, known, whole=len(parts) > 1)
    if not best.clean and best.near and len(parts) > 1:
        best = _by_clauses(parts, known) or best
    if found := exchanged(statement, source, known.pairs):
        return replace(best, near=True, differences=(found,))
    if any(each.is_same(other) for each in pairs(statement) for other in known.pairs):
        best = replace(best, differences=tuple(each for each in best.differences if each.kind != "order"))
    return _with_restrictions(statement, best)


def _with_restrictions(statement: str, best: Compared) -> Compared:
    """A place that says all of the statement under a condition does not say it (V3)."""
    if not best.near or any(each.sure for each in best.differences):
        return best
    found = (*other_titles(statement, best.place), *left_out(statement, best.place))
    return replace(best, differences=(*best.differences, *found))


def _in_tables(tokens: Sequence[Token], source: str) -> Compared | None:
    """What the tables say of the statement, unless the prose beside them says all of it (V2)."""
    cell = against_tables(tokens, source)
    if cell is None:
        return None
    if cell.differences and (told := best_place(tokens, read_source(read_tables(source).prose), whole=False)).clean:
        return told
    return Compared(True, False, cell.share, cell.share, cell.differences, cell.place, in_table=True)


def _by_clauses(parts: Sequence[str], known: ReadSource) -> Compared | None:
    """Each clause by itself; None unless the source says all of them."""
    found = [best_place(read_tokens(part), known, whole=False) for part in parts]
    if not all(each.clean for each in found):
        return None
    share, likeness = min(each.share for each in found), min(each.likeness for each in found)
    return Compared(near=True, verbatim=False, share=share, likeness=likeness, differences=(), place=found[0].place)
