"""Divides a sentence into clauses, and a statement into the parts that can be verified separately (V7).

A clause without a subject gets the subject of the first clause, and a part gets the words that it shares with others.
Parts are divided generously: a part counts only if a source states it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

_STRONG = re.compile(
    r"(?:(?<!\s)\s++)?;\s*|(?:,|(?<!\s))\s++(?:and then|while|whereas)\s+|,\s+(?:and|but)\s+"
    r"|(?<=[으하이되]며),?\s+|(?<=[하이되았었]고),\s+|(?<=지만),?\s+"
    r"|(?<=[가-힣]고)(?<![다라냐자]고)\s+(?!있)(?=(?:[^\s,]+의\s|[^\s,]+\s(?=[^\s,]+의\s)){0,2}[^\s,]+(?:은|는|이|가)\s)"
)
_WEAK = re.compile(r"(?<!\s)\s++(?:and|but)\s+")
_QUOTE = "[\"“”'‘’(\\s]*"
_FINITE = (
    "is|are|was|were|has|have|had|does|did|do|will|would|can|could|may|might|must|should|shall|began|bought|built|came|fell|found|gave|got|grew"
    "|held|kept|knew|led|left|lost|made|met|paid|ran|rose|said|saw|sent|sold|spent|stood|took|told|went|won|wrote|cut|let|[a-z]{2,}ed"
)
VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|did|do|will|would|can|could|may|might|must|should|shall)\b"
    r"|(?<=\s)[a-z]{2,}(?:ed|es|s)\b|(?<=\s)(?:began|bought|built|came|fell|found|gave|got|grew|held|kept|knew|led|left|lost|made|met|paid"
    r"|ran|rose|said|saw|sent|set|sold|spent|stood|took|told|went|won|wrote|cut|put|let|hit)\b"
)
_CLAUSE_START = re.compile(
    rf"(?:(?:it|he|she|they|we|there)\s|(?:the|a|an|its|his|her|their|our|[\"“‘A-Z]\S*)\s(?:\S+\s){{0,3}}(?=(?:{_FINITE})\b)"
    rf"|[\"“‘]?[A-Z]\S*\s(?:[A-Z]\S*\s){{0,2}}[a-z]+s\b|(?:{_FINITE})\b)"
)
_SUBJECT = re.compile(
    _QUOTE + r"(?:[A-Z가-힣]|(?:the|a|an|its|his|her|their|our|this|that|these|those|it|he|she|they|we)\b)"
)
KOREAN_SUBJECT = re.compile(r"^(?:(?:[^\s]+\s){0,2}[^\s]+의\s)?[^\s]+(?:\s[^\s]+)?(?:은|는|이|가|께서)\s")
HANGUL = re.compile("[가-힣]")
_LONGEST = 2_000  # characters of a sentence: a longer sentence has no clauses, or is hostile


@lru_cache(maxsize=4096)
def clauses(sentence: str) -> tuple[str, ...]:
    """Return the coordinated clauses of `sentence`, or the sentence itself if it has only one clause, or if one of them
    cannot stand alone.

    A sentence of more than 2,000 characters is not divided.
    """
    if len(sentence) > _LONGEST:
        return (sentence,)
    parts = _split(sentence, _STRONG)
    parts = [part for strong in parts for part in (_split(strong, _WEAK) if _opens_clause(strong) else [strong])]
    if len(parts) < 2:
        return (sentence,)
    subject = subject_phrase(parts[0])
    return tuple(part if has_subject(part) or not subject else f"{subject} {part}" for part in parts)


def _split(text: str, pattern: re.Pattern[str]) -> list[str]:
    parts = [part for part in pattern.split(text) if part and part.strip()]
    assert_something = all(len(part.split()) > 1 and (HANGUL.search(part) or VERB.search(part)) for part in parts)
    return parts if len(parts) > 1 and assert_something else [text]


def _opens_clause(text: str) -> bool:
    """Return whether a verb follows the conjunction, or a subject that a verb soon follows."""
    rest = _WEAK.split(text, maxsplit=1)[1:]
    return bool(rest) and _CLAUSE_START.match(rest[0]) is not None


def has_subject(clause: str) -> bool:
    if HANGUL.search(clause):
        return KOREAN_SUBJECT.match(clause) is not None
    return _SUBJECT.match(clause) is not None


def subject_phrase(clause: str) -> str:
    if HANGUL.search(clause):
        match = KOREAN_SUBJECT.match(clause)
        return match[0].strip() if match else ""
    verb = VERB.search(clause)
    return clause[: verb.start()].strip() if verb else ""


_JOINT = re.compile(
    r"[,;]?\s(?:and|but|while|whereas|although)\s(?:also\s|then\s)?|[,;]\s"
    r"|(?<=[가-힣]고)(?:,\s?|\s)|(?<=[가-힣]며)(?:,\s?|\s)|(?<=지만)(?:,\s?|\s)|(?<=으나)(?:,\s?|\s)"
)
_ASIDE = re.compile(r"([^,;]{2,80}), ((?:which |who )?[^,;]{3,200}), (?!and\b|or\b)([^;]{3,300})")
_PARTICIPLE = re.compile(r"[a-z]+(?:ed|en|rn|wn|ght|lt|id)\b")
_OPENING = re.compile(r"(?:which|who|that)\s")
_MOST_CUTS = 4
_LONGEST_DIVIDED = 600  # characters of a statement; a longer one is hostile, or a list


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a statement: `text` as written; `readings` complete it with the subject or verb that it shares."""

    text: str
    readings: tuple[str, ...]


@lru_cache(maxsize=1024)
def candidate_parts(statement: str) -> tuple[tuple[tuple[int, int, Part], ...], int]:
    """Return the possible parts of `statement` as (first, last + 1, part), and the number of its segments.

    Segments are numbered from 0, and adjacent ones may form one part. There are at most five, so at most 15 parts.
    """
    if len(statement) > _LONGEST_DIVIDED:
        return (), 1
    if aside := _ASIDE.fullmatch(statement.strip()):
        subject, inner, rest = aside.groups()
        said = Part(f"{subject} {rest}", (f"{subject} {rest}",))
        plain = _OPENING.sub("", inner)
        readings = (f"{subject} {plain}", f"{subject} is {plain}", f"{subject} was {plain}")
        return ((0, 1, said), (1, 2, Part(inner, readings))), 2
    spans = _segments(statement)
    parts = tuple(
        (first, last, _part(statement, spans, first, last))
        for first in range(len(spans))
        for last in range(first + 1, len(spans) + 1)
        if last - first < len(spans)
    )
    return parts, len(spans)


def _segments(statement: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    start = 0
    for joint in list(_JOINT.finditer(statement))[:_MOST_CUTS]:
        if statement[start : joint.start()].strip():
            spans.append((start, joint.start()))
            start = joint.end()
    return [*spans, (start, len(statement))] if statement[start:].strip() else spans


def _part(statement: str, spans: list[tuple[int, int]], first: int, last: int) -> Part:
    text = statement[spans[first][0] : spans[last - 1][1]].strip()
    opening = statement[slice(*spans[first])].strip()
    head = statement[slice(*spans[0])].strip()
    readings: Iterable[str] = (text,)
    if HANGUL.search(statement):
        subject = subject_phrase(head) if first else ""
        if subject and not KOREAN_SUBJECT.match(opening):
            readings = (f"{subject} {text}",)
    elif first:
        readings = _completed(text, opening, head)
    elif not VERB.search(opening):
        following = next(
            (statement[start:end] for start, end in spans[last:] if VERB.search(statement, start, end)), ""
        )
        verb = VERB.search(following)
        readings = (f"{text} {following[verb.start() :]}",) if verb else ()
    return Part(text, tuple(dict.fromkeys(readings)))


def _completed(text: str, opening: str, head: str) -> Iterator[str]:
    subject, verb = subject_phrase(head), VERB.search(head)
    plain = _OPENING.sub("", text)
    opens_with_verb = VERB.match(f" {_OPENING.sub('', opening)}", 1)
    has_own_verb = any(opening[: match.start()].strip() for match in VERB.finditer(opening))
    if has_own_verb:
        yield text
    if (opens_with_verb or plain != text) and subject:
        yield f"{subject} {plain}"
    if _PARTICIPLE.match(plain) and subject:
        yield f"{subject} was {plain}"
    if not has_own_verb and verb:
        yield f"{head[: verb.end()]} {text}"
        words = head[verb.end() :].split()[:2]
        yield from (f"{head[: verb.end()]} {' '.join(words[:count])} {text}" for count in range(1, len(words)))
