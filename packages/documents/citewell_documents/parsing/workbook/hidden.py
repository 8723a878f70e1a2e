"""Finds the cells of a workbook that a reader does not see: cells in hidden rows or columns, struck cells, and cells in
the colour of their background.
"""

import re
from dataclasses import dataclass
from typing import Any

from openpyxl import Workbook
from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.utils.cell import range_boundaries

from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.hidden import PAPER, HiddenWords, Reason, are_alike
from citewell_documents.parsing.workbook.colours import Palette
from citewell_documents.parsing.workbook.links import linked, roots
from citewell_documents.parsing.workbook.number_formats import printed_colour, prints_nothing

_HIDDEN = re.compile(
    rb"<(?:\w+:)?(row|col)\b"
    rb"([^>]*\b(?:hidden=\"(?:1|true)\"|ht=\"[01]?(?:\.\d*)?\"|width=\"0?(?:\.0\d*)?\")[^>]*)>"
)
_NUMBER = re.compile(rb"\b(r|min|max)=\"(\d+)\"")
_COLOURED = re.compile(rb"\bsqref(?:=[\"']|>)([^\"'<]+)")  # where a rule for the looks of cells holds
_MOST_COLUMNS, _MOST_ROWS, _MOST_RANGES = 16_384, 1_048_576, 2_000
_SMALLEST = 2.0  # points


@dataclass(frozen=True, slots=True)
class Lines:
    """The numbers of the hidden rows and columns of a sheet, and the ranges that tables or rules colour."""

    rows: frozenset[int] = frozenset()
    columns: frozenset[int] = frozenset()
    coloured: tuple[tuple[int, int, int, int], ...] = ()

    def colour(self, cell: ReadOnlyCell) -> bool:
        """True if a table or a rule may give the cell a ground."""
        return any(
            left <= cell.column <= right and top <= cell.row <= bottom for left, top, right, bottom in self.coloured
        )


def hidden_lines(archive: Archive, part: str, filename: str) -> Lines:
    part = part.lstrip("/")
    if part not in archive:
        return Lines()
    rows: set[int] = set()
    columns: set[int] = set()
    content = archive.read(part)
    for kind, attributes in _HIDDEN.findall(content):
        numbers = {name: int(number) for name, number in _NUMBER.findall(attributes)}
        if kind == b"row":
            rows.add(numbers.get(b"r", 0))
        else:
            first = numbers.get(b"min", 0)
            columns.update(range(first, min(numbers.get(b"max", first), _MOST_COLUMNS) + 1))
    tables = linked(archive, part, filename, "/table").values()
    coloured = [root.get("ref", "") for table in tables for root in roots(archive, table, filename)]
    coloured += b" ".join(_COLOURED.findall(content)).decode(errors="replace").split()
    # A sheet of more ranges counts as coloured everywhere: each of its white cells would be looked up in them.
    coloured = coloured if len(coloured) <= _MOST_RANGES else [""]
    return Lines(frozenset(rows), frozenset(columns), tuple(map(_range, coloured)))


def _range(reference: str) -> tuple[int, int, int, int]:
    """The first and last column and row of `A1:B2`; those of all cells where it cannot be read."""
    try:
        left, top, right, bottom = range_boundaries(reference)
    except ValueError:
        left = top = right = bottom = None
    return left or 1, top or 1, right or _MOST_COLUMNS, bottom or _MOST_ROWS


class Unseen:
    """Decides by the styles of a workbook whether, and why, the text of a cell is not seen."""

    def __init__(self, workbook: Workbook, palette: Palette) -> None:
        self.palette = palette
        self._workbook: Any = workbook  # styles of a streamed workbook have no public names
        self._known: dict[tuple[int, str], Reason | None] = {}

    def reason(self, row: int, column: int, cell: ReadOnlyCell, lines: Lines) -> Reason | None:
        is_hidden = row in lines.rows or column in lines.columns
        is_hidden = is_hidden or prints_nothing(cell.value, cell.number_format)
        return self._by_style(cell, lines) or ("hidden" if is_hidden else None)

    def without(self, cell: ReadOnlyCell, text: str, lines: Lines, hidden: HiddenWords) -> str:
        """The text of a cell without the characters that are not seen; single characters of a cell may be struck."""
        if not isinstance(value := cell.value, CellRichText):
            return text
        ground = None if lines.colour(cell) else self._ground(self._workbook._fills[self._looks(cell).fillId])
        parts: list[str] = []
        for part in value:
            reason = self._look(part.font, ground) if isinstance(part, TextBlock) else None
            hidden.add(str(part), reason)
            parts += [] if reason else [str(part)]
        return "".join(parts).strip()

    def _by_style(self, cell: ReadOnlyCell, lines: Lines) -> Reason | None:
        printed = printed_colour(cell.value, cell.number_format)
        style: tuple[int, str] = cell._style_id, printed
        if style not in self._known:
            book, look = self._workbook, self._looks(cell)
            ground = self._ground(book._fills[look.fillId])
            self._known[style] = self._look(book._fonts[look.fontId], ground, self.palette.printed(printed))
        reason = self._known[style]
        return None if reason == "unseen" and lines.colour(cell) else reason

    def _looks(self, cell: ReadOnlyCell) -> Any:
        return self._workbook._cell_styles[cell._style_id]

    def _look(self, font: Any, ground: str | None, printed: str | None = None) -> Reason | None:
        if font.strike:
            return "struck"
        if (font.sz or _SMALLEST) < _SMALLEST:
            return "small"
        ink = printed or self.palette.hexadecimal(font.color)
        return "unseen" if ink and ground and are_alike(ink, ground) else None

    def _ground(self, fill: Any) -> str | None:
        """The colour of a cell's fill; None for gradients and patterns."""
        match getattr(fill, "fill_type", "gradient"):
            case None | "none":
                return PAPER
            case "solid":
                return self.palette.hexadecimal(fill.fgColor)
            case _:
                return None
