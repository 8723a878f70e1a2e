"""Finds the place of a source that matches a statement best, and the differences there (V1-V4)."""

from collections.abc import Sequence
from dataclasses import dataclass

from citewell_verify.facts.comparison.source import ParsedSource, most_shared
from citewell_verify.facts.differences.gaps import SentenceContext
from citewell_verify.facts.differences.sentence import differences
from citewell_verify.facts.kinds import Difference
from citewell_verify.facts.reading.token_alignment import Alignment, align
from citewell_verify.facts.reading.tokens import Token, tokenize

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
