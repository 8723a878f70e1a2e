"""Compares a statement with a whole source: one place must state all of it, of the same subject, in the same way
(V1-V4).

The statement is aligned with the sentences that share most with it, each in its context. One clause or sentence must
match without a difference, or each clause of the statement must have such a match.
"""

from collections.abc import Sequence
from functools import lru_cache

from citewell_verify.facts.comparison.best_place import SourceMatch, best_place
from citewell_verify.facts.comparison.named_section import compare_with_section
from citewell_verify.facts.comparison.source import ParsedSource, parse_source, verbatim_key
from citewell_verify.facts.reading.clauses import clauses
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.facts.structure.cells import compare_with_tables
from citewell_verify.facts.structure.tables import parse_tables


@lru_cache(maxsize=2048)
def compare(statement: str, source: str) -> SourceMatch:
    """Compare one sentence with `source`. Linear in the length of the source; cached, because several checks ask the
    same."""
    parsed = parse_source(source)
    if (plain := verbatim_key(statement)) and plain in parsed.verbatim_keys:
        return SourceMatch(is_close=True, verbatim=True, coverage=1.0, similarity=1.0, differences=(), place=statement)
    tokens = tokenize(statement)
    if found := _compare_with_tables(tokens, source, statement) or compare_with_section(tokens, source):
        return found
    parts = clauses(statement)
    best = best_place(tokens, parsed, by_sentence=len(parts) > 1)
    if not best.is_full_match and len(parts) > 1:
        best = _compare_by_clause(parts, parsed, is_close=best.is_close) or best
    return best


def _compare_with_tables(tokens: Sequence[Token], source: str, statement: str) -> SourceMatch | None:
    # Unless the prose beside them states all of the statement (V2).
    cell = compare_with_tables(tokens, source, statement)
    if cell is None:
        return None
    if (
        cell.differences
        and (prose := best_place(tokens, parse_source(parse_tables(source).prose), by_sentence=False)).is_full_match
    ):
        return prose
    return SourceMatch(
        True,
        False,
        cell.share,
        cell.share,
        cell.differences,
        cell.place,
        in_table=True,
        in_cell=cell.decides and not cell.differences,
        refuted=cell.decides and bool(cell.differences),
    )


def _compare_by_clause(parts: Sequence[str], source: ParsedSource, *, is_close: bool) -> SourceMatch | None:
    """Compare each clause separately; None unless the source states all of them, in a place that `is_close` to the
    whole or in the sections that they name, or the section that one names has other facts."""
    found = [_compare_clause(tokenize(part), source) for part in parts]
    if other := next((each for each in found if each.section and any(one.sure for one in each.differences)), None):
        return other
    if not all(each.is_full_match and (is_close or each.section) for each in found):
        return None
    share, likeness = min(each.coverage for each in found), min(each.similarity for each in found)
    return SourceMatch(
        is_close=True, verbatim=False, coverage=share, similarity=likeness, differences=(), place=found[0].place
    )


def _compare_clause(tokens: Sequence[Token], source: ParsedSource) -> SourceMatch:
    return compare_with_section(tokens, source.text) or best_place(tokens, source, by_sentence=False)
