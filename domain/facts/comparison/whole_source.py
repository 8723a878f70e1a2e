"""Compares a statement with a whole source: one place must state all of it, of the same subject, in the same way
(V1-V4).

The statement is aligned with the sentences that share most with it, each in its context. One clause or sentence must
match without a difference, or each clause of the statement must have such a match.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from domain.facts.comparison.best_place import SourceMatch, best_place
from domain.facts.comparison.named_section import compare_with_section
from domain.facts.comparison.parts_of_names import part_of_name
from domain.facts.comparison.source import ParsedSource, most_shared, parse_source, verbatim_key
from domain.facts.differences.restrictions import excepted, omitted_restrictions
from domain.facts.differences.roles import exchanged_roles, role_pairs
from domain.facts.differences.steps import orders_steps, reversed_steps
from domain.facts.kinds import Difference
from domain.facts.reading.clauses import clauses
from domain.facts.reading.token_alignment import align
from domain.facts.reading.tokens import Token, tokenize
from domain.facts.structure.cells import compare_with_tables
from domain.facts.structure.tables import parse_tables

_TITLE = re.compile(
    r"[「『《〈]([^「『《〈」』》〉\n]{1,80})[」』》〉]|[\"“]([A-Z0-9가-힣][^\"“”\n]{0,79}?)[,.]?[\"”](?!\w)"
)


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
    if found := exchanged_roles(statement, source, parsed.role_pairs):
        return replace(best, is_close=True, differences=(found,))
    if orders_steps(tokens) and (step := _reversed_step(tokens, parsed)):
        return replace(best, is_close=True, differences=(step,))
    if any(each.is_equal(other) for each in role_pairs(statement) for other in parsed.role_pairs):
        best = replace(best, differences=tuple(each for each in best.differences if each.kind != "order"))
    return _with_restrictions(statement, best)


def _reversed_step(tokens: Sequence[Token], source: ParsedSource) -> Difference | None:
    wanted = {each.key for each in tokens if each.is_content}
    for at in most_shared(wanted, source.sentences_by_key)[:1]:
        sentence = tokenize(source.read_sentences[at].text)
        if orders_steps(sentence):
            return reversed_steps(align(tokens, sentence))
    return None


def _with_restrictions(statement: str, best: SourceMatch) -> SourceMatch:
    # A place that states it conditionally does not state it (V3).
    if best.is_close and (exception := excepted(statement, best.place)):
        is_contrary = any(each.kind == "negation" for each in best.differences)
        others = tuple(each for each in best.differences if each.kind not in ("negation", "quantifier"))
        return replace(best, differences=others if is_contrary else (*others, exception))
    if not best.is_close or any(each.sure for each in best.differences):
        return best
    found = (
        *_title_differences(statement, best.place),
        *omitted_restrictions(statement, best.place),
        *part_of_name(tokenize(statement), tokenize(best.place)),
    )
    return replace(best, differences=(*best.differences, *found))


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
        True, False, cell.share, cell.share, cell.differences, cell.place, in_table=True, in_cell=cell.proven
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


def _title_differences(statement: str, place: str) -> Iterator[Difference]:
    """Yield each title of the statement that the place lacks, if the place has another title.

    They stand in quotation marks; Korean and Chinese write titles of works, laws and papers as 「…」, 『…』, 《…》,
    〈…〉.
    Titles consist of common words, so those of one list look alike; each counts as one name.
    """
    titles = [one or other for one, other in _TITLE.findall(place)]
    words = _joined(place)
    for title in (one or other for one, other in _TITLE.findall(statement)) if titles else ():
        if _joined(title) not in words:
            yield Difference("name", title, next((each for each in titles if each not in statement), titles[0]))


def _joined(text: str) -> str:
    return "".join(text.casefold().split())
