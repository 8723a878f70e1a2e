"""Which cells of a workbook a reader does not see: hidden rows and columns, struck and white text."""

import re
from dataclasses import dataclass
from typing import Any

from openpyxl import Workbook
from openpyxl.cell.read_only import ReadOnlyCell

from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.hidden import Reason, is_like_paper

_HIDDEN = re.compile(rb"<(?:\w+:)?(row|col)\b([^>]*\bhidden=\"(?:1|true)\"[^>]*)>")
_NUMBER = re.compile(rb"\b(r|min|max)=\"(\d+)\"")
_GROUNDS = (b"<tablePart", b"<conditionalFormatting")
_MOST_COLUMNS = 16_384


@dataclass(frozen=True, slots=True)
class Lines:
    """The numbers of the hidden rows and columns of a sheet; whether tables or rules colour its cells."""

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
    """Says why the text of a cell is not seen, by the styles of its workbook."""

    def __init__(self, workbook: Workbook) -> None:
        self._workbook: Any = workbook  # styles of a streamed workbook have no public names
        self._known: dict[int, Reason | None] = {}

    def reason(self, row: int, column: int, cell: object, lines: Lines) -> Reason | None:
        is_hidden = row in lines.rows or column in lines.columns
        return self._by_style(cell, lines) or ("hidden" if is_hidden else None)

    def _by_style(self, cell: object, lines: Lines) -> Reason | None:
        if not isinstance(cell, ReadOnlyCell):
            return None
        style: int = cell._style_id
        if style not in self._known:
            self._known[style] = self._of(style)
        reason = self._known[style]
        return None if reason == "unseen" and lines.has_grounds else reason

    def _of(self, style: int) -> Reason | None:
        book = self._workbook
        font, fill = book._fonts[book._cell_styles[style].fontId], book._fills[book._cell_styles[style].fillId]
        if font.strike:
            return "struck"
        colour = font.color.rgb if font.color is not None and font.color.type == "rgb" else ""
        is_filled = getattr(fill, "fill_type", "gradient") is not None
        return "unseen" if not is_filled and isinstance(colour, str) and is_like_paper(colour[-6:]) else None
