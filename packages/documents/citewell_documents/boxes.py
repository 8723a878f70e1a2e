"""The places of the words of a document's text on its pages, as the pages are displayed.

The offsets in the text are decisive; boxes belong to offsets. A box is in points, from the upper left corner of its
page. It is stored as six 32-bit integers (start, end, left, top, right, bottom; the last four in hundredths of a
point), because a long document has a million boxes.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_WORD = struct.Struct("<6i")
WORD_BYTES = _WORD.size
_PER_POINT = 100
_SAME_LINE = 0.5  # of the lower box's height
_MAX_GAP = 1.2  # times the height of the line


class WordBox(NamedTuple):
    """The box of `text[start:end]`: a word, the part of a word on one line, or several words beside each other."""

    start: int
    end: int
    left: float
    top: float
    right: float
    bottom: float


class Recognised(NamedTuple):
    """A line, `text[start:end]`, that was recognised in a picture; `confidence` is the engine's, from 0 to 1."""

    start: int
    end: int
    confidence: float


@dataclass(frozen=True, slots=True)
class PageBoxes:
    """The boxes of page `number`, which is `width` by `height` points; `words` are its packed boxes in the order of the
    text.

    `recognised` has the lines that are not text in the file.
    """

    number: int
    width: float
    height: float
    words: bytes = b""
    recognised: tuple[Recognised, ...] = ()


def packed(words: Iterable[WordBox]) -> bytes:
    """The boxes as bytes. Raises struct.error for positions that no page has."""
    return b"".join(_WORD.pack(start, end, *(round(_PER_POINT * at) for at in place)) for start, end, *place in words)


def unpacked(words: bytes) -> Iterator[WordBox]:
    """Yield the boxes. Raises struct.error unless the length is a multiple of WORD_BYTES."""
    for start, end, *place in _WORD.iter_unpack(words):
        left, top, right, bottom = (at / _PER_POINT for at in place)
        yield WordBox(start, end, left, top, right, bottom)


def boxes_of_span(words: bytes, start: int, end: int) -> list[WordBox]:
    """The boxes of the words that lie wholly or partly in `text[start:end]`: one for each stretch of a line."""
    joined: list[WordBox] = []
    for word in unpacked(words):
        if word.start >= end or word.end <= start:
            continue
        if joined:
            line = joined[-1]
            heights = line.bottom - line.top, word.bottom - word.top
            overlap = min(line.bottom, word.bottom) - max(line.top, word.top)
            gap = max(word.left - line.right, line.left - word.right)
            if overlap >= _SAME_LINE * min(heights) and gap <= _MAX_GAP * max(heights):
                left, top = min(line.left, word.left), min(line.top, word.top)
                right, bottom = max(line.right, word.right), max(line.bottom, word.bottom)
                joined[-1] = WordBox(line.start, word.end, left, top, right, bottom)
                continue
        joined.append(word)
    return joined


def are_sound(page: PageBoxes, start: int, end: int) -> bool:
    """True if all boxes lie on the page and belong to words of `text[start:end]`, in order."""
    if len(page.words) % WORD_BYTES or not (page.width > 0 and page.height > 0):
        return False
    reach = start
    for word in unpacked(page.words):
        across = 0 <= word.left <= word.right <= page.width + 1
        down = 0 <= word.top <= word.bottom <= page.height + 1
        if not (reach <= word.start < word.end <= end and across and down):
            return False
        reach = word.end
    lines = page.recognised
    return all(start <= line.start <= line.end <= end and 0 <= line.confidence <= 1 for line in lines)


def confidence_of(recognised: Iterable[Sequence[float]], start: int, end: int) -> float | None:
    """The confidence of the recognition of `text[start:end]`: the mean over its lines (start, end, confidence),
    weighted by their numbers of letters.

    None if no part of it was recognised.
    """
    parts = [(min(end, last) - max(start, first), sure) for first, last, sure in recognised]
    letters = sum(length for length, _ in parts if length > 0)
    return round(sum(length * sure for length, sure in parts if length > 0) / letters, 2) if letters else None


def words_on(pages: Sequence[PageBoxes]) -> int:
    return sum(len(page.words) for page in pages) // WORD_BYTES
