"""Removes the citation markers of an answer, records where each of them was, and mends the spaces that they leave.

Sentences are found in the text without markers, so a sentence is the same whether it is cited `[1].` or `. [1]`, or a
citation was removed: the same words always give the same sentences.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from citewell_verify.markers.citable import Citable
from citewell_verify.markers.parser import Marker, cited_markers

STATED_IN = r"(?:stated|described|noted|shown|reported|mentioned|defined|explained|set out|listed) in"
SAYS = (
    r"(?:states?|says?|notes?|reports?|shows?|mentions?|describes?|explains?|indicates?|confirms?|defines?|specif(?:y|ies)"
    r"|provides?(?= that))\b"
)
"""Phrases with which a sentence attributes its content to a source."""

# A marker can also be a word of its sentence: "According to [1], …", "[1] states that …", "[1]에 따르면 …".
_BEFORE_NOUN = re.compile(
    rf"(?:\b(?:according to|based on|{STATED_IN})"
    r"|(?:^|[(.;] ?)see|(?:^|[.;\n] ?)(?:per|in)) $",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"[,.;:)]| \w")
_SENTENCE_START = re.compile(r"(?:^|(?<!\bal)[.!?。\n])[\"'”’)]*\s*(?:[-*•]\s+)?$")
_VERB = re.compile(f" {SAYS}")
_PARTICLE = re.compile(r"(?:에 (?:따르면|의하면)|에서[는도]?|에[는도]?|은|는|이|가|을|를|의|과|와|도)(?=\s)")

_CLOSING = frozenset(".,;:!?)]}»”’…。、，！？；：」』》）】")
_QUOTES = r"[\"'”’»)\]」』*_`]*$"
_STOPPED = re.compile(rf"[.!?…。！？｡]{_QUOTES}")
_ENDED = re.compile(rf"[.!?…,;:)\]]{_QUOTES}")
WIDE_STOP = re.compile(rf"[。！？｡]{_QUOTES}")
"""The end of a sentence that no space follows."""


def line_breaks(space: str) -> int:
    return len(f"{space}.".splitlines()) - 1


def gap(left: str, before: str, after: str, right: str) -> str:
    """Return the part to keep of the white space `before` and `after` the markers.

    `left` and `right` are the next few characters beyond it, empty at an end of the text.
    """
    if not right:
        return after
    if line_breaks(before) and line_breaks(after):
        return max(before, after, key=line_breaks)
    if not left or line_breaks(before):
        return before
    if line_breaks(after):
        return after
    return _gap_in_line(left, before, after, right)


def _gap_in_line(left: str, before: str, after: str, right: str) -> str:
    closes = right[0] in _CLOSING and not (after and (right[1:].isalnum() or _STOPPED.search(left)))
    if closes or left[-1] in "([{“‘" or (right[0] in "\"'*_" and not after):
        return ""
    if WIDE_STOP.search(left) and not after:
        return ""
    if before or after:
        return after or before
    if not right[0].isalnum() or WIDE_STOP.search(left):
        return ""
    joins_words = left[-1].isalnum() and left[-1].isascii() and right[0].isascii()
    return " " if joins_words or _ENDED.search(left) else ""


def replacement_word(text: str, first: int, end: int, *, several: bool) -> str:
    """Return the word for the markers at `text[first:end]` if they are object or subject of a sentence, else ""."""
    start = max(0, first - 40)
    if _PARTICLE.match(text, end) and (not first or text[first - 1].isspace()):
        return "출처"
    subject = _VERB.match(text, end) and _SENTENCE_START.search(text, start, first)
    object_ = _BEFORE_NOUN.search(text, start, first) and _GOES_ON.match(text, end)
    if not subject and not object_:
        return ""
    return f"{'The' if subject else 'the'} source{'s' if several else ''}"


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

    `leads`: they belong to the text after them, not to the text before. `noun` is the word that replaces markers that
    were a word of their sentence, else empty. `missing` are the names that they cite and no source has. `spaced`: white
    space, or the beginning of a line, was on both sides.
    """

    at: int
    numbers: tuple[int, ...]
    leads: bool
    noun: str
    missing: tuple[str, ...] = ()
    spaced: bool = False


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text without its markers; `text[i]` was `answer[origin[i]]`. Offsets are code points."""

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
    """The markers with the label and brackets around them, as in `(Source: [1], [2])`."""
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
        count = next(
            (at for at, sign in enumerate(reversed(self.characters)) if not sign.isspace()), len(self.characters)
        )
        before = "".join(self.characters[len(self.characters) - count :])
        end = next((at for at in range(run.end, len(self.text)) if not self.text[at].isspace()), len(self.text))
        after = self.text[run.end : end]
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
