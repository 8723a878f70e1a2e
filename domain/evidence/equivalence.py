"""Tests whether a rewritten statement keeps its subjects, and whether one place of a source states all of it (V6)."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

from domain.evidence.spans import Disagreement, best_text_span, claim_relevance, disagreements
from domain.facts.grounding import context_tokens, ungrounded_words
from domain.facts.quotation import Quotation
from domain.facts.reading.clauses import clauses, subject_phrase
from domain.facts.reading.token_alignment import tokens_match
from domain.facts.reading.tokens import Token, tokenize
from domain.facts.reading.vocabulary import GENERIC
from domain.facts.structure.terms import TermIndex, terms
from domain.text.word_index import parse_sentences

_NAMED = frozenset("0123456789#")
_ARTICLES = frozenset({"a", "an", "the"})
_HANGUL = re.compile("[가-힣]")
_LONGEST = 3  # times the length of a statement: the place that is to say all of it


def keeps_subjects(old: str, new: str) -> bool:
    """Say whether every clause of `new` has the subject of a clause of `old`, and names nothing else (V6).

    The subject is the words before the verb, Korean topics and subjects, and whatever is numbered: "Pump 14", "Q2
    2024", `2팀`. A clause with changed values must keep all of its names; one that only loses words may lose names
    outside of its subject.
    """
    were = [(tokenize(clause), _about(clause)) for clause in clauses(old)]
    return all(any(_is_kept(*was, tokenize(clause)) for was in were) for clause in clauses(new))


def _is_kept(old: Sequence[Token], about: Sequence[Token], new: Sequence[Token]) -> bool:
    mine, theirs = _of_kind(old, "name"), _of_kind(new, "name")
    if not all(_has(old, each) for each in theirs) or not all(_has(new, each) for each in about):
        return False
    changed = [each for each in _of_kind(new, "value") if not _has(old, each)]
    if not changed:
        return True
    lost_dates = [each for each in _of_kind(old, "value") if _is_date(each) and not _has(new, each)]
    other_figures = any(not _is_date(each) for each in changed)
    # A date beside a figure is what the figure belongs to: another one with another figure is another fact.
    return all(_has(new, each) for each in mine) and not (lost_dates and other_figures)


@lru_cache(maxsize=1024)
def _about(clause: str) -> tuple[Token, ...]:
    tokens = tokenize(clause)
    spoken = takewhile(lambda each: not _is_figure(each), tokenize(subject_phrase(clause)))
    numbered = (each for each in tokens if each.kind == "name" and _NAMED & set(each.key))
    topics = [
        at for at, each in enumerate(tokens) if each.kind in ("word", "name") and each.case in ("topic", "subject")
    ]
    topic_tokens = (*tokens[: topics[0]], *(tokens[at] for at in topics)) if topics else ()
    return tuple(each for each in (*spoken, *numbered, *topic_tokens) if each.is_content)


def is_stated_in(source: str, text: str) -> bool:
    """Say whether one place of `source` states all of `text`, and nothing in the source contradicts it (V6)."""
    return is_in_one_place(text, source) and not without_heading_facts(text, source, disagreements(text, source))


def without_heading_facts(text: str, source: str, found: Sequence[Disagreement]) -> tuple[Disagreement, ...]:
    places = _best_places(text, source) if found else []
    return tuple(each for each in found if not _do_headings_state(text, places, each.claim_value, each.source_value))


def best_passage(source: str, text: str) -> str:
    start, end = best_text_span(source, text, 50, _LONGEST * len(text))
    # Rows with the heads of their columns.
    above = [part for each in _best_places(text, source) for part in (*each.headings, each.readable)]
    return "\n\n".join((*dict.fromkeys(above), source[start:end]))


def is_worded_so(source: str, text: str) -> bool:
    """Say whether a sentence of `source` has `text` word for word, or a row of a table, with the heads of its columns,
    has all of its words.

    Before the words the sentence may have "all", and behind them it may say more, but nothing that limits or denies.
    """
    places = _best_places(text, source)
    if any(place.is_rows for place in places):
        return claim_relevance(text, best_passage(source, text)) == 1
    return any(_begins_with(place.words, text) for place in places)


def _begins_with(sentence: str, text: str) -> bool:
    said, wanted = _without_articles(sentence), [_wording(token) for token in _without_articles(text)]
    words = [_wording(token) for token in said]
    starts = [start for start in range(len(words)) if words[start : start + len(wanted)] == wanted]
    for start in starts[:1]:
        before, behind = said[:start], said[start + len(wanted) :]
        begins = all(token.cue == "all" for token in before)
        # The verb that governs a Korean sentence comes last.
        goes_on = not _HANGUL.search(sentence) and any(token.is_content for token in behind)
        return begins and (not behind or (goes_on and not any(token.cue or token.value for token in behind)))
    return False


def _without_articles(sentence: str) -> list[Token]:
    return [token for token in tokenize(sentence) if token.text.casefold() not in _ARTICLES]


def _wording(token: Token) -> str:
    return token.key if token.value else token.text.casefold()


def is_stated_by_heading(text: str, source: str, stated: str, known: str | None) -> bool:
    return _do_headings_state(text, _best_places(text, source), stated, known)


def _do_headings_state(text: str, places: Sequence[Quotation], stated: str, known: str | None) -> bool:
    return bool(places) and all(each.is_stated_by_heading(text, stated, known) for each in places)


def _best_places(text: str, source: str) -> list[Quotation]:
    start, end = best_text_span(source, text, 50, _LONGEST * len(text))
    return [Quotation(each, source) for each in _stating_sentences(text, source, start, end)]


def is_in_one_place(text: str, source: str) -> bool:
    """Say whether the best place of `source` names the subjects of `text` and has all of its names and values (V6).

    A distant name is not enough: figures beside another subject belong to that subject.
    """
    start, end = best_text_span(source, text, 50, _LONGEST * len(text))
    if end <= start or ungrounded_words(text, source, start, end):
        return False
    stating = [Quotation(each, source) for each in _stating_sentences(text, source, start, end)]
    if any(next(each.other_subjects(text), None) for each in stating) or not any(
        _may_be_about(text, each) for each in stating
    ):
        return False
    place = context_tokens(text, source, start, end)
    return all(_has(place, each) for each in _required_tokens(text))


def _may_be_about(text: str, cited: Quotation) -> bool:
    mentioned = TermIndex(terms([*tokenize(text), *(each for heading in cited.headings for each in tokenize(heading))]))
    subject = [each for each in tokenize(subject_phrase(cited.words)) if each.kind != "value"]
    named = [each for each in terms(subject) if GENERIC.isdisjoint((each.key, each.token.text.casefold()))]
    refers = len(named) < len(terms(subject)) or any(each.kind == "pronoun" for each in subject)
    return refers or not named or any(mentioned.has_all([each]) for each in named)


def _stating_sentences(text: str, source: str, start: int, end: int) -> Iterator[str]:
    # If none has a value, the one with most of the words.
    values = [each for clause in clauses(text) for each in _of_kind(tokenize(clause), "value")]
    if not values:
        best = best_text_span(source, text, 1, _LONGEST * len(text))
        yield source[slice(*best)]
    for each in parse_sentences(source).sentences if values else ():
        if each.start < end and each.end > start and any(_has(tokenize(each.text), value) for value in values):
            yield each.text


def _required_tokens(text: str) -> Iterator[Token]:
    for clause in clauses(text):
        yield from _about(clause)
        yield from _of_kind(tokenize(clause), "name")


def _of_kind(tokens: Sequence[Token], kind: str) -> list[Token]:
    return [each for each in tokens if each.kind == kind]


def _has(tokens: Sequence[Token], wanted: Token) -> bool:
    return any(tokens_match(wanted, each) for each in tokens)


def _is_figure(token: Token) -> bool:
    return token.value is not None and not _is_date(token)


def _is_date(token: Token) -> bool:
    return token.value is not None and token.value.date is not None
