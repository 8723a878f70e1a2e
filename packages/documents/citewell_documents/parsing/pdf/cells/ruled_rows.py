"""Joins the lines of text in the cells of a table: each row becomes one line with all the lines of its cells."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from citewell_documents.parsing.pdf.cells.cell_values import are_values
from citewell_documents.parsing.pdf.cells.spaced_cells import PlacedWord, spaced_tables
from citewell_documents.parsing.pdf.glyphs import Box, sides
from citewell_documents.parsing.pdf.ink import no_ink, parted, placed, visible
from citewell_documents.parsing.pdf.lines import Line
from citewell_documents.parsing.pdf.tables import whole_rows
from citewell_documents.parsing.pdf.typography import Typography
from citewell_documents.parsing.tables import is_name

_MAX_LINES = 15  # of a cell: with more, the boxes lay out a page
_MIN_FILLED = 4
_SAME_COLUMN = 10.0  # points: rules nearer to each other are a double line


@dataclass(frozen=True, slots=True)
class _Table:
    """A table; its columns begin at `lefts`, its rows at `tops`."""

    cells: Sequence[Box]
    lefts: Sequence[float]
    tops: Sequence[float]


def in_ruled_rows(lines: list[Line], tables: Sequence[Sequence[Box]]) -> list[Line]:
    """The lines of the page. The lines in a table's cells are replaced by its rows, in the place of the first of
    them. `tables` are the cells that drawn lines enclose; the cells of other tables are found here.
    """
    quarter = _quarter(lines)
    if quarter is None:
        return lines
    for number, on_page in enumerate(tables, start=1):
        lines = _with_rows(lines, _table([_upright(cell, quarter) for cell in on_page]), number, quarter)
    for number, cells in enumerate(spaced_tables(list(_words(lines, quarter))), start=len(tables) + 1):
        lines = _with_rows(lines, _table(cells), number, quarter)
    return lines


def _table(cells: Sequence[Box]) -> _Table:
    return _Table(cells, sorted({cell[0] for cell in cells}), sorted({cell[3] for cell in cells}, reverse=True))


def _words(lines: Sequence[Line], quarter: int) -> Iterator[PlacedWord]:
    for at, line in enumerate(lines):
        for start, end, box in () if line.table else placed(line.text, line.ink):
            yield PlacedWord(line.text[start:end], _upright(box, quarter), at, line.y, line.size)


def _quarter(lines: Sequence[Line]) -> int | None:
    """The rotation of the page's text in quarters; None if the text is read from the right."""
    longest = max(lines, key=lambda line: line.right - line.left, default=None)
    boxes = [box for _, _, box in placed(longest.text, longest.ink)] if longest and longest.right > 0 else []
    for quarter in range(4):
        extents = [sides(box, quarter) for box in boxes]
        if longest and extents and abs(min(left for left, _ in extents) - longest.left) < longest.size / 2:
            return quarter
    return None


def _upright(box: Box, quarter: int) -> Box:
    (left, right), (bottom, top) = sides(box, quarter), sides(box, (quarter + 1) % 4)
    return left, bottom, right, top


def _with_rows(lines: list[Line], table: _Table, number: int, quarter: int) -> list[Line]:
    within: defaultdict[Box, list[Line]] = defaultdict(list)
    taken: list[int] = []
    for at, line in enumerate(lines):
        parts = [] if line.table else list(_parts(line, table.cells, quarter))
        placed_parts = [(cell, part) for cell, part in parts if cell]
        if parts and len(placed_parts) == len(parts):
            taken.append(at)
            for cell, part in placed_parts:
                within[cell].append(part)
    lefts = _lefts(within)
    if len(within) < _MIN_FILLED or len(lefts) < 2:
        return lines
    for inside in within.values():
        # A box that has the values of several rows is no cell, and neither is a box that lays out a page.
        has_rows = len({round(line.y / line.size) for line in inside}) > 1
        if len(inside) > _MAX_LINES or (has_rows and all(are_values(line.text) for line in inside)):
            return lines
    if (
        sum(
            line.is_row and sum(cell[0] < left < cell[2] for left in lefts) > 1
            for cell, inside in within.items()
            for line in inside
        )
        > 1
    ):
        return lines
    joined = {cell: whole_rows(inside) for cell, inside in within.items()}
    rows = list(_rows(joined, replace(table, lefts=lefts), number, Typography([lines])))
    first, drop = taken[0], set(taken)
    return [row for at, line in enumerate(lines) for row in (rows if at == first else () if at in drop else (line,))]


def _lefts(cells: Iterable[Box]) -> list[float]:
    lefts: list[float] = []
    for left in sorted({cell[0] for cell in cells}):
        if not lefts or left - lefts[-1] > _SAME_COLUMN:
            lefts.append(left)
    return lefts


def _parts(line: Line, cells: Sequence[Box], quarter: int) -> Iterator[tuple[Box | None, Line]]:
    """Yield the parts of a line with their cells; the cell is None for words outside of any cell."""
    pieces = list(placed(line.text, line.ink))
    if sum(visible(line.text[start:end]) for start, end, _ in pieces) < visible(line.text):
        return
    cut: list[tuple[Box | None, int]] = []
    for start, _, on_page in pieces:
        box = _upright(on_page, quarter)
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        cell = next((cell for cell in cells if cell[0] <= x <= cell[2] and cell[1] <= y <= cell[3]), None)
        inside_word = start > 0 and not line.text[start - 1].isspace()
        if not cut or (cell != cut[-1][0] and not inside_word):
            cut.append((cell, start))
    rest = line.ink
    ends = [*(start for _, start in cut[1:]), len(line.text)]
    for (cell, start), end in zip(cut, ends, strict=True):
        text = line.text[start:end].strip()
        ink, rest = parted(rest, visible(text))
        yield cell, replace(line, text=text, ink=ink, divided=line.divided and end == ends[-1], cells=())


def _rows(within: dict[Box, list[Line]], table: _Table, number: int, typography: Typography) -> Iterator[Line]:
    for top in table.tops:
        cells = {
            max(left for left in table.lefts if left <= cell[0]): cell for cell in within if cell[3] >= top > cell[1]
        }
        cells |= _heads_across(cells, within, table)
        begun = [line for cell in cells.values() if cell[3] == top for line in within[cell]]
        if not begun:
            continue
        first = max(begun, key=lambda line: line.y)
        texts = ["".join(_joined(within[cells[left]], typography)) if left in cells else "" for left in table.lefts]
        ink = no_ink()
        for left in table.lefts:
            for line in within[cells[left]] if left in cells else ():
                ink += line.ink
        yield replace(
            first,
            text="\t".join(texts).rstrip("\t"),
            left=min(line.left for line in begun),
            right=max(line.right for line in begun),
            bold=all(line.bold for line in begun),
            divided=False,
            ink=ink,
            table=number,
        )


def _heads_across(cells: Mapping[float, Box], within: Mapping[Box, list[Line]], table: _Table) -> dict[float, Box]:
    """The heads across several columns, for each further column that they cover. Each of these columns has a name of
    its own below the head.
    """
    covering: dict[float, Box] = {}
    for start, cell in cells.items():
        covered = [left for left in table.lefts if start < left < cell[2] - _SAME_COLUMN]
        below = [
            " ".join(line.text for line in lines)
            for other, lines in within.items()
            if cell[0] - _SAME_COLUMN < other[0] < cell[2] - _SAME_COLUMN and abs(other[3] - cell[1]) < _SAME_COLUMN
        ]
        if start > table.lefts[0] and covered and len(below) > len(covered) and all(map(is_name, below)):
            covering |= dict.fromkeys(covered, cell)
    return covering


def _joined(lines: Sequence[Line], typography: Typography) -> Iterator[str]:
    for above, line in zip([None, *lines], lines, strict=False):
        if above:
            yield typography.continuation(above, line)
        yield line.text.replace("\t", " ")
