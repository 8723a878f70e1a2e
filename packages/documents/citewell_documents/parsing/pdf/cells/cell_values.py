"""The words of a table's rows: a currency sign belongs to the number behind it, and each number has its own cell.

Statements draw the sign at the left edge of a column, nearer to the number of the column before than to its own number,
and only in the first and last rows; the cells of these rows would then not be aligned with those of the others. Digits
in groups are one number, which the rows of a column show together.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from citewell_documents.parsing.pdf.glyphs import Box, Extent, sides
from citewell_documents.parsing.pdf.ink import placed
from citewell_documents.parsing.pdf.lines import Line

_WIDER = 1.4
_MIN_GAPS, _SAMPLE = 8, 50
_APART_EM = 0.45  # gap between cells, if the rows of a table agree: wider than the space between words
_GROUPED_EM = 0.95  # gap between groups of digits; a 1 has wide sides
_NEAR_EM = 0.3
_SAME = 0.01  # points
_SIGN = re.compile(r"(?:US|CA|AU|HK)?[$€£¥₩]")
_CLOSING = re.compile(r"\)?%|\)")
_NUMBER = re.compile(r"[-–−(]{0,2}[$€£¥₩]?\(?\d[\d,.]*\)?%?")
_VALUE = re.compile(rf"{_NUMBER.pattern}|[-–—]")
_GROUPS = re.compile(r"[-–−+(]{0,2}[$€£¥₩]?\d{1,3}(?: \d{3})*")
_LAST_GROUP = re.compile(r"\d{3}(?:[.,]\d+)?\)?%?")


@dataclass(slots=True)
class Word:
    """A word of a row, or a number of several words. `starts`: a cell begins with it; `joined`: no space precedes
    it.
    """

    text: str
    extent: Extent
    starts: bool
    joined: bool = False
    apart: bool = False  # the file draws no space before it


def are_values(text: str) -> bool:
    return all(map(_VALUE.fullmatch, text.split()))


def with_whole_values(rows: Sequence[Line], apart: float) -> list[Line]:
    """The rows with one cell for each value; rows whose words have no known places stay unchanged."""
    return [
        with_cells(row, list(cells_of(words))) if row.is_row and words else row
        for row, words in zip(rows, words_in(rows, apart), strict=True)
    ]


def with_cells(row: Line, cells: Sequence[Sequence[Word]]) -> Line:
    text = "\t".join(map(text_of, cells))
    return row if text == row.text else replace(row, text=text, cells=tuple(map(extent_of, cells)))


def text_of(cell: Sequence[Word]) -> str:
    return "".join(word.text if word.joined or not at else f" {word.text}" for at, word in enumerate(cell))


def extent_of(cell: Sequence[Word]) -> Extent:
    return min(word.extent[0] for word in cell), max(word.extent[1] for word in cell)


def words_in(rows: Sequence[Line], apart: float) -> list[list[Word]]:
    """The words of each row, or none if their places are not known. `apart` is the gap between cells in em; it is wider
    than the gap between words.
    """
    words = [_words(row) for row in rows]
    ungrouped = [
        word.extent
        for row, of_row in zip(rows, words, strict=True)
        for before, word in pairwise(of_row)
        if _are_near(before, word, row.size) and not _are_groups(before, word)
    ]
    for row, of_row in zip(rows, words, strict=True):
        _join_groups(of_row, row.size, ungrouped)
        for before, word in pairwise(of_row):
            _place(before, word, apart * row.size)
    return words


def apart_on(lines: Sequence[Line]) -> float:
    """The least gap between cells, in em; it is wider than the gap between the words of a page."""
    sample = lines[:: len(lines) // _SAMPLE + 1]
    gaps = sorted(
        (word.extent[0] - before.extent[1]) / line.size
        for line in sample
        for before, word in pairwise(_words(line))
        if not word.starts
    )
    return max(_APART_EM, _WIDER * gaps[len(gaps) // 4]) if len(gaps) >= _MIN_GAPS else _APART_EM


def _are_near(before: Word, word: Word, size: float) -> bool:
    """True for two numbers that are so near each other that they may be one number."""
    near = word.extent[0] - before.extent[1] < _GROUPED_EM * size
    return (
        near and not word.starts and bool(_NUMBER.fullmatch(before.text.split()[-1]) and _NUMBER.fullmatch(word.text))
    )


def _are_groups(before: Word, word: Word) -> bool:
    return bool(_GROUPS.fullmatch(before.text) and _LAST_GROUP.fullmatch(word.text))


def _join_groups(words: list[Word], size: float, ungrouped: Sequence[Extent]) -> None:
    at = 1
    while at < len(words):
        before, word = words[at - 1], words[at]
        below_others = any(left < word.extent[1] and word.extent[0] < right for left, right in ungrouped)
        if _are_near(before, word, size) and _are_groups(before, word) and not below_others:
            before.text, before.extent = f"{before.text} {word.text}", (before.extent[0], word.extent[1])
            del words[at]
        else:
            at += 1


def _place(before: Word, word: Word, gap: float) -> None:
    last = before.text.split()[-1]
    signed = _SIGN.fullmatch(before.text) and _VALUE.fullmatch(word.text.replace(" ", ""))
    if signed or (_CLOSING.fullmatch(word.text) and _NUMBER.fullmatch(last)):
        word.starts, word.joined = False, word.starts
    elif _VALUE.fullmatch(last) or _CLOSING.fullmatch(last):
        apart = word.extent[0] - before.extent[1] > gap
        word.starts |= bool(_SIGN.fullmatch(word.text)) or (apart and bool(_VALUE.fullmatch(word.text.split()[0])))


def _words(row: Line) -> list[Word]:
    """The words of a line with their places, in the rotation in which they agree with the places of its cells; none if
    there is no such rotation, as leaders may have been left out.
    """
    if len(row.cells) != row.text.count("\t") + 1:
        return []
    matches, pieces = list(re.finditer(r"\S+", row.text)), list(placed(row.text, row.ink))
    for quarter in range(4):
        words = list(_placed(row.text, matches, pieces, quarter))
        starts = [word.extent[0] for word in words if word.starts]
        if len(words) == len(matches) and all(
            abs(start - cell[0]) <= _NEAR_EM * row.size for start, cell in zip(starts, row.cells, strict=True)
        ):
            for word in words:
                word.apart = any(abs(word.extent[0] - left) < _SAME for left in row.apart)
            return words
    # A cell of signs that show nothing, as some fonts have them, has no text.
    texts = row.text.split("\t")
    return [Word(text, cell, starts=True) for text, cell in zip(texts, row.cells, strict=True)] if all(texts) else []


def _placed(
    text: str, matches: Sequence[re.Match[str]], pieces: Sequence[tuple[int, int, Box]], quarter: int
) -> Iterator[Word]:
    at = 0
    for match in matches:
        extents = list[Extent]()
        while at < len(pieces) and pieces[at][1] <= match.end():
            extents.append(sides(pieces[at][2], quarter))
            at += 1
        if not extents:
            return
        extent = min(left for left, _ in extents), max(right for _, right in extents)
        yield Word(match[0], extent, match.start() == 0 or text[match.start() - 1] == "\t")


def cells_of(words: Sequence[Word], apart: float | None = None) -> Iterator[list[Word]]:
    """The words of each cell; with `apart`, a gap of this many points also divides cells."""
    cell: list[Word] = []
    for word in words:
        divided = apart is not None and cell and not word.joined and word.extent[0] - cell[-1].extent[1] > apart
        if cell and (word.starts or divided):
            yield cell
            cell = []
        cell.append(word)
    if cell:
        yield cell
