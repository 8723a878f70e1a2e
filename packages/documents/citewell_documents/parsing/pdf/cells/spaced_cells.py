"""The cells of tables that no lines enclose, if some of their cells have several lines.

White space divides such a table: strips between the columns that no word crosses, and gaps between the rows that are
wider than those between the lines of one cell. Text in columns is divided in the same way, so the order of drawing
decides: a table is drawn row by row, and columns of text one after the other.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from statistics import median

from citewell_documents.parsing.pdf.cells.cell_values import are_values
from citewell_documents.parsing.pdf.glyphs import Box, Extent, enclosing
from citewell_documents.parsing.pdf.lines import CELL_GAP_EM

_SAME_LEVEL_EM = 0.25
_REGION_DROP_EM = 3.5  # a larger gap ends a table
_GUTTER_EM = 0.5  # the least space between two columns
_SPACE_EM = 0.6  # words nearer to each other are one piece of text
_MOST_CROSSED = 0.15  # of the lines of a table: a head may stand across columns
_LEADING_EM = (0.9, 1.7)  # the distance between the lines of a cell
_WIDER = 1.08  # the distance between rows is at least this many times the distance between the lines of a cell
_MIN_ROWS, _MOST_LEVELS = 3, 6
_SHARE, _IN_ORDER = 0.6, 0.8
_MARK_CHARACTERS = 3
_MAX_DEPTH = 4  # each cut at the lines across the strips shows strips of its own


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word of a line, upright; `at` is the place of the line in the order of drawing, `y` its baseline."""

    text: str
    box: Box
    at: int
    y: float
    size: float


_Level = list[PlacedWord]
"""The words on one baseline, from left to right."""


def spaced_tables(words: Sequence[PlacedWord]) -> list[list[Box]]:
    """The cells of each such table, also its empty ones; a box reaches to the middle of the white space around its
    cell.
    """
    tables: list[list[Box]] = []
    for region in _regions(_levels(words)):
        for part, gutters in _tables_in(region):
            rows = _rows_of(part, gutters)
            if _is_table(rows, gutters):
                tables.append(list(_boxes(rows, gutters)))
    return tables


def _levels(words: Sequence[PlacedWord]) -> Iterator[_Level]:
    level: _Level = []
    for word in sorted(words, key=lambda word: -word.y):
        if level and level[0].y - word.y > _SAME_LEVEL_EM * min(level[0].size, word.size):
            yield sorted(level, key=lambda word: word.box[0])
            level = []
        level.append(word)
    if level:
        yield sorted(level, key=lambda word: word.box[0])


def _regions(levels: Iterator[_Level]) -> Iterator[list[_Level]]:
    region: list[_Level] = []
    for level in levels:
        if region and region[-1][0].y - level[0].y > _REGION_DROP_EM * _size([region[-1], level]):
            yield region
            region = []
        region.append(level)
    if region:
        yield region


def _size(levels: Sequence[_Level]) -> float:
    return median(word.size for level in levels for word in level)


def _tables_in(region: list[_Level], depth: int = _MAX_DEPTH) -> Iterator[tuple[list[_Level], list[float]]]:
    """Yield parts of the region without a line across the strips between their columns, with the middles of these
    strips.
    """
    strips = _strips(region)
    parts: list[list[_Level]] = [[]]
    for level in region if strips else ():
        if any(begin < right and end > left for begin, end in _pieces(level) for left, right in strips):
            parts.append([])
        else:
            parts[-1].append(level)
    if len(parts) == 1 and strips:
        yield region, [(left + right) / 2 for left, right in strips]
    for part in parts if len(parts) > 1 and depth else ():
        if len(part) > _MIN_ROWS:
            yield from _tables_in(part, depth - 1)


def _pieces(level: _Level) -> list[Extent]:
    pieces: list[Extent] = []
    for word in level:
        left, _, right, _ = word.box
        if pieces and left - pieces[-1][1] < _SPACE_EM * word.size:
            pieces[-1] = (pieces[-1][0], max(pieces[-1][1], right))
        else:
            pieces.append((left, right))
    return pieces


def _strips(region: Sequence[_Level]) -> list[Extent]:
    """The strips that at most a few of the lines with several pieces cross, without what reaches into them."""
    lines = [*map(_pieces, region)]
    pieces = [of_level for of_level in lines if len(of_level) > 1]
    if len(pieces) < _MIN_ROWS:
        return []
    crossing = Counter[float]()
    for begin, end in chain.from_iterable(pieces):
        crossing[begin] += 1
        crossing[end] -= 1
    most, open_pieces = _MOST_CROSSED * len(pieces), 0
    strips: list[Extent] = []
    for left, right in pairwise(sorted(crossing)):
        open_pieces += crossing[left]
        if open_pieces > most:
            continue
        if strips and strips[-1][1] == left:
            strips[-1] = (strips[-1][0], right)
        else:
            strips.append((left, right))
    least = _GUTTER_EM * _size(region)
    narrowed = (_narrowed(strip, lines, least) for strip in strips if strip[1] - strip[0] >= least)
    return [
        strip for strip in narrowed if strip and sum(of_level[-1][0] >= strip[1] for of_level in pieces) >= _MIN_ROWS
    ]


def _narrowed(strip: Extent, lines: Sequence[list[Extent]], least: float) -> Extent | None:
    """The strip without what reaches into it; None if too many lines leave less than the least width of it."""
    left, right = strip
    reaching = [
        (end - left, end, right) if begin < left else (right - begin, left, begin)
        for of_level in lines
        for begin, end in of_level
        if begin < left < end < right or left < begin < right < end
    ]
    reaching.sort()
    for at, (_, free, until) in enumerate(reaching):
        narrower = max(strip[0], free), min(strip[1], until)
        if narrower[1] - narrower[0] < least:
            return strip if len(reaching) - at <= _MOST_CROSSED * len(lines) else None
        strip = narrower
    return strip


_Rows = list[list[_Level]]


def _rows_of(levels: Sequence[_Level], gutters: Sequence[float]) -> _Rows:
    """The lines of each row; every line is a row of its own if no two lines of a column are nearer than rows."""
    size = _size(levels)
    least, most = (em * size for em in _LEADING_EM)
    last: dict[int, float] = {}
    drops: list[float] = []
    for level in levels:
        for column in {_column(word.box, gutters) for word in level}:
            drops.append(last.get(column, level[0].y) - level[0].y)
            last[column] = level[0].y
    leading = min((drop for drop in drops if least <= drop <= most), default=0.0)
    rows: _Rows = []
    for level in levels:
        if rows and rows[-1][-1][0].y - level[0].y <= _WIDER * leading:
            rows[-1].append(level)
        else:
            rows.append([level])
    return rows


def _column(box: Box, gutters: Sequence[float]) -> int:
    return bisect_left(gutters, (box[0] + box[2]) / 2)


_Cells = dict[int, list[PlacedWord]]
"""The words of a row's cells, by column."""


def _is_table(rows: _Rows, gutters: Sequence[float]) -> bool:
    cells = [_cells_of(row, gutters) for row in rows]
    whole = [of_row for of_row in cells if len(of_row) > 1]
    if len(whole) < max(_MIN_ROWS, _SHARE * len(rows)) or median(map(len, rows)) > _MOST_LEVELS:
        return False
    first = next(row for row, of_row in zip(rows, cells, strict=True) if len(of_row) > 1)
    wrapped = [any(map(_has_lines, of_row.values())) for of_row in whole]
    # A title above the first row, nearer to it than the next row, looks like the first line of a cell.
    is_below_title = all(_column(word.box, gutters) == 0 for word in first[0])
    if not any(wrapped[1:] if is_below_title else wrapped):
        return False
    gaps = sum(_has_gap(level, gutters) for row in rows for level in row)
    marks = sum(_is_mark(of_row.get(0, [])) for of_row in whole) if len(gutters) == 1 else 0
    if gaps > 1 or marks >= _SHARE * len(whole) or not _are_drawn_in_order(cells):
        return False
    if any(_values_in(cell) > 1 for of_row in whole for cell in of_row.values()):
        return False  # a text beside the table, with lines nearer to each other, hides the gaps between its rows
    like_cells = sum(_goes_up(of_row) or _is_uneven(of_row) for of_row in whole)
    return like_cells >= _SHARE * sum(len(row) > 1 for row in rows) or _has_values(whole)


def _cells_of(row: Sequence[_Level], gutters: Sequence[float]) -> _Cells:
    cells: _Cells = {}
    for word in chain.from_iterable(row):
        cells.setdefault(_column(word.box, gutters), []).append(word)
    return cells


def _are_drawn_in_order(cells: Sequence[_Cells]) -> bool:
    """True if nearly each row was drawn before the next one was begun."""
    drawn = [[word.at for cell in of_row.values() for word in cell] for of_row in cells]
    in_order = sum(max(row) <= min(below) for row, below in pairwise(drawn))
    return in_order >= _IN_ORDER * (len(cells) - 1)


def _is_mark(cell: Sequence[PlacedWord]) -> bool:
    """True for what may be the number or bullet of an item in a list."""
    return len(cell) == 1 and sum(map(str.isalnum, cell[0].text)) <= _MARK_CHARACTERS


def _has_lines(cell: Sequence[PlacedWord]) -> bool:
    heights = [word.y for word in cell]
    return max(heights) - min(heights) >= _LEADING_EM[0] * cell[0].size


def _values_in(cell: Sequence[PlacedWord]) -> int:
    """The number of the cell's lines that are values."""
    lines: dict[float, list[str]] = {}
    for word in cell:
        lines.setdefault(word.y, []).append(word.text)
    return sum(are_values(" ".join(words)) for words in lines.values())


def _is_uneven(cells: _Cells) -> bool:
    """True if one cell has a single line, and another has several."""
    return len({_has_lines(cell) for cell in cells.values()}) > 1


def _has_gap(level: _Level, gutters: Sequence[float]) -> bool:
    """True if words of one column are as far apart as cells."""
    return any(
        word.box[0] - before.box[2] > CELL_GAP_EM * word.size
        and _column(word.box, gutters) == _column(before.box, gutters)
        for before, word in pairwise(level)
    )


def _goes_up(cells: _Cells) -> bool:
    """True if a cell was drawn as a whole before the next one was begun."""
    drawn = sorted((word for cell in cells.values() for word in cell), key=lambda word: word.at)
    return any(word.y > before.y + _SAME_LEVEL_EM * word.size for before, word in pairwise(drawn))


def _has_values(whole: Sequence[_Cells]) -> bool:
    for column in {column for of_row in whole for column in of_row}:
        texts = [" ".join(word.text for word in of_row[column]) for of_row in whole if column in of_row]
        if sum(map(are_values, texts)) >= _SHARE * len(texts):
            return True
    return False


def _boxes(rows: _Rows, gutters: Sequence[float]) -> Iterator[Box]:
    left, bottom, right, top = enclosing(word.box for row in rows for level in row for word in level)
    heights = [enclosing(word.box for level in row for word in level) for row in rows]
    middles = [(above[1] + below[3]) / 2 for above, below in pairwise(heights)]
    xs = [left - 1, *gutters, right + 1]
    ys = [top + 1, *middles, bottom - 1]
    for high, low in pairwise(ys):
        for begin, end in pairwise(xs):
            yield begin, low, end, high
