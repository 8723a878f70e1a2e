"""Puts the cells of a table into rows from top to bottom, whatever the order in which they are drawn.

Spreadsheets draw one column after the other, or their rows from the bottom up; the values of a form are drawn after all
its labels.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from citewell_documents.parsing.pdf.cells.cell_values import are_values
from citewell_documents.parsing.pdf.glyphs import Extent
from citewell_documents.parsing.pdf.ink import Ink, parted, visible
from citewell_documents.parsing.pdf.lines import Line
from citewell_documents.parsing.pdf.paragraphs import is_item
from citewell_documents.parsing.pdf.tables import ROW_DROP_EM, SAME_ROW_EM, are_aligned

PROSE_EM = 10.0  # narrower cells are cells of a table
_LEADING_EM = 1.6  # lines of a list are no further apart
_MAX_LEADING_EM = 2.5  # lines of wrapped text are no further apart
_PROSE_LINES = 3
_MIN_ROWS = 2
_LOOK = 4  # rows above and below that are compared
_SHARE = 0.6
_MOST_WIDE = 0.4
_CLOSE_EM, _TOUCH_EM, _MOST_CLOSE = 0.8, 0.25, 0.2


@dataclass(frozen=True, slots=True)
class _Piece:
    """A cell, and the index of its line in the drawing order."""

    line: Line
    at: int

    @property
    def extent(self) -> Extent:
        return self.line.left, self.line.right


_Rows = list[list[_Piece]]


def in_rows(lines: list[Line]) -> list[Line]:
    """The lines, with the cells of tables in rows even if they are not drawn in rows. A table stands in the place of
    the first of its cells that was drawn.
    """
    prose = _prose(lines)
    pieces = [_Piece(part, at) for at, line in enumerate(lines) if at not in prose for part in _pieces(line)]
    begun: dict[int, list[Line]] = {}
    taken: set[int] = set()
    for rows in _near(list(_rows(pieces))):
        ordered = [piece for row in rows for piece in row]
        places = [piece.at for piece in ordered]
        if places != sorted(places) and _is_table(rows):
            begun[min(places)] = [piece.line for piece in ordered]
            taken |= set(places)
    return [line for at, drawn in enumerate(lines) for line in (begun.get(at, ()) if at in taken else (drawn,))]


def _prose(lines: list[Line]) -> set[int]:
    """The indices of lines that are drawn one below the other and are mostly wide, or are items of a list."""
    prose: set[int] = set()
    block: list[int] = []
    for at, line in enumerate(lines):
        above = lines[at - 1]
        is_near = 0 < above.y - line.y <= _MAX_LEADING_EM * max(above.size, line.size)
        is_below = is_near and min(above.right, line.right) > max(above.left, line.left)
        if block and not is_below:
            prose |= set(block) if _is_prose([lines[of] for of in block]) else set()
            block = []
        block.append(at)
    return prose | (set(block) if _is_prose([lines[of] for of in block]) else set())


def _is_prose(block: Sequence[Line]) -> bool:
    if any(line.table or is_item(line.text) for line in block):
        return True
    widest = (
        max(right - left for left, right in line.cells or [(line.left, line.right)]) / line.size for line in block
    )
    return len(block) >= _PROSE_LINES and median(widest) >= PROSE_EM


def _rows(pieces: list[_Piece]) -> Iterator[list[_Piece]]:
    """Yield the pieces on each baseline, from the top down."""
    row: list[_Piece] = []
    for piece in sorted(pieces, key=lambda piece: -piece.line.y):
        if row and row[0].line.y - piece.line.y >= SAME_ROW_EM * min(row[0].line.size, piece.line.size):
            yield sorted(row, key=lambda piece: piece.line.left)
            row = []
        row.append(piece)
    if row:
        yield sorted(row, key=lambda piece: piece.line.left)


def _near(rows: _Rows) -> Iterator[_Rows]:
    near: _Rows = []
    for row in rows:
        if near and near[-1][0].line.y - row[0].line.y > ROW_DROP_EM * max(near[-1][0].line.size, row[0].line.size):
            yield near
            near = []
        near.append(row)
    if near:
        yield near


def _is_table(near: _Rows) -> bool:
    """True for rows of cells that are aligned below each other, unless they may also be columns of text."""
    rows = [row for row in near if len(row) > 1]
    cells = [piece for row in rows for piece in row]
    if len(rows) < _MIN_ROWS or len({piece.line.left < 0 for piece in cells}) > 1:
        return False
    if any(right.line.left < left.line.right - left.line.size for row in rows for left, right in pairwise(row)):
        return False  # the cells are drawn over each other
    wide = sum(cell.line.right - cell.line.left >= PROSE_EM * cell.line.size for cell in cells)
    if wide > _MOST_WIDE * len(cells) or _is_formula(near, rows):
        return False
    aligned = sum(
        any(
            are_aligned(cell.extent, beside.extent, cell.line.size)
            for near_row in (*rows[max(0, at - _LOOK) : at], *rows[at + 1 : at + 1 + _LOOK])
            for beside in near_row
        )
        for at, row in enumerate(rows)
        for cell in row
    )
    return aligned >= _SHARE * len(cells) and not _are_columns(rows)


def _is_formula(near: _Rows, rows: _Rows) -> bool:
    """True for baselines that are closer than those of lines, or pieces that touch: indices, fractions, signs of a
    drawing.
    """
    close = sum(above[0].line.y - row[0].line.y < _CLOSE_EM * row[0].line.size for above, row in pairwise(near))
    beside = [(left, right) for row in rows for left, right in pairwise(row) if left.at != right.at]
    touching = sum(right.line.left - left.line.right < _TOUCH_EM * right.line.size for left, right in beside)
    return close > _MOST_CLOSE * len(near) or touching > _MOST_CLOSE * len(beside)


def _are_columns(rows: _Rows) -> bool:
    """True if the cells are drawn downwards, one column after the other, are as close as lines of text, and are mostly
    no values.
    """
    drawn = sorted((piece for row in rows for piece in row), key=lambda piece: piece.at)
    upwards = sum(piece.line.y - before.line.y > SAME_ROW_EM * piece.line.size for before, piece in pairwise(drawn))
    drops = [(above[0].line.y - row[0].line.y) / row[0].line.size for above, row in pairwise(rows)]
    values = sum(any(are_values(piece.line.text) for piece in row[1:]) for row in rows)
    return upwards < max(map(len, rows)) and median(drops) <= _LEADING_EM and values < _SHARE * len(rows)


def _pieces(line: Line) -> Iterator[Line]:
    """The cells of a line, cut off one after the other: a line may have thousands."""
    count, rest = len(line.cells), line.ink
    if count < 2:
        yield line
        return
    texts = line.text.split("\t")
    texts += [""] * (count - len(texts))
    for at, text in enumerate([*texts[: count - 1], "\t".join(texts[count - 1 :])]):
        own, rest = parted(rest, visible(text))
        yield _part(line, text, line.cells[at : at + 1], own, last=at == count - 1)


def divided(line: Line, cells: int) -> tuple[Line, Line]:
    """The parts of the line before and after this many of its cells."""
    texts = line.text.split("\t")
    before, after = "\t".join(texts[:cells]), "\t".join(texts[cells:])
    head, rest = parted(line.ink, visible(before))
    return (
        _part(line, before, line.cells[:cells], head, last=False),
        _part(line, after, line.cells[cells:], rest, last=True),
    )


def _part(line: Line, text: str, cells: tuple[Extent, ...], ink: Ink, *, last: bool) -> Line:
    hyphen = line.divided if last else text[-2:-1].isalpha() and text.endswith("-")
    if hyphen and not last:
        text = text[:-1]
        ink, _ = parted(ink, visible(text))
    return replace(
        line,
        text=text,
        left=cells[0][0],
        right=cells[-1][1],
        divided=hyphen,
        spaced=line.spaced and last,
        cells=cells,
        ink=ink,
    )
