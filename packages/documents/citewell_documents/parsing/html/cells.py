"""Cells of HTML tables, and the distinction of data tables from layout tables."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from citewell_documents.parsing.html.nodes import BLOCKS, HEADINGS, TEXT, is_seen, walk

_MOST_COLUMNS, _MOST_ROWS = 1_000, 65_534  # limits of the HTML standard
_NEXT_ROW = "\0"
_LONGEST_CELL, _LONGEST_UNNAMED_CELL = 5_000, 500


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's text, in one line, and the columns and rows that it spans."""

    text: str
    columns: int
    rows: int
    is_header: bool


@dataclass(slots=True)
class CellTable:
    """The rows of a table, in groups; no cell extends beyond its group. `head_rows` counts the rows of `<thead>`."""

    caption: str = ""
    groups: list[list[list[Cell]]] = field(default_factory=list[list[list[Cell]]])
    head_rows: int = 0


def cells_of(table: LexborNode) -> CellTable | None:
    if table.attributes.get("role") in ("presentation", "none"):
        return None
    read = CellTable()
    named = False
    for group, rows in _row_groups(table):
        if group == "caption":
            read.caption, named = _flat(rows[0], named=True) or "", True
            continue
        has_header = any(tag == "th" for row in rows[:1] for _, tag in _children(row))
        named = named or group == "thead" or has_header
        read.groups.append([])
        for row in rows:
            cells = _cells(row, named)
            if cells is None:
                return None
            read.groups[-1].append(cells)
        read.head_rows += len(read.groups[-1]) if group == "thead" else 0
    # Without names, two rows with several texts tell a table from a layout of the page.
    sizes = [sum(1 for cell in row if cell.text) for group in read.groups for row in group]
    return read if named or sum(1 for size in sizes if size > 1) > 1 else None


def _row_groups(table: LexborNode) -> Iterator[tuple[str, list[LexborNode]]]:
    """Yield the caption and the groups of rows; the parser puts rows without a group into one."""
    for node, tag in _children(table):
        if tag in ("thead", "tbody", "tfoot", "caption"):
            yield tag, [node] if tag == "caption" else [row for row, name in _children(node) if name == "tr"]


def _children(node: LexborNode) -> Iterator[tuple[LexborNode, str]]:
    for child in node.iter():
        if is_seen(child, tag := child.tag or ""):
            yield child, tag


def _cells(row: LexborNode, named: bool) -> list[Cell] | None:
    cells: list[Cell] = []
    for node, tag in _children(row):
        if tag in ("td", "th"):
            text = _flat(node, named or bool(cells and cells[0].is_header) or tag == "th")
            if text is None:
                return None
            columns, rows = _span(node, "colspan", _MOST_COLUMNS), _span(node, "rowspan", _MOST_ROWS)
            cells.append(Cell(text, columns, rows, tag == "th"))
    return cells


def _span(node: LexborNode, name: str, most: int) -> int:
    value = (node.attributes.get(name) or "").strip()
    if not value.isascii() or not value.isdigit() or len(value) > 6:
        return 1
    return min(int(value) or most, most)


class _Flat:
    """Collects the text of a cell; it stops when the cell holds more than a data cell would."""

    def __init__(self, named: bool) -> None:
        self.parts: list[str] = []
        self.broken = False
        self._named = named
        self._left = _LONGEST_CELL if named else _LONGEST_UNNAMED_CELL

    def enter(self, node: LexborNode, tag: str) -> bool:
        if self.broken or not is_seen(node, tag):
            return False
        if tag == TEXT:
            text = " ".join(f"|{node.text_content or ''}|".split())[1:-1]
            self.parts.append(text)
            self._left -= len(text)
            self.broken = self._left < 0
        elif tag in HEADINGS or (tag == "table" and not self._named):
            self.broken = True
        elif tag in ("li", "br") or tag in BLOCKS:
            self.parts.append(" - " if tag == "li" else " ")
        return True

    def leave(self, node: LexborNode, tag: str) -> None:
        if tag == "tr":
            self.parts.append(_NEXT_ROW)
        elif tag in BLOCKS or tag in ("td", "th"):
            self.parts.append(" ")


def _flat(cell: LexborNode, named: bool) -> str | None:
    """The text of a cell in one line; None if the cell holds headings, a nested table or whole pages."""
    collected = _Flat(named)
    walk(cell, collected.enter, collected.leave)
    if collected.broken:
        return None
    rows = (" ".join(row.split()) for row in "".join(collected.parts).split(_NEXT_ROW))
    return "; ".join(row for row in rows if row) or alternative(cell)


def alternative(node: LexborNode) -> str:
    return " ".join(" ".join(filter(None, (image.attributes.get("alt") for image in node.css("img")))).split())
