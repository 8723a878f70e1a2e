"""An answer without its citation markers, and where each of them stood.

Sentences are found in this plain text, so it does not matter to a sentence whether it is cited `[1].` or `. [1]`, nor
whether a citation was removed: the same words always give the same sentences.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from domain.markers import cited_markers

_BETWEEN = re.compile(r"[ \t]*[,;·&]?(?:[ \t]+(?:and|및)[ \t]+)?[ \t]*")
LABEL = re.compile(
    r"(?:^|[\n\r\f\v\x85\u2028\u2029(\[]|(?<=[.!?。]) )[ \t]*"
    r"(?P<label>(?:[-*+•]\s)?[*_]{0,2}(?:sources?|citations?|출처)[*_]{0,2}\s?[:：][*_]{0,2}\s?)$",
    re.IGNORECASE,
)
"""What introduces markers: "Source: " in `Source: [1]`."""
_WRAPPED = {"(": ")", "[": "]"}

# A marker can also be a word of its sentence: "According to [1], …", "[1] states that …", "[1]에 따르면 …".
_BEFORE_NOUN = re.compile(
    r"(?:\b(?:according to|based on|(?:stated|described|noted|shown|reported|mentioned|defined|explained) in)"
    r"|(?:^|[(.;] ?)see|(?:^|[.;\n] ?)(?:per|in)) $",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"[,.;:)]| \w")
_SENTENCE_START = re.compile(r"(?:^|[.!?。\n])[\"'”’)]*\s*(?:[-*•]\s+)?$")
_VERB = re.compile(
    r" (?:states?|says?|notes?|reports?|shows?|mentions?|describes?|explains?|indicates?|confirms?|defines?)\b"
)
_PARTICLE = re.compile(r"(?:에 (?:따르면|의하면)|에서[는도]?|에[는도]?|은|는|이|가|을|를|의|과|와|도)(?=\s)")

_CLOSING = frozenset(".,;:!?)]}»”’…。、，！？；：」』》）】")
_QUOTES = r"[\"'”’»)\]」』*_`]*$"
_STOPPED = re.compile(rf"[.!?…。！？｡]{_QUOTES}")
_ENDED = re.compile(rf"[.!?…,;:)\]]{_QUOTES}")
WIDE_STOP = re.compile(rf"[。！？｡]{_QUOTES}")
"""The end of a sentence that no space follows."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Side-by-side markers that stood before `text[at]` of the plain text.

    `leads`: they belong to what follows, not to what precedes. `noun` is the word that stands in for markers that were
    a word of their sentence, else empty.
    """

    at: int
    numbers: tuple[int, ...]
    leads: bool
    noun: str


@dataclass(frozen=True, slots=True)
class PlainText:
    """`text[i]` was `answer[origin[i]]`; offsets are code points."""

    text: str
    origin: Sequence[int]
    marks: tuple[Mark, ...]


def plain_text(answer: str) -> PlainText:
    """Take the markers out of `answer`, with the space, brackets, commas and label ("Source:") that only served them.

    The white space left is that of a text in which they never stood; no other character is lost.
    """
    text, origin = answer, list(range(len(answer)))
    taken: list[tuple[int, Mark]] = []
    # More than one pass only when taking out a marker brings the halves of another together: "[[9]1]".
    while runs := _runs(text):
        rest = _Rest(text)
        taken += [(origin[run.start], rest.take_out(run)) for run in runs]
        rest.copy_until(len(text))
        text, origin = "".join(rest.characters), [origin[i] for i in rest.origin]
    marks = [replace(mark, at=bisect_left(origin, place)) for place, mark in sorted(taken, key=itemgetter(0))]
    return PlainText(text, origin, tuple(marks))


@dataclass(frozen=True, slots=True)
class _Run:
    start: int
    end: int
    numbers: tuple[int, ...]


def _runs(text: str) -> list[_Run]:
    runs: list[_Run] = []
    for marker in cited_markers(text):
        if runs and _BETWEEN.fullmatch(text, runs[-1].end, marker.start):
            runs[-1] = _Run(runs[-1].start, marker.end, runs[-1].numbers + marker.numbers)
        else:
            runs.append(_Run(marker.start, marker.end, marker.numbers))
    return [_dressed(text, run) for run in runs]


def _dressed(text: str, run: _Run) -> _Run:
    """Take a label and the brackets around markers, as in `(Source: [1], [2])`, for a part of them."""
    label = LABEL.search(text, max(0, run.start - 24), run.start)
    start = label.start("label") if label else run.start
    if start and text[run.end : run.end + 1] == _WRAPPED.get(text[start - 1]):
        return _Run(start - 1, run.end + 1, run.numbers)
    return _Run(start, run.end, run.numbers)


@dataclass(slots=True)
class _Rest:
    """What is left of `text` while markers are taken out of it from left to right."""

    text: str
    characters: list[str] = field(default_factory=list[str])
    origin: list[int] = field(default_factory=list[int])
    position: int = 0

    def copy_until(self, end: int) -> None:
        self.characters += self.text[self.position : end]
        self.origin += range(self.position, end)
        self.position = end

    def take_out(self, run: _Run) -> Mark:
        self.copy_until(run.start)
        self.position = run.end
        if noun := _noun(self.text, run):
            self._put(noun, run.start)
            self.origin[-1] = run.end - 1
            return Mark(0, run.numbers, leads=True, noun=noun)
        before, after = self._trailing_space(), _space_at(self.text, run.end)
        right = run.end + len(after)
        opens_line = _line_breaks(before) > 0 or len(before) == len(self.characters)
        leads = opens_line and not _line_breaks(after) and right < len(self.text)
        left = len(self.characters) - len(before)
        gap = _gap("".join(self.characters[max(0, left - 4) : left]), before, after, self.text[right : right + 2])
        if gap != before:
            del self.characters[left:], self.origin[left:]
            self._put(gap, run.start)
        self.position = right
        return Mark(0, run.numbers, leads, noun="")

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


def _line_breaks(space: str) -> int:
    return len(f"{space}.".splitlines()) - 1


def _gap(left: str, before: str, after: str, right: str) -> str:
    """Return the white space that stays of `before` and `after`, which stood around markers between two texts."""
    if not right:
        return after
    if _line_breaks(before) and _line_breaks(after):
        return max(before, after, key=_line_breaks)
    if not left or _line_breaks(before):
        return before
    if _line_breaks(after):
        return after
    return _gap_in_line(left, before, after, right)


def _gap_in_line(left: str, before: str, after: str, right: str) -> str:
    closes = right[0] in _CLOSING and not (after and (right[1:].isalnum() or _STOPPED.search(left)))
    if closes or left[-1] in "([{“‘" or (right[0] in "\"'*_" and not after):
        return ""
    if before or after:
        return after or before
    if not right[0].isalnum() or WIDE_STOP.search(left):
        return ""
    joins_words = left[-1].isalnum() and left[-1].isascii() and right[0].isascii()
    return " " if joins_words or _ENDED.search(left) else ""


def _noun(text: str, run: _Run) -> str:
    """Return the word to put in the place of markers that were the object or subject of their sentence, or ""."""
    start = max(0, run.start - 40)
    if _PARTICLE.match(text, run.end) and (not run.start or text[run.start - 1].isspace()):
        return "출처"
    subject = _VERB.match(text, run.end) and _SENTENCE_START.search(text, start, run.start)
    object_ = _BEFORE_NOUN.search(text, start, run.start) and _GOES_ON.match(text, run.end)
    if not subject and not object_:
        return ""
    several = len(set(run.numbers)) > 1
    return f"{'The' if subject else 'the'} source{'s' if several else ''}"
