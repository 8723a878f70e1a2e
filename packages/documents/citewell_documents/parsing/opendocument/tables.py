"""The rows of tables in OpenDocument texts."""

from collections.abc import Callable, Iterator

from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.opendocument.styles import integer, odf
from citewell_documents.parsing.tables import Cell

_ROW, _HEADER_ROWS = odf("table:table-row"), odf("table:table-header-rows")
_GROUPS = (_HEADER_ROWS, odf("table:table-rows"), odf("table:table-row-group"))
_CELL, _COVERED = odf("table:table-cell"), odf("table:covered-table-cell")
_MAX_REPEATED = 200


def table_rows(table: Element, cell_text: Callable[[Element], str]) -> list[list[Cell]]:
    """The texts of a `table:table`: a cell over columns covers others (None), one over rows is repeated in each."""
    rows: list[list[Cell]] = []
    for row in row_elements(table):
        cells = _cells(row, cell_text, rows[-1] if rows else [])
        rows += [cells] * _repeated(row, "table:number-rows-repeated")
    return rows


def marks_header(table: Element) -> bool:
    return any(group.find(_ROW) is not None for group in table.findall(_HEADER_ROWS))


def row_elements(parent: Element) -> Iterator[Element]:
    for child in parent:
        if child.tag == _ROW:
            yield child
        elif child.tag in _GROUPS:
            yield from row_elements(child)


def _cells(row: Element, cell_text: Callable[[Element], str], above: list[Cell]) -> list[Cell]:
    cells: list[Cell] = []
    beside = 0  # how many of the next cells the one to the left covers
    for cell in row.iterchildren(_CELL, _COVERED):
        for _ in range(_repeated(cell, "table:number-columns-repeated")):
            if cell.tag == _CELL:
                cells.append(cell_text(cell))
                beside = integer(cell.get(odf("table:number-columns-spanned")), 1) - 1
            elif beside > 0:
                cells.append(None)
                beside -= 1
            else:
                cells.append(above[len(cells)] if len(cells) < len(above) else "")
    return cells


def _repeated(element: Element, name: str) -> int:
    return min(integer(element.get(odf(name)), 1), _MAX_REPEATED)
