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
    if match := _compare_with_tables(tokens, source, statement) or compare_with_section(tokens, source):
        return match
    parts = clauses(statement)
    best = best_place(tokens, parsed, by_sentence=len(parts) > 1)
    if not best.is_full_match and len(parts) > 1:
        best = _compare_by_clause(parts, parsed, is_close=best.is_close) or best
    return best


def _compare_with_tables(tokens: Sequence[Token], source: str, statement: str) -> SourceMatch | None:
    """Compare with the tables of a source, unless the prose beside them states all of the statement (V2)."""
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
    matches = [
        compare_with_section(tokens, source.text) or best_place(tokens, source, by_sentence=False)
        for tokens in map(tokenize, parts)
    ]
    for match in matches:
        if match.section and any(difference.sure for difference in match.differences):
            return match
    if not all(match.is_full_match and (is_close or match.section) for match in matches):
        return None
    share, likeness = min(match.coverage for match in matches), min(match.similarity for match in matches)
    return SourceMatch(
        is_close=True, verbatim=False, coverage=share, similarity=likeness, differences=(), place=matches[0].place
    )
