"""Rows of a PDF table: one line each, with every cell in its column."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise

from citewell_documents.parsing.pdf.cells.cell_values import apart_on, with_whole_values
from citewell_documents.parsing.pdf.cells.table_columns import belongs, in_columns
from citewell_documents.parsing.pdf.glyphs import Extent
from citewell_documents.parsing.pdf.ink import parted, visible
from citewell_documents.parsing.pdf.lines import CELL_GAP_EM, Line

_ALIGNED_EM = 0.6
ROW_DROP_EM = 3.5  # rows further apart belong to different tables
_WRAPPED_DROP_EM = 1.5  # lines of one cell are no further apart
_NEARER = 1.1  # the lines of a first cell are at least this many times nearer than rows
SAME_ROW_EM = 0.6
_WORD_GAP_EM = 0.15
_MIN_ALIGNED, _MIN_ROWS = 2, 2
_MAX_LOOK_BACK = 8  # rows that are compared, because each has other empty cells


def whole_tables(lines: list[Line]) -> list[Line]:
    """Return the lines with one line per table row: wrapped cells joined, empty cells kept."""
    apart = apart_on(lines)
    rows: list[Line] = []
    for near in (with_whole_values(near, apart) for near in _runs(lines, _near)):
        drops = [above.y - line.y for above, line in pairwise(near) if line.is_row]
        drop = min(drops) if len(drops) >= _MIN_ROWS else 0.0  # too few rows do not show their distance
        for line in near:
            if rows and (joined := _with_wrapped_cell(rows[-1], line, drop)):
                rows[-1] = joined
            else:
                rows.append(line)
    tables = list(_runs(rows, same_table))
    for above, below in pairwise(tables):  # heads and other rows may be narrower than the columns
        while above and _near(above[-1:], below[0]) and belongs(below, above[-1], apart):
            below.insert(0, above.pop())
    return [row for table in tables for row in (in_columns(table, apart) if len(table) > 1 else table)]


def _near(above: Sequence[Line], line: Line) -> bool:
    return 0 < above[-1].y - line.y - line.rise <= ROW_DROP_EM * max(above[-1].size, line.size)


def same_table(above: Sequence[Line], line: Line) -> bool:
    """True if a line belongs to the same table as the rows above: it is near, and at least two of its cells are
    aligned.
    """
    last = above[-1]
    if last.table or line.table:
        return last.table == line.table
    if not (last.cells and line.cells and 0 < last.y - line.y - line.rise <= ROW_DROP_EM * max(last.size, line.size)):
        return False
    size = max(last.size, line.size)
    cells_above = [cell for row in above[-_MAX_LOOK_BACK:] for cell in row.cells]
    aligned = (any(are_aligned(cell, higher, size) for higher in cells_above) for cell in line.cells)
    return next(islice(filter(None, aligned), _MIN_ALIGNED - 1, None), False)


def are_aligned(cell: Extent, above: Extent, size: float) -> bool:
    slack = _ALIGNED_EM * size
    left, right = cell[0] - above[0], cell[1] - above[1]
    return abs(left) < slack or abs(right) < slack or abs(left + right) < 2 * slack


def whole_rows(lines: list[Line]) -> list[Line]:
    rows: list[Line] = []
    for line in lines:
        if rows and (joined := _same_row(rows[-1], line)):
            rows[-1] = joined
        else:
            rows.append(line)
    return rows


def _same_row(left: Line, right: Line) -> Line | None:
    between = within_row(left, right)
    if between is None or left.table or right.table:
        return None
    longer = max(left, right, key=lambda line: len(line.text))
    cells: tuple[Extent, ...] = ()
    if left.cells and right.cells and between == "\t":
        cells = (*left.cells, *right.cells)
    elif left.cells and right.cells:  # the last cell of the left and the first of the right piece are one cell
        cells = (*left.cells[:-1], (left.cells[-1][0], right.cells[0][1]), *right.cells[1:])
    text, ink = f"{left.text}{between}{right.text}", left.ink + right.ink
    return replace(
        right,
        text=text,
        left=left.left,
        y=longer.y,
        size=longer.size,
        bold=longer.bold,
        cells=cells,
        apart=(*left.apart, right.left, *right.apart),
        ink=ink,
    )


def within_row(left: Line, right: Line) -> str | None:
    """The separator of two pieces of one row: a tab, a space or nothing; None if they are not pieces of one row."""
    gap, size = right.left - left.right, right.size
    if abs(left.y - right.y) >= SAME_ROW_EM * max(left.size, size) or gap < -CELL_GAP_EM * size:
        return None
    return "\t" if gap > CELL_GAP_EM * size else " " * (gap > _WORD_GAP_EM * size)


def _with_wrapped_cell(row: Line, line: Line, row_drop: float) -> Line | None:
    """The row with the line as the rest of one of its cells; None if the line does not fit. It continues the first cell
    only if rows are further apart, because a new row may begin there.
    """
    if line.is_row or not row.cells or line.size != row.size or not 0 < row.y - line.y <= _WRAPPED_DROP_EM * row.size:
        return None
    slack = _ALIGNED_EM * row.size
    ends = [*(left for left, _ in row.cells[1:]), float("inf")]
    at = next((at for at, (left, _) in enumerate(row.cells) if abs(line.left - left) < slack), None)
    if at is None or line.right > ends[at] or (at == 0 and _NEARER * (row.y - line.y) > row_drop):
        return None
    texts = row.text.split("\t")
    before, behind = parted(row.ink, visible("".join(texts[: at + 1])))
    texts[at] += line.text if row.divided else f" {line.text}"
    cells = [
        (left, max(right, line.right)) if number == at else (left, right)
        for number, (left, right) in enumerate(row.cells)
    ]
    return replace(
        row,
        text="\t".join(texts),
        y=line.y,
        rise=row.rise + row.y - line.y,
        right=max(row.right, line.right),
        divided=line.divided,
        cells=tuple(cells),
        ink=before + line.ink + behind,
    )


def _runs(lines: list[Line], belongs: Callable[[Sequence[Line], Line], bool]) -> Iterator[list[Line]]:
    run: list[Line] = []
    for line in lines:
        if run and not belongs(run, line):
            yield run
            run = []
        run.append(line)
    if run:
        yield run
