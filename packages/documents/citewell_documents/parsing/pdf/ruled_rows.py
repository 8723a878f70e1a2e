"""Lines in a table with drawn lines: a row of the table is one line, with all lines of each cell in it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from citewell_documents.parsing.pdf.cell_values import are_values
from citewell_documents.parsing.pdf.glyphs import Box
from citewell_documents.parsing.pdf.ink import no_ink, parted, placed, visible
from citewell_documents.parsing.pdf.lines import Line

_MAX_LINES = 15  # of a cell: more are a page laid out in boxes
_MIN_FILLED = 4
_SAME_COLUMN = 10.0  # points: double lines


@dataclass(frozen=True, slots=True)
class _Table:
    """`lefts` and `tops` are where its columns and rows begin."""

    cells: Sequence[Box]
    lefts: Sequence[float]
    tops: Sequence[float]


def in_ruled_rows(lines: list[Line], tables: Sequence[Sequence[Box]]) -> list[Line]:
    """The lines, with those in a table's cells as its rows, where the first of them was drawn."""
    for number, cells in enumerate(tables, start=1):
        table = _Table(cells, sorted({cell[0] for cell in cells}), sorted({cell[3] for cell in cells}, reverse=True))
        lines = _with_rows(lines, table, number)
    return lines


def _with_rows(lines: list[Line], table: _Table, number: int) -> list[Line]:
    within: defaultdict[Box, list[Line]] = defaultdict(list)
    taken: list[int] = []
    for at, line in enumerate(lines):
        parts = list(_parts(line, table.cells)) if not line.table else []
        if parts and None not in (cell for cell, _ in parts):
            taken.append(at)
            for cell, part in parts:
                within[cell].append(part)
    lefts = _lefts(within)
    if len(within) < _MIN_FILLED or len(lefts) < 2 or any(map(_are_rows, within.values())):
        return lines
    if sum(line.is_row and sum(cell[0] < left < cell[2] for left in lefts) > 1 for cell, inside in within.items() for line in inside) > 1:
        return lines
    rows = list(_rows(within, replace(table, lefts=lefts), number))
    first, drop = taken[0], set(taken)
    return [row for at, line in enumerate(lines) for row in (rows if at == first else () if at in drop else (line,))]


def _are_rows(lines: Sequence[Line]) -> bool:
    """True for what is no cell: several values, each of a row without a line of its own, or a page laid out in boxes."""
    rows = {round(line.y / line.size) for line in lines}
    return len(lines) > _MAX_LINES or (len(rows) > 1 and all(are_values(line.text) for line in lines))


def _lefts(cells: Iterable[Box]) -> list[float]:
    lefts: list[float] = []
    for left in sorted({cell[0] for cell in cells}):
        if not lefts or left - lefts[-1] > _SAME_COLUMN:
            lefts.append(left)
    return lefts


def _parts(line: Line, cells: Sequence[Box]) -> Iterator[tuple[Box | None, Line]]:
    """The words of a line in each cell; None stands for no cell."""
    pieces = list(placed(line.text, line.ink))
    if sum(visible(line.text[start:end]) for start, end, _ in pieces) < visible(line.text):
        return
    cut: list[tuple[Box | None, int]] = []
    for start, _, box in pieces:
        cell = _cell_at(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), cells)
        inside_word = start > 0 and not line.text[start - 1].isspace()
        if not cut or (cell != cut[-1][0] and not inside_word):
            cut.append((cell, start))
    rest, at = line.ink, 0
    for (cell, start), end in zip(cut, [*(start for _, start in cut[1:]), len(line.text)], strict=True):
        text = line.text[start:end].strip()
        ink, rest = parted(rest, visible(text))
        at += 1
        is_last = at == len(cut)
        yield cell, replace(line, text=text, ink=ink, divided=line.divided and is_last, cells=())


def _cell_at(point: tuple[float, float], cells: Sequence[Box]) -> Box | None:
    x, y = point
    return next((cell for cell in cells if cell[0] <= x <= cell[2] and cell[1] <= y <= cell[3]), None)


def _rows(within: dict[Box, list[Line]], table: _Table, number: int) -> Iterator[Line]:
    for top in table.tops:
        cells = {
            max(left for left in table.lefts if left <= cell[0]): cell for cell in within if cell[3] >= top > cell[1]
        }
        begun = [line for cell in cells.values() if cell[3] == top for line in within[cell]]
        if not begun:
            continue
        first = max(begun, key=lambda line: line.y)
        texts = ["".join(_joined(within[cells[left]])) if left in cells else "" for left in table.lefts]
        ink = no_ink()
        for left in table.lefts:
            for line in within[cells[left]] if left in cells else ():
                ink += line.ink
        yield replace(
            first,
            text="\t".join(texts).rstrip("\t"),
            left=table.lefts[0],
            right=max(cell[2] for cell in table.cells),
            bold=all(line.bold for line in begun),
            divided=False,
            ink=ink,
            table=number,
        )


def _joined(lines: Sequence[Line]) -> Iterator[str]:
    for at, line in enumerate(lines):
        yield line.text.replace("\t", " ")
        if at < len(lines) - 1 and not line.divided:
            yield " "
