"""Divides a statement into the parts that can be verified separately, each completed with the words that it shares
(V7).

It divides generously: a part counts only if a source states it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from citewell_verify.facts.reading.clauses import HANGUL, KOREAN_SUBJECT, VERB, subject_phrase

_JOINT = re.compile(
    r"[,;]?\s(?:and|but|while|whereas|although)\s(?:also\s|then\s)?|[,;]\s"
    r"|(?<=[가-힣]고)(?:,\s?|\s)|(?<=[가-힣]며)(?:,\s?|\s)|(?<=지만)(?:,\s?|\s)|(?<=으나)(?:,\s?|\s)"
)
_ASIDE = re.compile(r"([^,;]{2,80}), ((?:which |who )?[^,;]{3,200}), (?!and\b|or\b)([^;]{3,300})")
_PARTICIPLE = re.compile(r"[a-z]+(?:ed|en|rn|wn|ght|lt|id)\b")
_OPENING = re.compile(r"(?:which|who|that)\s")
_MOST_CUTS = 4
_LONGEST = 600  # characters of a statement; a longer one is hostile, or a list


@dataclass(frozen=True, slots=True)
class Part:
    """`text` is the part as written; `readings` complete it with the subject or verb that it shares."""

    text: str
    readings: tuple[str, ...]


@lru_cache(maxsize=1024)
def candidate_parts(statement: str) -> tuple[tuple[tuple[int, int, Part], ...], int]:
    """Return the possible parts of `statement` as (first, last + 1, part), and the number of its segments.

    Segments are numbered from 0, and adjacent ones may form one part. There are at most five, so at most 15 parts.
    """
    if len(statement) > _LONGEST:
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
