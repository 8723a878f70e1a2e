"""Finds the place of a source that matches a statement best, and the differences there (V1-V4)."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from domain.facts.comparison.source import ParsedSource, most_shared
from domain.facts.differences.clause_values import opposites_of_clauses
from domain.facts.differences.counted_things import is_recounted
from domain.facts.differences.gaps import SentenceContext
from domain.facts.differences.sentence import differences, is_negated
from domain.facts.kinds import Difference
from domain.facts.reading.token_alignment import Alignment, align, tokens_match
from domain.facts.reading.tokens import Token, tokenize
from domain.facts.structure.pronouns import has_antecedent, other_antecedent, refers

_SIMILAR = 0.75  # least similarity of a statement to the sentence it was taken from
_CONTAINED = 0.85  # least coverage of a statement by a longer sentence
_ONE_PLACE = 3  # words that may differ in one place of a short statement
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class SourceMatch:
    """The best place of a source for a statement, with the differences there.

    `is_close`: it states nearly the same. `coverage` and `similarity` (0..1) are those of the alignment. `section` is
    the heading that the statement names, if that decided; `in_table`: the names of a row and a column decided.
    `in_cell`: one cell states all of it, and `place` is its row.
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

    @property
    def is_full_match(self) -> bool:
        return self.is_close and not self.differences


def best_place(tokens: Sequence[Token], source: ParsedSource, *, by_sentence: bool) -> SourceMatch:
    nothing = SourceMatch(is_close=False, verbatim=False, coverage=0.0, similarity=0.0, differences=(), place="")
    if by_sentence and len(source.read_sentences) != len(source.clauses):
        wanted = {each.key for each in tokens if each.is_content}
        sentences = [(at, source.read_sentences[at].text) for at in most_shared(wanted, source.sentences_by_key)]
        compared = [
            _compare_with(align(tokens, tokenize(each)), source, source.first_clauses[at], each)
            for at, each in sentences
        ]
        best = max(compared, key=_rank, default=nothing)
        if best.is_close:
            return best
    compared = [
        _compare_with(alignment, source, at, source.clauses[at])
        for alignment, at in _candidate_alignments(tokens, source)
    ]
    best = max(compared, key=_rank, default=nothing)
    if best.is_close and (joined := _joined_across(tokens, source, best)):
        return replace(best, differences=(*best.differences, joined))
    return next((each for each in compared if _says_otherwise(each, best)), best)


def _joined_across(tokens: Sequence[Token], source: ParsedSource, best: SourceMatch) -> Difference | None:
    """Return the word that the statement joins to a subject of the next clause of the sentence, which has its
    opposite."""
    if best.coverage == 1 or any(each.sure for each in best.differences) or best.place not in source.clauses:
        return None
    sentence = source.read_sentences[bisect_right(source.first_clauses, source.clauses.index(best.place)) - 1]
    if len(sentence.clauses) == 1:
        return None
    found = opposites_of_clauses(align(tokens, tokenize(sentence.text)))
    return Difference("negation", found[0].text, found[1].text) if found else None


def _says_otherwise(other: SourceMatch, best: SourceMatch) -> bool:
    """Say whether a place that has more of the statement than the best one has another value there.

    The best one states the rest of it only by what precedes it: "After probation, the notice period is three months"
    is no proof beside "New employees have a probation period of six months".
    """
    return (
        best.is_full_match
        and other.is_close
        and other.coverage > best.coverage
        and any(each.sure and each.kind in ("number", "date") and each.source_text for each in other.differences)
    )


def _rank(compared: SourceMatch) -> tuple[bool, bool, float]:
    sure = sum(each.sure for each in compared.differences)
    names = sum(each.kind in ("name", "subject") for each in compared.differences)
    return (
        compared.is_close,
        compared.is_full_match,
        compared.coverage - 0.2 * sure - 0.2 * names - 0.05 * len(compared.differences),
    )


def _compare_with(alignment: Alignment, source: ParsedSource, at: int, place: str) -> SourceMatch:
    around = SentenceContext(
        context_keys=source.context_keys(at),
        nearby_values=source.nearby_values(at, {each.key for each in alignment.statement}),
        source_keys=source.all_keys,
        acronyms=source.acronyms,
    )
    has_pronoun, is_close = refers(place), _is_close(alignment)
    spoken = None
    if has_pronoun and not is_close and has_antecedent(source.clauses_before(at), place):
        spoken = _without_subject(alignment)
    found = tuple(differences(alignment, around)) if is_close or spoken else ()
    if (is_close or spoken) and has_pronoun and (meant := _other_antecedent(alignment, source, at, place)):
        found, spoken = (*found, meant), None
    elif spoken:  # the pronoun stands for what the statement begins with
        found = tuple(each for each in found if each.sure)
    compared = spoken or alignment
    return SourceMatch(
        is_close or bool(found or spoken),
        verbatim=False,
        coverage=compared.coverage,
        similarity=compared.similarity,
        differences=found,
        place=place,
    )


def _other_antecedent(alignment: Alignment, source: ParsedSource, at: int, place: str) -> Difference | None:
    subject = next((each for each in alignment.statement if each.is_content), None)
    meant = other_antecedent(alignment.statement, source.clauses_before(at), place, source.all_keys)
    # It may refer to something else: neither proven nor contradicted.
    return Difference("wording", subject.text, meant.text) if subject and meant else None


def _is_close(alignment: Alignment) -> bool:
    # Nearly all of it matches, or all but one place.
    matched = sum(alignment.statement[index].is_content for index in alignment.matched_statement)
    if matched >= _FEWEST and (
        alignment.coverage >= _CONTAINED or min(alignment.local_similarity, alignment.coverage) >= _SIMILAR
    ):
        return True
    lost, left = alignment.unmatched
    one_place = alignment.substitutions <= 1 and (left > 0 or not lost) and not alignment.moved
    if matched >= _FEWEST and is_recounted(alignment):
        return True
    return matched >= 1 and (
        (one_place and lost <= min(_ONE_PLACE, matched) and left <= lost + 1) or is_negated(alignment)
    )


def _without_subject(alignment: Alignment) -> Alignment | None:
    first = min((mine for mine, _ in alignment.pairs), default=0)
    rest = [each for at, each in enumerate(alignment.statement) if at >= first or not each.is_content]
    if not first or len(rest) == len(alignment.statement):
        return None
    found = align(rest, alignment.source)
    matched = sum(found.statement[at].is_content for at in found.matched_statement)
    return found if found.coverage >= _CONTAINED and matched >= _FEWEST else None


def _candidate_alignments(tokens: Sequence[Token], source: ParsedSource) -> Iterator[tuple[Alignment, int]]:
    wanted = {each.key for each in tokens if each.is_content}
    for at in most_shared(wanted, source.clauses_by_key):
        yield align(tokens, _answering_tokens(tokens, source, at)), at


def _answering_tokens(tokens: Sequence[Token], source: ParsedSource, at: int) -> Sequence[Token]:
    # Of the question at its beginning only names, values and what the statement has.
    found = source.clause_tokens[at]
    asked = found[: len(tokenize(source.questions[at]))] if source.questions[at] else ()
    kept = [each for each in asked if each.kind in ("name", "value") or any(tokens_match(each, one) for one in tokens)]
    return (*kept, *found[len(asked) :])
