"""Reading an answer: its sentences, and to which of them each citation belongs."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from domain.claims import is_claim
from domain.markers import code_regions
from domain.plain import LABEL, Mark, plain_text
from domain.references import strip_references
from domain.sentences import split_sentences

_BULLET = re.compile(r"(?:(?:[-*+•‣▪◦·●○■□▶►>|]|#{1,6}|\(?\d{1,2}[.)])\s+|[①-⑳]\s*)*")


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence: its own words are `text[start:end]` of the reading, without bullet, heading sign and table bars."""

    start: int
    end: int
    claim: bool
    marks: tuple[Mark, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The source numbers that it cites, in the order written, each once."""
        return tuple(dict.fromkeys(number for mark in self.marks for number in mark.numbers))


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer without markers and without a list of references (`had_references`), and what it says.

    `text[i]` was `answer[origin[i]]`. `orphans` are the markers of an answer that has no words.
    """

    text: str
    origin: Sequence[int]
    said: tuple[Said, ...]
    orphans: tuple[Mark, ...]
    had_references: bool


def read(answer: str) -> Reading:
    """Find the sentences of `answer` and give every marker to one: to that in which it stands, else the one before it.

    A marker that begins a line belongs to the sentence that begins there.
    """
    body = strip_references(answer)
    plain = plain_text(body)
    # Once more, because a marker can hide a heading: "([2]) Sources:".
    text = strip_references(plain.text)
    sentences = _sentences(text)
    spans = [_own_words(text, start, end) for start, end in sentences]
    owners = [index for index, (start, end) in enumerate(spans) if can_cite(text[start:end])]
    owning = [sentences[index] for index in owners]
    marks: list[list[Mark]] = [[] for _ in sentences]
    for mark in plain.marks if owners else ():
        marks[owners[_owner(mark, owning)]].append(mark)
    said = [
        Said(first, last, is_claim(text[start:end], text[first:last]), tuple(own))
        for (start, end), (first, last), own in zip(sentences, spans, marks, strict=True)
    ]
    orphans = () if owners else plain.marks
    return Reading(text, plain.origin, tuple(said), orphans, had_references=len(body) < len(answer))


def is_list_sign(text: str) -> bool:
    """Say whether `text`, what stands on a line before a sentence, is nothing but a bullet or heading sign."""
    stripped = text.lstrip(" \t")
    return not stripped or _BULLET.fullmatch(stripped) is not None


def without_list_sign(text: str) -> str:
    """Return `text` without the bullet or heading sign that it begins with."""
    sign = _BULLET.match(text)
    return text[sign.end() :] if sign else text


def _sentences(text: str) -> list[tuple[int, int]]:
    """Split `text`, but never inside code: a marker that is put behind a sentence would become a part of the code."""
    regions = code_regions(text)
    starts = [start for start, _ in regions]
    whole: list[tuple[int, int]] = []
    for sentence in split_sentences(text):
        before = bisect_left(starts, sentence.end) - 1
        end = max(sentence.end, regions[before][1]) if before >= 0 else sentence.end
        if whole and sentence.start < whole[-1][1]:
            whole[-1] = whole[-1][0], max(end, whole[-1][1])
        else:
            whole.append((sentence.start, end))
    return whole


def _own_words(text: str, start: int, end: int) -> tuple[int, int]:
    bullet = _BULLET.match(text, start, end)
    first = bullet.end() if bullet else start
    words = text[first:end].rstrip("| \t")
    label = LABEL.search(words)
    if label and label.start("label"):
        words = words[: label.start("label")].rstrip()
    return (first, first + len(words)) if words else (start, end)


def can_cite(words: str) -> bool:
    """Stray signs ("…", "|") and labels are sentences to the splitter, but a citation is not theirs."""
    return any(map(str.isalnum, words)) and not LABEL.fullmatch(words)


def _owner(mark: Mark, sentences: Sequence[tuple[int, int]]) -> int:
    following = bisect_right(sentences, mark.at, key=lambda span: span[1])
    if following == len(sentences):
        return following - 1
    inside = sentences[following][0] < mark.at
    return following if inside or mark.leads else max(following - 1, 0)
