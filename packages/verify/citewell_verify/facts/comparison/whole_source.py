"""Compares a statement with a whole source: one place must state all of it, of the same subject, in the same way
(V1-V4).

The statement is aligned with the sentences that share most with it, each in its context. One clause or sentence must
match without a difference, or each clause of the statement must have such a match.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from citewell_verify.facts.comparison.source import ParsedSource, most_shared, parse_source, verbatim_key
from citewell_verify.facts.differences.sentence import SentenceContext, differences
from citewell_verify.facts.kinds import Difference
from citewell_verify.facts.reading.clauses import clauses
from citewell_verify.facts.reading.token_alignment import Alignment, align
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.facts.structure.cells import compare_with_tables
from citewell_verify.facts.structure.sections import (
    NamedSection,
    competing_subject,
    is_in_name,
    named_section,
    stated_classes,
    subject_classes,
)
from citewell_verify.facts.structure.tables import parse_tables
from citewell_verify.facts.structure.terms import ARTEFACTS, CLASSES, has_class

_SIMILAR = 0.75  # least similarity of a statement to the sentence it was taken from
_CONTAINED = 0.85  # least coverage of a statement by a longer sentence
_ONE_PLACE = 3  # words that may differ in one place of a short statement
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class SourceMatch:
    """The best place of a source for a statement, with the differences there.

    `is_close`: it states nearly the same. `coverage` and `similarity` (0..1) are those of the alignment. `section` is
    the heading that the statement names, if that decided; `in_table`: the names of a row and a column decided.
    `in_cell`: one cell states all of it, and `place` is its row. `refuted`: one cell has another value for all of it.
    """

    is_close: bool
    verbatim: bool
    coverage: float
    similarity: float
    differences: tuple[Difference, ...]
    place: str
    section: str = ""
    in_table: bool = False
    in_cell: bool = False
    refuted: bool = False

    @property
    def is_full_match(self) -> bool:
        return self.is_close and not self.differences


def best_place(tokens: Sequence[Token], source: ParsedSource, *, by_sentence: bool) -> SourceMatch:
    nothing = SourceMatch(is_close=False, verbatim=False, coverage=0.0, similarity=0.0, differences=(), place="")
    wanted = {token.key for token in tokens if token.is_content}
    if by_sentence and len(source.read_sentences) != len(source.clauses):
        sentences = [(at, source.read_sentences[at].text) for at in most_shared(wanted, source.sentences_by_key)]
        compared = [
            _compare_with(align(tokens, tokenize(text)), source, source.first_clauses[at], text)
            for at, text in sentences
        ]
        best = max(compared, key=_rank, default=nothing)
        if best.is_close:
            return best
    compared = [
        _compare_with(align(tokens, source.clause_tokens[at]), source, at, source.clauses[at])
        for at in most_shared(wanted, source.clauses_by_key)
    ]
    return max(compared, key=_rank, default=nothing)


def _rank(compared: SourceMatch) -> tuple[bool, bool, float]:
    sure = sum(difference.sure for difference in compared.differences)
    names = sum(difference.kind in ("name", "subject") for difference in compared.differences)
    return (
        compared.is_close,
        compared.is_full_match,
        compared.coverage - 0.2 * sure - 0.2 * names - 0.05 * len(compared.differences),
    )


def _compare_with(alignment: Alignment, source: ParsedSource, at: int, place: str) -> SourceMatch:
    around = SentenceContext(
        context_keys=source.context_keys(at),
        source_keys=source.all_keys,
        acronyms=source.acronyms,
    )
    is_close = _is_close(alignment)
    return SourceMatch(
        is_close,
        verbatim=False,
        coverage=alignment.coverage,
        similarity=alignment.similarity,
        differences=tuple(differences(alignment, around)) if is_close else (),
        place=place,
    )


def _is_close(alignment: Alignment) -> bool:
    """Return whether nearly all of a statement matches, or all but one place."""
    matched = sum(alignment.statement[index].is_content for index in alignment.matched_statement)
    if matched >= _FEWEST and (
        alignment.coverage >= _CONTAINED or min(alignment.local_similarity, alignment.coverage) >= _SIMILAR
    ):
        return True
    lost, left = alignment.unmatched
    one_place = alignment.substitutions <= 1 and (left > 0 or not lost) and not alignment.moved
    return matched >= 1 and one_place and lost <= min(_ONE_PLACE, matched) and left <= lost + 1


_ABOUT_OTHERS = ("order", "negation")  # differences that a missing name does not explain


def compare_with_section(tokens: Sequence[Token], source: str) -> SourceMatch | None:
    section = named_section(tokens, source)
    if section is None:
        return None
    own = parse_source(section.text)
    whole = best_place(tokens, own, by_sentence=False)
    if section.is_partial and _matches_by_name(best_place(tokens, parse_source(source), by_sentence=False), section):
        return None
    if _matches_by_name(whole, section) or (
        whole.is_close and any(difference.kind in _ABOUT_OTHERS for difference in whole.differences)
    ):
        return replace(whole, section=section.heading)
    match = (
        whole
        if whole.is_full_match and not section.is_partial
        else best_place(section.remainder, own, by_sentence=False)
    )
    if not match.is_full_match:
        if match.is_close and any(difference.sure for difference in match.differences):
            return replace(match, section=section.heading)
        return _compare_with_others(section) if section.is_exclusive else None
    subject = _competing_subject(tokens, section, match.place, own)
    if subject and subject.kind == "name":
        return _compare_with_others(section) if section.is_exclusive else None
    doubt = (
        section.heading if section.is_partial else subject.text if subject else _other_subheading(section, match.place)
    )
    # Another thing may be meant: neither proven nor contradicted.
    doubted = (Difference("wording", section.mention, doubt),) if doubt else ()
    return replace(match, section=section.heading, differences=doubted)


def _matches_by_name(match: SourceMatch, section: NamedSection) -> bool:
    return match.is_full_match and any(is_in_name(token, section.name_terms) for token in tokenize(match.place))


def _competing_subject(tokens: Sequence[Token], section: NamedSection, place: str, own: ParsedSource) -> Token | None:
    sentence, present = tokenize(place), subject_classes(own.clause_tokens)
    said = {term.key for term in section.name_terms} | stated_classes(own.clause_tokens, section.name_terms)
    # If the heading has a class of its own, or its section is about several classes, not every class refers to it.
    known = said & CLASSES
    if has_class(section.heading) or (known and len(present) > 1):
        classes = said if known.isdisjoint(ARTEFACTS) else said | ARTEFACTS
    else:
        classes = said | ({present[0]} if len(present) > 1 else CLASSES)
    return competing_subject(
        tokens, sentence, align(section.remainder, sentence).matched_source, section.name_terms, classes
    )


def _other_subheading(section: NamedSection, place: str) -> str | None:
    """Return the heading between that of the section and the place, if it names a thing that the statement does not
    name."""
    paths = [subsection.path for subsection in section.subsections if place in parse_source(subsection.text).clauses]
    return None if not paths or () in paths else paths[0][-1]


def _compare_with_others(section: NamedSection) -> SourceMatch | None:
    for elsewhere in section.other_sections:
        match = best_place(section.remainder, parse_source(elsewhere.text), by_sentence=False)
        if match.is_full_match and not (section.is_partial and _matches_by_name(match, section)):
            difference = Difference("subject", section.heading, elsewhere.path[-1])
            return replace(match, differences=(difference,), section=section.heading)
    return None


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
