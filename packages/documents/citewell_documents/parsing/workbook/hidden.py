"""Finds the cells of a workbook that a reader does not see: cells in hidden rows or columns, struck cells, and cells in
the colour of their background.
"""

import re
from dataclasses import dataclass
from typing import Any

from openpyxl import Workbook
from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.cell.rich_text import CellRichText, TextBlock

from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.hidden import HiddenWords, Reason, are_alike
from citewell_documents.parsing.workbook.colours import Palette
from citewell_documents.parsing.workbook.number_formats import prints_nothing

_HIDDEN = re.compile(
    rb"<(?:\w+:)?(row|col)\b"
    rb"([^>]*\b(?:hidden=\"(?:1|true)\"|ht=\"[01]?(?:\.\d*)?\"|width=\"0?(?:\.0\d*)?\")[^>]*)>"
)
_NUMBER = re.compile(rb"\b(r|min|max)=\"(\d+)\"")
_GROUNDS = (b"<tablePart", b"<conditionalFormatting")
_MOST_COLUMNS = 16_384
_SMALLEST = 2.0  # points
_PAPER = "ffffff"


@dataclass(frozen=True, slots=True)
class Lines:
    """The numbers of a sheet's hidden rows and columns, and whether tables or rules colour its cells."""

    rows: frozenset[int] = frozenset()
    columns: frozenset[int] = frozenset()
    has_grounds: bool = False


def hidden_lines(archive: Archive, part: str) -> Lines:
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
    return Lines(frozenset(rows), frozenset(columns), any(name in content for name in _GROUNDS))


class Unseen:
    """Decides by the styles of a workbook whether, and why, the text of a cell is not seen."""

    def __init__(self, workbook: Workbook, palette: Palette) -> None:
        self._palette = palette
        self._workbook: Any = workbook  # styles of a streamed workbook have no public names
        self._known: dict[int, Reason | None] = {}

    def reason(self, row: int, column: int, cell: ReadOnlyCell, lines: Lines) -> Reason | None:
        is_hidden = row in lines.rows or column in lines.columns
        is_hidden = is_hidden or prints_nothing(cell.value, cell.number_format)
        return self._by_style(cell, lines) or ("hidden" if is_hidden else None)

    def without(self, cell: ReadOnlyCell, text: str, lines: Lines, hidden: HiddenWords) -> str:
        """The text of a cell without the characters that are not seen; single characters of a cell may be struck."""
        if not isinstance(value := cell.value, CellRichText):
            return text
        ground = None if lines.has_grounds else self._ground(self._workbook._fills[self._looks(cell).fillId])
        parts: list[str] = []
        for part in value:
            reason = self._look(part.font, ground) if isinstance(part, TextBlock) else None
            hidden.add(str(part), reason)
            parts += [] if reason else [str(part)]
        return "".join(parts).strip()

    def _by_style(self, cell: ReadOnlyCell, lines: Lines) -> Reason | None:
        style: int = cell._style_id
        if style not in self._known:
            book, look = self._workbook, self._looks(cell)
            self._known[style] = self._look(book._fonts[look.fontId], self._ground(book._fills[look.fillId]))
        reason = self._known[style]
        return None if reason == "unseen" and lines.has_grounds else reason

    def _looks(self, cell: ReadOnlyCell) -> Any:
        return self._workbook._cell_styles[cell._style_id]

    def _look(self, font: Any, ground: str | None) -> Reason | None:
        if font.strike:
            return "struck"
        if (font.sz or _SMALLEST) < _SMALLEST:
            return "small"
        ink = self._palette.hexadecimal(font.color)
        return "unseen" if ink and ground and are_alike(ink, ground) else None

    def _ground(self, fill: Any) -> str | None:
        """The colour of a cell's fill; None for gradients and patterns."""
        match getattr(fill, "fill_type", "gradient"):
            case None | "none":
                return _PAPER
            case "solid":
                return self._palette.hexadecimal(fill.fgColor)
            case _:
                return None
