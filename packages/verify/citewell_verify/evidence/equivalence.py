"""Tests whether one place of a source states all of a statement: word for word, or of the same subject (V1, V6)."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

from citewell_verify.evidence.closed_classes import REVERSING, read
from citewell_verify.evidence.contradictions import without_markers
from citewell_verify.evidence.spans import best_text_span, locate_verbatim
from citewell_verify.facts.kinds import Disagreement
from citewell_verify.facts.quotation import Quotation
from citewell_verify.facts.reading.clauses import clauses, subject_phrase
from citewell_verify.facts.reading.token_alignment import has_token
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.text.cache import text_cache
from citewell_verify.text.languages import unread_language
from citewell_verify.text.quotes import letters, locate_sentences, parse_sentences
from citewell_verify.text.sentences import split_sentences

_STOP = re.compile(r"[.!?。！？][\"'”’)\]]*\s|\n\s*\n")
_ITEM = re.compile(r"^\W*(?:\(?\d{1,3}[.)]|[a-z][.)]|제\d+조)\s*", re.IGNORECASE)
_SIGNS_BEFORE = " \t\n*-•·#>|\"'“‘「『([①②③④⑤⑥⑦⑧⑨"
_SIGNS_BEHIND = " \t\n*|\"'”’」』)].。!?！？"
_LEADS = re.compile(
    r"(?:[,;:—–|]|\b(?:and|but|however|moreover)|[가-힣](?:고|며|지만|으나|는데))[\s\"'“‘(]*$", re.IGNORECASE
)
_FOLLOWS = re.compile(r"[\s\"'”’)]*(?:[,;:—–|]|\b(?:and|but|while|because|which|who)\b)", re.IGNORECASE)
_LISTED = re.compile(r"\s*(?:[-*+•‣▪◦·○●①-⑳]|\(?(?:\d{1,3}|[a-zA-Z가-하])[.)]\s)")
_TAKES_BACK = frozenset(("denied", "except"))
_STOPS = ".!?。！？"
_ASKS = ("?", "？")
_END = " \t\n.。!?"


def stands_verbatim(statement: str, source: str) -> tuple[int, int] | None:
    """Return the span of the `source` that equals the `statement` except for case, spacing and the final stop (V1).

    In every language, the span is whole sentences, lines or cells. In languages that the rules read, it may also be a
    clause, unless words around it in its sentence may reverse it, such as "it is not true that". An item of a list does
    not count if the introduction of the list reverses it, such as "not covered:".
    """
    wanted = statement.strip().rstrip(_END)
    # Most statements are nowhere in the source, which a comparison of letters shows at once.
    if not wanted or letters(wanted) not in _letters(source):
        return None
    located = locate_sentences(statement, source)
    if located is None:
        located = locate_verbatim(wanted, source)
        is_asked = located and source[located.end : located.end + 1] in _ASKS and statement.rstrip()[-1] not in _ASKS
        if located is None or is_asked or not _stands_alone(source, located.start, located.end):
            return None
    if any(token.cue in _TAKES_BACK for token in read(_introduction(source, located.start, located.end))):
        return None
    stops = source[located.end : located.end + 1] in (".", "。")
    return located.start, located.end + stops


@text_cache()
def _letters(source: str) -> str:
    return letters(without_markers(source))


def _stands_alone(source: str, start: int, end: int) -> bool:
    """Return whether no words of its sentence reverse a span. In languages that the rules do not read, the span has to
    be its whole sentence.
    """
    before, behind = _around(source, start, end)
    if not before and (not behind or (source[end - 1].isalpha() and source[end] in _STOPS)):
        return True
    if unread_language(source[start - len(before) : end + len(behind)], [source]):
        return False
    if (before and not _LEADS.search(before)) or (behind and not _FOLLOWS.match(behind)):
        return False
    return not any(token.cue in REVERSING for part in (before, behind) for token in read(part))


def _around(source: str, start: int, end: int) -> tuple[str, str]:
    """Return what precedes and follows a span within its sentence, without signs."""
    sentences = split_sentences(source)
    first = sentences[bisect_right(sentences, start, key=lambda sentence: sentence.start) - 1]
    last = sentences[bisect_right(sentences, end - 1, key=lambda sentence: sentence.start) - 1]
    # The splitter may have missed the end of the sentence before it.
    before = _STOP.split(source[first.start : start])[-1]
    behind = _STOP.split(source[end : max(end, last.end)] + " ")[0]
    marked = _ITEM.sub("", without_markers(before)).strip(_SIGNS_BEFORE)
    return marked and before, without_markers(behind).strip(_SIGNS_BEHIND) and behind


def _introduction(source: str, start: int, end: int) -> str:
    """Return the line that introduces the list of which a span is an item, or the heading above its lines."""
    *above, before = source[:start].split("\n")
    is_listed = _LISTED.match(before) is not None
    if not is_listed and (source[end - 1] in _STOPS or source[end : end + 1] in _STOPS):
        return ""
    for line in filter(None, map(str.strip, reversed(above))):
        if line.startswith("#") or line.endswith((":", "：")):
            return line
        if line[-1] in _STOPS and not _LISTED.match(line):
            return line if is_listed else ""
    return ""


_NAMED = frozenset("0123456789#")
_LONGEST = 3  # a place that states all of a statement has at most this many times its length


def names_subjects(sentence: str, text: str) -> bool:
    """Return whether a sentence has the subject of a clause of `text` (V6).

    The subject is the words before the verb, Korean topics and subjects, and all numbered names: "Pump 14", "Q2 2024",
    `2팀`.
    """
    known, subjects = tokenize(sentence), [about for clause in clauses(text) if (about := _about(clause))]
    return not subjects or any(all(has_token(known, token) for token in about) for about in subjects)


@lru_cache(maxsize=1024)
def _about(clause: str) -> tuple[Token, ...]:
    tokens = tokenize(clause)
    # The words before the verb end at a figure, but not at a date.
    spoken = takewhile(
        lambda token: token.value is None or token.value.date is not None, tokenize(subject_phrase(clause))
    )
    numbered = (token for token in tokens if token.kind == "name" and _NAMED & set(token.key))
    topics = [
        at for at, token in enumerate(tokens) if token.kind in ("word", "name") and token.case in ("topic", "subject")
    ]
    topic_tokens = (*tokens[: topics[0]], *(tokens[at] for at in topics)) if topics else ()
    return tuple(token for token in (*spoken, *numbered, *topic_tokens) if token.is_content)


def without_heading_facts(text: str, source: str, differing: Sequence[Disagreement]) -> tuple[Disagreement, ...]:
    """Return the disagreements of `text` with the `source`, except disagreements about facts that the headings above
    all of its best places state.
    """
    places: list[Quotation] = []
    if differing:
        start, end = best_text_span(source, text, 50, _LONGEST * len(text))
        places = [Quotation(sentence, source) for sentence in _stating_sentences(text, source, start, end)]
    return tuple(
        difference
        for difference in differing
        if not places
        or not all(
            place.is_stated_by_heading(text, difference.claim_value, difference.source_value) for place in places
        )
    )


def _stating_sentences(text: str, source: str, start: int, end: int) -> Iterator[str]:
    """Yield the sentences of a place that have a value of `text`; if it has no values, the one with most of its
    words.
    """
    values = [token for clause in clauses(text) for token in _of_kind(tokenize(clause), "value")]
    if not values:
        best = best_text_span(source, text, 1, _LONGEST * len(text))
        yield source[slice(*best)]
    for sentence in parse_sentences(source).sentences if values else ():
        if (
            sentence.start < end
            and sentence.end > start
            and any(has_token(tokenize(sentence.text), value) for value in values)
        ):
            yield sentence.text


def _of_kind(tokens: Sequence[Token], kind: str) -> list[Token]:
    return [token for token in tokens if token.kind == kind]
