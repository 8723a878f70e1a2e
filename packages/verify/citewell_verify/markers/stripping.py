"""Removes the citation markers of an answer, and records where each of them was.

Sentences are found in this plain text, so a sentence is the same whether it is cited `[1].` or `. [1]`, or a citation
was removed: the same words always give the same sentences.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from citewell_verify.markers.citable import Citable
from citewell_verify.markers.parser import Marker, cited_markers
from citewell_verify.markers.spacing import gap, line_breaks, replacement_word

_NESTING = 10
_WRAPPINGS = 4
_BETWEEN = re.compile(r"[ \t]*[,;·&/、，]?(?:[ \t]+(?:and|및)[ \t]+)?[ \t]*")
LABEL = re.compile(
    r"(?:^|[\n\r\f\v\x85\u2028\u2029(\[]|(?<=[.!?。]) )[ \t]*"
    r"(?P<label>(?:[-*+•]\s)?[*_]{0,2}(?:sources?|citations?|출처)[*_]{0,2}\s?[:：][*_]{0,2}\s?)$",
    re.IGNORECASE,
)
"""Labels before markers: "Source: " in `Source: [1]`."""
_WRAPPED = {"(": ")", "[": "]", "（": "）", "［": "］"}
_EMPHASIS = re.compile(r"(?:(?<=\s)|^)(\*{1,3}|_{1,3}|\^)$")


@dataclass(frozen=True, slots=True)
class Mark:
    """Adjacent markers that were before `text[at]` of the plain text.

    `leads`: they belong to what follows, not to what precedes. `noun` is the word that replaces markers that were a
    word of their sentence, else empty. `missing` are the names that they cite and no source has. `spaced`: white space,
    or the beginning of a line, was on both sides.
    """

    at: int
    numbers: tuple[int, ...]
    leads: bool
    noun: str
    missing: tuple[str, ...] = ()
    spaced: bool = False


@dataclass(frozen=True, slots=True)
class PlainText:
    """`text[i]` was `answer[origin[i]]`; offsets are code points."""

    text: str
    origin: Sequence[int]
    marks: tuple[Mark, ...]


def plain_text(answer: str, sources: Citable | int | None = None) -> PlainText:
    """Remove the markers from `answer`, with the space, brackets, commas and label ("Source:") that only served them.

    `sources` are those of the answer, or how many, as for `cited_markers`. The remaining white space is that of a text
    without markers; no other character is lost.
    """
    text, origin = answer, list(range(len(answer)))
    taken: list[tuple[int, Mark]] = []
    # A second pass is needed only when removing a marker joins the halves of another: "[[9]1]". Bounded, because each
    # pass reads everything and only hostile text goes deeper.
    for _ in range(_NESTING):
        if not (runs := _runs(text, sources)):
            break
        rest = _Rest(text)
        taken += [(origin[run.start], rest.remove(run)) for run in runs]
        rest.copy_until(len(text))
        text, origin = "".join(rest.characters), [origin[i] for i in rest.origin]
    marks = [replace(mark, at=bisect_left(origin, place)) for place, mark in sorted(taken, key=itemgetter(0))]
    return PlainText(text, origin, tuple(marks))


@dataclass(frozen=True, slots=True)
class _Run:
    start: int
    end: int
    numbers: tuple[int, ...]
    missing: tuple[str, ...]


def _runs(text: str, sources: Citable | int | None) -> list[_Run]:
    groups: list[list[Marker]] = []
    for marker in cited_markers(text, sources):
        if groups and _BETWEEN.fullmatch(text, groups[-1][-1].end, marker.start):
            groups[-1].append(marker)
        else:
            groups.append([marker])
    return [_with_enclosure(text, group) for group in groups]


def _with_enclosure(text: str, group: Sequence[Marker]) -> _Run:
    """The markers with what encloses them, as in `(Source: [1], [2])`."""
    start, end = group[0].start, group[-1].end
    if label := LABEL.search(text, max(0, start - 24), start):
        start = label.start("label")
    for _ in range(_WRAPPINGS):
        if start and text[end : end + 1] == _WRAPPED.get(text[start - 1]):
            start, end = start - 1, end + 1
    emphasis = _EMPHASIS.search(text, max(0, start - 4), start)
    if emphasis and text.startswith(emphasis[1], end) and not text[end + len(emphasis[1]) :][:1].isalnum():
        start, end = start - len(emphasis[1]), end + len(emphasis[1])
    numbers = tuple(number for marker in group for number in marker.numbers)
    return _Run(start, end, numbers, tuple(name for marker in group for name in marker.missing))


@dataclass(slots=True)
class _Rest:
    """The rest of `text` while markers are removed from left to right."""

    text: str
    characters: list[str] = field(default_factory=list[str])
    origin: list[int] = field(default_factory=list[int])
    position: int = 0

    def copy_until(self, end: int) -> None:
        self.characters += self.text[self.position : end]
        self.origin += range(self.position, end)
        self.position = end

    def remove(self, run: _Run) -> Mark:
        self.copy_until(run.start)
        self.position = run.end
        if noun := replacement_word(self.text, run.start, run.end, several=len({*run.numbers, *run.missing}) > 1):
            self._put(noun, run.start)
            self.origin[-1] = run.end - 1
            return Mark(0, run.numbers, leads=True, noun=noun, missing=run.missing)
        before, after = self._trailing_space(), _space_at(self.text, run.end)
        right = run.end + len(after)
        opens_line = line_breaks(before) > 0 or len(before) == len(self.characters)
        leads = opens_line and not line_breaks(after) and right < len(self.text)
        left = len(self.characters) - len(before)
        space = gap("".join(self.characters[max(0, left - 4) : left]), before, after, self.text[right : right + 2])
        if space != before:
            del self.characters[left:], self.origin[left:]
            self._put(space, run.start)
        self.position = right
        return Mark(0, run.numbers, leads, "", run.missing, spaced=bool(after) and (opens_line or bool(before)))

    def _put(self, inserted: str, place: int) -> None:
        self.characters += inserted
        self.origin += [place] * len(inserted)

    def _trailing_space(self) -> str:
        count = 0
        while count < len(self.characters) and self.characters[-1 - count].isspace():
            count += 1
        return "".join(self.characters[len(self.characters) - count :])


def _space_at(text: str, start: int) -> str:
    end = start
    while end < len(text) and text[end].isspace():
        end += 1
    return text[start:end]
