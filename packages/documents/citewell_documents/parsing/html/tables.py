"""Converts an HTML table to rows with aligned columns, resolving spans."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise, takewhile

from selectolax.lexbor import LexborNode

from citewell_documents.errors import DocumentTooLarge
from citewell_documents.parsing.html.cells import Cell, CellTable, cells_of
from citewell_documents.parsing.limits import ParseLimits

# Company reports put these signs into cells of their own to align the digits.
_SIGNS_BEFORE = frozenset("$ € £ ¥ ₩ ( $( €( £(".split())
_SIGNS_AFTER = frozenset(") % )%".split())
_BEGINS_NUMBER, _ENDS_NUMBER = frozenset("0123456789(.-–—"), frozenset("0123456789)")
_MOST_HEADERS = 6
_FIGURE = re.compile(r"-|[-+(△▲]?\s?[$€£¥₩]?\s?\d[\d,.]*\)?\s?(?:%|배|[십백천만억]{0,3}원|주|명|개|개월|년|회|건)?\)?")


@dataclass(frozen=True, slots=True)
class DataTable:
    """`titles` are the lines above the columns: caption and full-width rows. The header is the first of `rows`."""

    titles: list[str]
    rows: list[list[str]]
    has_header: bool


@dataclass(slots=True)
class _Placed:
    """A cell that covers the columns `start` to `end` in its row and in `left` rows below."""

    text: str
    start: int
    end: int
    left: int
    is_header: bool


@dataclass(slots=True)
class _Row:
    """All cells that cover a row; `shown` is False if all of them continue in the next row."""

    cells: list[_Placed]
    shown: bool


def read_table(table: LexborNode, filename: str, limits: ParseLimits, *, plain_heads: bool = False) -> DataTable | None:
    """Return a data table; None for a layout table.

    A cell that spans rows is repeated in each of them, so that every row can be cited alone; a cell that spans columns
    goes into the first of them. Several header rows are merged into one. With `plain_heads`, rows of names above
    figures are headers even if nothing marks them as such. Raises DocumentTooLarge.
    """
    cells = cells_of(table)
    if cells is None:
        return None
    rows, headers = _placed(cells, filename, limits)
    width = max((cell.end for row in rows for cell in row.cells[-1:]), default=0)
    if plain_heads and not headers:
        headers = _plain_heads(rows, width)
    over = list(takewhile(bool, (_title(row, width) for row in rows[:headers])))
    header = _merged(rows[len(over) : headers])
    body = rows[headers:]
    _draw_together(header, body)
    columns = _columns(body, header)
    if len(columns) * len(rows) > limits.max_chars:
        raise DocumentTooLarge(f"{filename} has a table of more than {limits.max_chars:,} cells, which is the limit.")
    titles = [cells.caption, *over] if cells.caption else over
    lines = [_line(row.cells, columns) for row in body if row.shown]
    return DataTable(titles, [_line(header, columns), *lines] if header else lines, has_header=bool(header))


def _placed(table: CellTable, filename: str, limits: ParseLimits) -> tuple[list[_Row], int]:
    rows: list[_Row] = []
    size = 0
    for group in table.groups:
        above: list[_Placed] = []
        for number, cells in enumerate(group):
            above = _beside(cells, (cell for cell in above if cell.left))
            ends = number + 1 == len(group) or any(cell.text and not cell.left for cell in above)
            rows.append(_Row(above, shown=ends))
            size += sum(len(cell.text) + 1 for cell in above)
            if size > limits.max_chars:
                raise DocumentTooLarge(f"{filename} has a table of more than {limits.max_chars:,} characters.")
    if 0 < table.head_rows < min(len(rows), _MOST_HEADERS):
        return rows, table.head_rows
    return rows, _header_rows(rows)


def _beside(cells: Iterable[Cell], above: Iterable[_Placed]) -> list[_Placed]:
    placed = [_Placed(cell.text, cell.start, cell.end, cell.left - 1, cell.is_header) for cell in above]
    taken = iter(tuple(placed))
    following = next(taken, None)
    column = 0
    for cell in cells:
        while following and following.start <= column:
            column, following = max(column, following.end), next(taken, None)
        placed.append(_Placed(cell.text, column, column + cell.columns, cell.rows - 1, cell.is_header))
        column += cell.columns
    placed.sort(key=lambda cell: cell.start)
    for left, right in pairwise([cell for cell in placed if cell.text]):
        if left.text in _SIGNS_BEFORE and right.text[:1] in _BEGINS_NUMBER:
            left.text, right.text = "", left.text + right.text
        elif right.text in _SIGNS_AFTER and left.text[-1:] in _ENDS_NUMBER:
            left.text, right.text = left.text + right.text, ""
    return placed


def _header_rows(rows: list[_Row]) -> int:
    for count, row in enumerate(rows):
        shown = [cell for cell in row.cells if cell.text]
        spans = count == 0 or any(cell.end - cell.start > 1 for cell in rows[count - 1].cells)
        if not (shown and spans and all(cell.is_header for cell in shown)):
            return count
    return 0


def _plain_heads(rows: list[_Row], width: int) -> int:
    titles = count = sum(1 for _ in takewhile(bool, (_title(row, width) for row in rows)))
    for row in rows[titles:]:
        names = [cell.text for cell in row.cells if cell.text]
        above = rows[count - 1].cells if count > titles else ()
        goes_on = not above or any(cell.end - cell.start > 1 for cell in above)
        if len(names) < 2 or not goes_on or any(map(_FIGURE.fullmatch, names)):
            break
        count += 1
    figures = any(_FIGURE.fullmatch(cell.text) for row in rows[count:] for cell in row.cells[1:])
    return count if titles < count < min(len(rows), _MOST_HEADERS) and figures else 0


def _draw_together(header: list[_Placed], body: list[_Row]) -> None:
    """Merge the columns below one head into one if each row fills at most one of them, as details and their sums do."""
    heads = [head for head in header if head.end - head.start > 1]
    starts = [head.start for head in heads]
    below: list[list[_Placed]] = [[] for _ in heads]
    filled_twice: set[int] = set()
    for row in body:
        last = -1
        for cell in row.cells:
            at = bisect_right(starts, cell.start) - 1
            if at < 0 or not cell.text or cell.start >= heads[at].end:
                continue
            filled_twice |= {at} if at == last else set()
            below[at].append(cell)
            last = at
    for at, head in enumerate(heads):
        for cell in below[at] if at not in filled_twice else ():
            cell.start, cell.end = head.start, head.end


def _title(row: _Row, width: int) -> str:
    shown = [cell for cell in row.cells if cell.text]
    covers = len(shown) == 1 and shown[0].start == 0 and shown[0].end >= width > 1
    return shown[0].text if covers else ""


def _merged(rows: list[_Row]) -> list[_Placed]:
    if not rows:
        return []
    *upper, lowest = rows
    for row in reversed(upper):
        starts = [cell.start for cell in row.cells]
        for cell in lowest.cells:
            above = row.cells[bisect_right(starts, cell.start) - 1] if starts else cell
            if above.start <= cell.start < above.end and above.text != cell.text:
                cell.text = f"{above.text} {cell.text}".strip()
    return [cell for cell in lowest.cells if cell.text]


def _columns(rows: list[_Row], header: list[_Placed]) -> list[int]:
    """The places where columns begin: at cells of one column with text, and at wider cells with text that cover none of
    these.
    """
    cells = [*header, *(cell for row in rows for cell in row.cells)]
    used = sorted({cell.start for cell in cells if cell.text and cell.end - cell.start == 1})
    starts = set(used)
    for cell in cells:
        following = bisect_left(used, cell.start)
        if cell.text and not (following < len(used) and used[following] < cell.end):
            starts.add(cell.start)
    return sorted(starts)


def _line(cells: list[_Placed], columns: list[int]) -> list[str]:
    line = [""] * len(columns)
    for cell in cells:
        at = bisect_left(columns, cell.start)
        if cell.text and at < len(columns):
            line[at] = f"{line[at]} {cell.text}".strip()
    return line
