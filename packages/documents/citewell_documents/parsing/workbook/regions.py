"""Finds the tables among the cells of a sheet."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from citewell_documents.blocks import SheetPlace
from citewell_documents.parsing.tables import Cell, has_header, is_value, with_one_header
from citewell_documents.parsing.text_builder import DocumentBuilder

_MIN_NOTE = 30


class Row(dict[int, Cell]):
    """The cells of row `number` by column. Blank cells are missing; None is a cell that the cell to its left covers."""

    def __init__(self, number: int, cells: Mapping[int, Cell]) -> None:
        super().__init__(cells)
        self.number = number


def add_region(rows: Sequence[Row], builder: DocumentBuilder) -> None:
    for part in _apart(rows):
        columns = _columns_beside(part)
        if len(columns) > 1:
            for span in columns:
                for below in _connected([_cut(row, span) for row in part]):
                    add_region(below, builder)
        else:
            _add_table(part, builder)


def _connected(rows: Sequence[Row]) -> Iterator[list[Row]]:
    run: list[Row] = []
    for row in rows:
        if row:
            run.append(row)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _apart(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Divide the rows wherever several cells are followed by several others that lie wholly to one side of them."""
    run: list[Row] = [rows[0]]
    for above, below in pairwise(rows):
        if min(len(above), len(below)) > 1 and (max(above) < min(below) or max(below) < min(above)):
            yield run
            run = []
        run.append(below)
    yield run


def _columns_beside(rows: Sequence[Row]) -> list[range]:
    """The columns of each table. There is more than one table only if all parts between blank columns are tables.

    Blank columns also serve as margins inside tables, so each part must have column names, and begin with words or
    occupy other rows than its neighbour.
    """
    spans = _spans(rows)
    if len(spans) == 1 or any(len(span) < 2 for span in spans):
        return spans[:1]
    parts = [[_cut(row, span) for row in rows] for span in spans]
    blocks = [
        with_one_header([[row.get(column, "") for column in span] for row in part if row])
        for part, span in zip(parts, spans, strict=True)
    ]
    if not all(has_header(block) for block in blocks):
        return spans[:1]
    if not any(is_value(row[0]) for block in blocks for row in block[1:]):
        return spans
    filled = [[index for index, row in enumerate(part) if row] for part in parts]
    return spans if len({(indexes[0], indexes[-1]) for indexes in filled}) > 1 else spans[:1]


def _spans(rows: Sequence[Row]) -> list[range]:
    used = sorted({column for row in rows if _filled(row) > 1 or len(rows) == 1 for column in row})
    spans: list[range] = []
    for column in used or sorted({column for row in rows for column in row}):
        if spans and column == spans[-1].stop:
            spans[-1] = range(spans[-1].start, column + 1)
        else:
            spans.append(range(column, column + 1))
    return spans


def _cut(row: Row, span: range) -> Row:
    return Row(row.number, {column: cell for column, cell in row.items() if column in span})


def _filled(row: Row) -> int:
    return sum(1 for cell in row.values() if cell)


def _add_table(rows: Sequence[Row], builder: DocumentBuilder) -> None:
    first, last = _body(rows)
    for title in rows[:first]:
        builder.paragraph(_words(title), place=_place([title]))
    if body := rows[first:last]:
        columns = sorted({column for row in body for column in row})
        table = with_one_header([[row.get(column, "") for column in columns] for row in body])
        place = _place(body)._replace(first_rows=1 + len(body) - len(table))
        if len(columns) > 1 or has_header(table):
            builder.table(table, has_header=has_header(table), place=place)
        else:
            builder.paragraph("\n".join(row[0] for row in table), place=place)
    for note in rows[last:]:
        builder.paragraph(_words(note), place=_place([note]))


def _place(rows: Sequence[Row]) -> SheetPlace:
    return SheetPlace(rows[0].number, 1, tuple(sorted({column for row in rows for column in row})))


def _body(rows: Sequence[Row]) -> tuple[int, int]:
    """The end of the titles above a table and the start of the notes below it. Both are rows with one cell; notes are
    long.
    """
    first, last = 0, len(rows)
    if all(_filled(row) < 2 for row in rows):
        return first, last
    while _filled(rows[first]) < 2:
        first += 1
    while last > first and _filled(rows[last - 1]) == 1 and len(_words(rows[last - 1])) >= _MIN_NOTE:
        last -= 1
    return first, last


def _words(row: Row) -> str:
    return " ".join(filter(None, row.values()))
