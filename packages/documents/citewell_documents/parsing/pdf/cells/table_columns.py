"""Finds the columns of a table by the gaps between the words of all its rows, and the cells of each row in them."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from citewell_documents.parsing.pdf.cells.cell_values import Word, are_values, cells_of, extent_of, text_of, words_in
from citewell_documents.parsing.pdf.glyphs import Extent
from citewell_documents.parsing.pdf.lines import CELL_GAP_EM, Line

_TOUCH_EM = 0.15  # a smaller overlap does not count
_SHARE = 0.6
_MIN_CELLS = 3  # a line of text does not have so many cells by chance
_BESIDE_EM = 2.0  # two columns as near as this are one column, if no row has a cell in both


class _Cell(NamedTuple):
    left: float
    right: float
    starts: bool


@dataclass(slots=True)
class _Column:
    left: float
    right: float

    def shared(self, cell: Extent) -> float:
        return min(self.right, cell[1]) - max(self.left, cell[0])


_Span = TypeVar("_Span", _Cell, _Column)


class _Spans(Generic[_Span]):
    """Columns or cells by their left sides: a table of a thousand columns does not compare each with every other."""

    def __init__(self, spans: Iterable[_Span] = ()) -> None:
        self.items = sorted(spans, key=_left)
        self._widest = max((span.right - span.left for span in self.items), default=0.0)

    def near(self, extent: Extent) -> Sequence[_Span]:
        """Those that may share a part of the extent."""
        first = bisect_left(self.items, extent[0] - self._widest, key=_left)
        return self.items[first : bisect_right(self.items, extent[1], key=_left)]

    def add(self, span: _Span) -> None:
        insort(self.items, span, key=_left)
        self._widest = max(self._widest, span.right - span.left)

    def remove(self, span: _Span) -> None:
        at = bisect_left(self.items, span.left, key=_left)
        while self.items[at] is not span:
            at += 1
        del self.items[at]


def _left(span: _Cell | _Column) -> float:
    return span.left


def in_columns(rows: Sequence[Line], apart: float) -> list[Line]:
    """The rows, each with as many cells as there are columns.

    A gap between words divides cells if it does so in most rows, even if it is too narrow in a single row to show this.
    A cell across several columns is put into the first of them.
    """
    cells, columns = _cells_and_columns(rows, apart)
    if len(columns) < 2:
        return list(rows)
    cells[0] = _with_heads(cells[0], columns)
    return [_placed(row, parts, columns) for row, parts in zip(rows, cells, strict=True)]


def belongs(rows: Sequence[Line], line: Line, apart: float) -> bool:
    """True if a line near a table has cells in most of the table's columns, even with narrower gaps than the
    table's.
    """
    if len(rows) < 2 or line.table or abs(line.y - rows[0].y) < line.size:
        return False
    (cells, *_), _ = _cells_and_columns([line], apart)
    _, columns = _cells_and_columns(rows, apart)
    cells = _with_heads(cells, columns)
    places = [_place(extent_of(cell), columns) for cell in cells] if columns else []
    fits = len(places) == len(columns) or all(before < after for before, after in pairwise(places))
    return len(places) >= max(_MIN_CELLS, len(columns) / 2) and fits


def _with_heads(cells: list[list[Word]], columns: Sequence[_Column]) -> list[list[Word]]:
    """The cells of the row of heads. Words without a drawn space between them are divided, if this gives one cell for
    each column.
    """
    if not cells or len(cells) == len(columns) or any(are_values(text_of(cell)) for cell in cells):
        return cells
    words = [word for cell in cells for word in cell]
    starts = [at for at, word in enumerate(words) if not at or word.starts or word.apart]
    heads = [words[start:end] for start, end in zip(starts, [*starts[1:], len(words)], strict=True)]
    return heads if len(heads) == len(columns) >= _MIN_CELLS else cells


def _cells_and_columns(rows: Sequence[Line], apart: float) -> tuple[list[list[list[Word]]], list[_Column]]:
    size = max(row.size for row in rows)
    cells = [list(cells_of(words, apart * size)) for words in words_in(rows, apart)]
    return cells, _columns([of_row for of_row in cells if of_row], size)


def _columns(rows: Sequence[Sequence[list[Word]]], size: float) -> list[_Column]:
    columns = _Spans[_Column]()
    touch = _TOUCH_EM * size
    for cells in ([*map(extent_of, row)] for row in sorted(rows, key=len, reverse=True)):
        for cell in cells:
            shared = [column for column in columns.near(cell) if column.shared(cell) > touch]
            if not shared:
                columns.add(_Column(*cell))
            elif len(shared) == 1:
                whole = min(shared[0].left, cell[0]), max(shared[0].right, cell[1])
                if not any(column is not shared[0] and column.shared(whole) > 0 for column in columns.near(whole)):
                    columns.remove(shared[0])
                    columns.add(_Column(*whole))
    return _without_accidents(columns.items, rows, size)


def _without_accidents(columns: list[_Column], rows: Sequence[Sequence[list[Word]]], size: float) -> list[_Column]:
    """Join neighbouring columns that most rows do not divide, if no row divides them by more than a wide space between
    words.
    """
    placed = [_Spans(_Cell(*extent_of(cell), cell[0].starts) for cell in row) for row in rows]
    at = 0
    while at + 1 < len(columns):
        left, right = columns[at], columns[at + 1]
        crossing = divided = 0
        surely = False
        for row in placed:
            cells = row.near((min(left.left, right.left), max(left.right, right.right)))
            shared = [(left.shared(cell[:2]) > 0, right.shared(cell[:2]) > 0) for cell in cells]
            if (True, True) in shared:
                crossing += 1
            elif (True, False) in shared and (False, True) in shared:
                divided += 1
            surely |= (False, True) in shared and cells[shared.index((False, True))].starts
        near = right.left - left.right < _BESIDE_EM * size
        doubtful = not surely and divided < _SHARE * len(rows)
        if crossing > divided or (doubtful if divided else near):
            left.right = max(left.right, right.right)
            del columns[at + 1]
        else:
            at += 1
    return columns


def _placed(row: Line, cells: list[list[Word]], columns: Sequence[_Column]) -> Line:
    if not cells:
        return row
    if len(cells) == len(columns):
        places = list(range(len(columns)))
    else:
        places = [_place(extent_of(cell), columns) for cell in cells]
    texts, extents = [""] * len(columns), list[Extent]()
    last = -1
    for cell, place in zip(cells, places, strict=True):
        extent = extent_of(cell)
        if place == last:
            if extent[0] - extents[-1][1] > CELL_GAP_EM * row.size:
                return row
            texts[place] += f" {text_of(cell)}"
            extents[-1] = (extents[-1][0], max(extents[-1][1], extent[1]))
        elif place < last:
            return row
        else:
            texts[place] = text_of(cell)
            extents.append(extent)
        last = place
    return replace(row, text="\t".join(texts).rstrip("\t"), cells=tuple(extents))


def _place(cell: Extent, columns: Sequence[_Column]) -> int:
    first = bisect_left(columns, cell[0], key=lambda column: column.right)
    last = max(bisect_right(columns, cell[1], key=_left), first)
    near = range(max(first - 1, 0), min(last + 1, len(columns)))
    shared = {at: columns[at].shared(cell) for at in near}
    most = max(shared, key=lambda at: shared[at])
    inner = [at for at in near if shared[at] >= 0.5 * (columns[at].right - columns[at].left)]
    return inner[0] if shared[most] > 0 and len(inner) > 1 else most
