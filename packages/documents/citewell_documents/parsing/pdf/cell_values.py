"""Cells of financial tables: a sign of money belongs to the number behind it, and each number has its own cell.

Statements draw the sign at the left edge of a column, nearer to the number before than to its own, and only in the
first and last rows, whose cells would then not stand below those of the others.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from citewell_documents.parsing.pdf.glyphs import Box, Extent
from citewell_documents.parsing.pdf.ink import placed
from citewell_documents.parsing.pdf.lines import Line

_APART_EM = 0.45  # between numbers: wider than the space between words
_NEAR_EM = 0.3
_SIGN = re.compile(r"(?:US|CA|AU|HK)?[$€£¥₩]")
_CLOSING = re.compile(r"\)?%|\)")
_NUMBER = re.compile(r"[-–−(]{0,2}[$€£¥₩]?\(?\d[\d,.]*\)?%?")
_VALUE = re.compile(rf"{_NUMBER.pattern}|[-–—]")


@dataclass(slots=True)
class _Word:
    """A word of a row; `starts`: a new cell begins with it; `joined`: it was a cell, and now ends the one before."""

    text: str
    extent: Extent
    starts: bool
    joined: bool = False


def are_values(text: str) -> bool:
    return all(map(_VALUE.fullmatch, text.split()))


def with_whole_values(row: Line) -> Line:
    """The row with one cell for each value, as far as it is known where its words stand."""
    if not row.is_row or len(row.cells) != row.text.count("\t") + 1:
        return row
    words = list(_words(row))
    if not words or not _fit(row, words):
        return row
    for before, word in pairwise(words):
        _place(before, word, row.size)
    cells = list(_cells(words))
    text = "\t".join(
        "".join(word.text if word.joined or not at else f" {word.text}" for at, word in enumerate(cell))
        for cell in cells
    )
    extents = tuple((min(word.extent[0] for word in cell), max(word.extent[1] for word in cell)) for cell in cells)
    return row if text == row.text else replace(row, text=text, cells=extents)


def _place(before: _Word, word: _Word, size: float) -> None:
    signed = _SIGN.fullmatch(before.text) and _VALUE.fullmatch(word.text)
    if signed or (_CLOSING.fullmatch(word.text) and _NUMBER.fullmatch(before.text)):
        word.starts, word.joined = False, word.starts
    elif _VALUE.fullmatch(before.text) or _CLOSING.fullmatch(before.text):
        apart = word.extent[0] - before.extent[1] > _APART_EM * size
        word.starts |= bool(_SIGN.fullmatch(word.text)) or (apart and bool(_VALUE.fullmatch(word.text)))


def _words(row: Line) -> Iterator[_Word]:
    pieces = list(placed(row.text, row.ink))
    at = 0
    for match in re.finditer(r"\S+", row.text):
        boxes = list[Box]()
        while at < len(pieces) and pieces[at][1] <= match.end():
            boxes.append(pieces[at][2])
            at += 1
        if not boxes:
            return
        extent = min(box[0] for box in boxes), max(box[2] for box in boxes)
        yield _Word(match[0], extent, match.start() == 0 or row.text[match.start() - 1] == "\t")


def _fit(row: Line, words: Sequence[_Word]) -> bool:
    """True if the words stand where the cells do; turned text and text from right to left count otherwise."""
    starts = [word.extent[0] for word in words if word.starts]
    return (
        len(words) == len(row.text.split())
        and len(starts) == len(row.cells)
        and all(abs(start - cell[0]) <= _NEAR_EM * row.size for start, cell in zip(starts, row.cells, strict=True))
    )


def _cells(words: Sequence[_Word]) -> Iterator[list[_Word]]:
    cell: list[_Word] = []
    for word in words:
        if cell and word.starts:
            yield cell
            cell = []
        cell.append(word)
    yield cell
