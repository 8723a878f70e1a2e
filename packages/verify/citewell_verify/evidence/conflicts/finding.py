"""Finds other documents that contradict the evidence of an answer: they have another value for the same thing.

Two statements are about the same thing if they are equal except for one value, and if the headings and titles above
them do not name two things. A false alarm costs more than a conflict that is missed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from citewell_verify.evidence.conflicts.differences import (
    Compared,
    Statement,
    compare_sentences,
    folded,
    keys_in,
    share_words,
    statements_of,
)
from citewell_verify.evidence.conflicts.replacements import Excerpt, Known, known_documents, replacing
from citewell_verify.evidence.conflicts.subjects import above, are_apart, may_be_two
from citewell_verify.facts.reading.tokens import tokenize
from citewell_verify.facts.reading.values import values_agree

_MOST_CITED = 8  # statements of one citation


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence of the answer and the words that support it, `excerpt.text[start:end]`. Only values that the sentence
    states are compared."""

    claim: str
    excerpt: Excerpt
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Place:
    """Words of an excerpt, `excerpt.text[start:end]`, and the `value` in them that another place contradicts."""

    excerpt: Excerpt
    start: int
    end: int
    value: str

    @property
    def quote(self) -> str:
        return self.excerpt.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A disagreement of two documents. `stated` is the evidence of the sentence `claim` of the answer, `other` is the
    contradicting place; `in_force` is the one of the two documents that replaces the other, if one of them says so."""

    claim: str
    stated: Place
    other: Place
    in_force: str | None


def conflicts(evidence: Sequence[Evidence], excerpts: Sequence[Excerpt], question: str = "") -> list[Conflict]:
    """Return the conflicts of other documents in `excerpts` with the `evidence` of an answer to the `question`."""
    documents = _documents(evidence, excerpts)
    # If the answer quotes both documents, each side finds the same conflict; it is reported once.
    by_places: dict[frozenset[tuple[str, str, str]], Conflict] = {}
    for stated in evidence:
        for cited, elsewhere, compared in _differences(stated, documents):
            pair = documents[cited.excerpt.document], documents[elsewhere.excerpt.document]
            valid = replacing(*pair)
            if valid is None and may_be_two(cited, elsewhere, compared, pair, question):
                continue
            for here, there in compared.values:
                places = _place(cited, here), _place(elsewhere, there)
                also = (places[1], here, cited), (places[0], there, elsewhere)
                # "It was EUR 58, and is now EUR 62" has both.
                has_both = any(_states(at.quote, value, of) for at, value, of in also if value != of.text)
                if _states(stated.claim, here, cited) and not has_both:
                    key = frozenset((place.excerpt.document, place.quote, place.value) for place in places)
                    by_places.setdefault(key, Conflict(stated.claim, *places, valid.document if valid else None))
    return list(by_places.values())


def documents_to_compare(evidence: Sequence[Evidence], excerpts: Sequence[Excerpt]) -> set[str]:
    """Return the documents that have statements like the evidence with other values, and the documents of the evidence:
    more of them has to be read before it is certain that they are about the same thing."""
    documents = _documents(evidence, excerpts)
    pairs = (pair for stated in evidence for pair in _differences(stated, documents))
    return {statement.excerpt.document for cited, elsewhere, _ in pairs for statement in (cited, elsewhere)}


def _place(statement: Statement, value: str) -> Place:
    written = statement.row.cells[0].content if statement.row else value
    return Place(statement.excerpt, statement.start, statement.end, written)


def _documents(evidence: Sequence[Evidence], excerpts: Sequence[Excerpt]) -> dict[str, Known]:
    return known_documents(list(dict.fromkeys((*(stated.excerpt for stated in evidence), *excerpts))))


def _differences(stated: Evidence, documents: Mapping[str, Known]) -> Iterator[tuple[Statement, Statement, Compared]]:
    """Yield the statements of other documents that are equal to those of the evidence except for their values.

    A statement that one document makes with several values has several values, such as the departures of a bus.
    """
    own = documents[stated.excerpt.document]
    cited = (
        statement
        for statement in statements_of(stated.excerpt)
        if statement.start < stated.end and statement.end > stated.start
    )
    for statement in islice(cited, _MOST_CITED):
        if any(compared.values and not compared.adds for _, compared in _like(statement, own, own)):
            continue
        for known in documents.values():
            alike = _like(statement, own, known) if known is not own else []
            if alike and all(compared.values == alike[0][1].values != () for _, compared in alike):
                yield statement, *alike[0]


def _like(statement: Statement, own: Known, known: Known) -> list[tuple[Statement, Compared]]:
    """Return the statements of the document `known` that are equal to `statement` except for values. Only if there are
    none, statements count that say more than the other."""
    alike: list[tuple[Statement, Compared]] = []
    for excerpt in known.excerpts:
        for candidate in statements_of(excerpt):
            is_itself = candidate.excerpt == statement.excerpt and candidate.start == statement.start
            if not is_itself and (compared := _compare(statement, candidate, (own, known))):
                alike.append((candidate, compared))
    return [pair for pair in alike if not pair[1].adds] or alike


def _compare(cited: Statement, elsewhere: Statement, pair: tuple[Known, Known]) -> Compared | None:
    if cited.row and elsewhere.row and folded(cited.row.label) != folded(elsewhere.row.label):
        return None
    if not share_words(cited, elsewhere):
        return None
    around = above(cited, pair[0]), above(elsewhere, pair[1])
    compared = compare_sentences(cited, elsewhere, around)
    if compared is None or are_apart(cited, elsewhere, pair):
        return None
    # Two documents have different days, so the difference may be only that of their own dates.
    days = [{date.text for date in document.dates} for document in pair]
    if any(here in days[0] and there in days[1] for here, there in compared.values):
        return None
    is_labelled = not (keys_in(cited.label) <= around[1] and keys_in(elsewhere.label) <= around[0])
    more = keys_in(cited.more), keys_in(elsewhere.more)
    goes_on_otherwise = bool(more[0] - more[1] and more[1] - more[0])
    return replace(compared, adds=compared.adds or is_labelled or goes_on_otherwise)


def _states(claim: str, value: str, statement: Statement) -> bool:
    """Return whether a sentence of the answer has the value, in any form; a whole statement needs no value."""
    if value == statement.text and statement.row is None:
        return True
    wanted = [token.value for token in tokenize(value) if token.value]
    stated = [token.value for token in tokenize(claim) if token.value]
    if wanted and all(any(values_agree(asked, said) for said in stated) for asked in wanted):
        return True
    return value.casefold() in claim.casefold()
