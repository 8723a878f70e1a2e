"""The merged cells of a sheet, which openpyxl does not report while streaming."""

import codecs
import re
from dataclasses import dataclass, field

from openpyxl.utils.cell import coordinate_to_tuple

from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.tables import Cell

_MAX_COVERED = 1_000_000
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_MERGED = re.compile(rb"<(?:[\w.-]+:)?mergeCell\b[^>]{0,200}?\bref=[\"']([A-Z]{1,3}\d{1,7}):([A-Z]{1,3}\d{1,7})[\"']")
_Place = tuple[int, int]  # row and column, from 1


@dataclass(slots=True)
class Merged:
    """Maps covered cells to the merged cell that covers them. Rows must come in order: it remembers their values."""

    origins: dict[_Place, _Place] = field(default_factory=dict[_Place, _Place])
    columns: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    hidden_columns: frozenset[int] = frozenset()
    _values: dict[_Place, str] = field(default_factory=dict[_Place, str])
    _partly_seen: set[_Place] = field(default_factory=set[_Place])

    def cover(self, top: int, left: int, bottom: int, right: int) -> None:
        if len(self.origins) + (bottom - top + 1) * (right - left + 1) > _MAX_COVERED:
            return
        self._values[top, left] = ""
        for row in range(top, bottom + 1):
            columns = [column for column in range(left, right + 1) if (row, column) != (top, left)]
            self.columns.setdefault(row, []).extend(columns)
            self.origins.update(((row, column), (top, left)) for column in columns)

    def hide(self, rows: frozenset[int], columns: frozenset[int]) -> None:
        """A merged cell whose first row or column is hidden shows its value in the others."""
        self.hidden_columns = columns
        if rows or columns:
            seen = (place for place in self.origins if place[0] not in rows and place[1] not in columns)
            self._partly_seen = {self.origins[place] for place in seen}

    def keeps(self, place: _Place, text: str) -> bool:
        """Remember the value of a hidden cell if cells that it covers are seen."""
        if place in self._partly_seen:
            self._values[place] = text
        return place in self._partly_seen

    def filled(self, number: int, row: dict[int, str]) -> dict[int, Cell]:
        """Add covered cells to the row: the text of the merged cell in its first column seen, None in the others."""
        for column in row:
            if (number, column) in self._values:
                self._values[number, column] = row[column]
        filled: dict[int, Cell] = {**row}
        begun = {(number, column) for column in row}
        for column in self.columns.get(number, ()):
            origin = self.origins[number, column]
            if column not in self.hidden_columns and (text := self._values[origin]):
                filled[column] = None if origin in begun else text
                begun.add(origin)
        return dict(sorted(filled.items())) if number in self.columns else filled


def merged_cells(archive: Archive, part: str) -> Merged:
    merged = Merged()
    sheet = archive.read(part) if part in archive else b""
    if sheet.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        sheet = sheet.decode("utf-16", "ignore").encode()
    for first, last in _MERGED.findall(_COMMENT.sub(b"", sheet)):
        merged.cover(*coordinate_to_tuple(first.decode()), *coordinate_to_tuple(last.decode()))
    return merged
