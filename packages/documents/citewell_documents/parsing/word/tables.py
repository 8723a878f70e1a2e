"""The rows of tables in Word documents."""

from collections.abc import Callable, Iterator

from docx.oxml.ns import qn

from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.tables import Cell
from citewell_documents.parsing.word.styles import value
from citewell_documents.parsing.word.text import is_on

_WRAPPERS = tuple(map(qn, ("w:sdt", "w:sdtContent", "w:ins", "w:moveTo", "w:customXml", "w:smartTag")))
_MAX_SPAN = 200


def table_rows(table: Element, cell_text: Callable[[Element], str]) -> list[list[Cell]]:
    """The texts of a `w:tbl`. A cell over several columns covers others (None), one over several rows is repeated."""
    above: dict[int, Cell] = {}
    rows: list[list[Cell]] = []
    for row in children(table, qn("w:tr")):
        properties = row.find(qn("w:trPr"))
        if properties is None or properties.find(qn("w:del")) is None:
            cells = _cells(row, cell_text, above)
            above = dict(enumerate(cells))
            rows.append(cells)
    return rows


def marks_header(table: Element) -> bool:
    row = next(children(table, qn("w:tr")), None)
    return row is not None and is_on(row.find(qn("w:trPr")), "w:tblHeader")


def children(parent: Element, *tags: str) -> Iterator[Element]:
    for child in parent:
        if child.tag in tags:
            yield child
        elif child.tag in _WRAPPERS:
            yield from children(child, *tags)


def is_layout(table: Element) -> bool:
    """True if the table only arranges its content: one cell, or one row of cells with nested tables."""
    rows = list(children(table, qn("w:tr")))
    if len(rows) != 1:
        return False
    cells = list(children(rows[0], qn("w:tc")))
    return len(cells) == 1 or any(next(children(cell, qn("w:tbl")), None) is not None for cell in cells)


def _cells(row: Element, cell_text: Callable[[Element], str], above: dict[int, Cell]) -> list[Cell]:
    cells: list[Cell] = [""] * _span(row.find(qn("w:trPr")), "w:gridBefore", 0)
    for cell in children(row, qn("w:tc")):
        properties = cell.find(qn("w:tcPr"))
        merge = None if properties is None else properties.find(qn("w:vMerge"))
        continues = merge is not None and merge.get(qn("w:val")) != "restart"
        text = above.get(len(cells), "") if continues else cell_text(cell)
        cells += [text, *[None] * (_span(properties, "w:gridSpan", 1) - 1)]
    return cells


def _span(properties: Element | None, tag: str, default: int) -> int:
    text = None if properties is None else value(properties, tag)
    return min(int(text), _MAX_SPAN) if text and text.isdecimal() else default
