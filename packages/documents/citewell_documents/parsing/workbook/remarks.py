"""What a sheet has beside its values: comments, formulas that nothing was calculated for, and hidden rows."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from xml.sax.saxutils import unescape

from openpyxl.utils.cell import column_index_from_string, coordinate_from_string
from openpyxl.utils.exceptions import CellCoordinatesException

from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.office.parts import xml_part
from citewell_documents.parsing.office.remarks import comment
from citewell_documents.parsing.workbook.links import linked, roots

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_THREADED = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"
_PERSONS = "xl/persons/person.xml"
_MOST_BYTES = 50_000_000  # of a sheet that is looked through
_CELL = re.compile(
    rb'<c\b[^>]{0,200}?\br="([A-Z]{1,3}\d{1,7})"[^>]{0,200}>\s*<f\b[^>]{0,500}(?:/>|>([^<]{0,8192})</f>)\s*'
    rb"(?:<v\s*/>|<v>\s*</v>)?\s*</c>"
)


class Remark(NamedTuple):
    """A comment on a cell, whose row and column count from 1."""

    row: int
    column: int
    text: str


def comments_of(archive: Archive, sheet: str, filename: str) -> list[Remark]:
    """The comments on a sheet by their cells; an answered one is a conversation of today's Excel."""
    threads = dict(_threaded(archive, sheet, filename))
    remarks = [*threads.values(), *(remark for cell, remark in _notes(archive, sheet, filename) if cell not in threads)]
    return sorted(remarks)


def uncalculated(archive: Archive, sheet: str) -> Mapping[tuple[int, int], str]:
    """The formulas that have no stored value, by row and column."""
    name = sheet.lstrip("/")
    content = archive.read(name) if name in archive and archive.size(name) <= _MOST_BYTES else b""
    cells = _CELL.finditer(content) if b"<f" in content else ()
    return {
        place: f"={unescape(match[2].decode(errors='replace')) if match[2] else '…'}"
        for match in cells
        if (place := _place(match[1].decode())) is not None
    }


def _notes(archive: Archive, sheet: str, filename: str) -> Iterator[tuple[str, Remark]]:
    for part in linked(archive, sheet, filename, "/comments").values():
        for root in roots(archive, part, filename):
            authors = [author.text or "" for author in root.iter(f"{_MAIN}author")]
            for note in root.iter(f"{_MAIN}comment"):
                at, cell = note.get("authorId", ""), note.get("ref", "")
                author = authors[int(at)] if at.isdecimal() and int(at) < len(authors) else ""
                text = "".join(run.text or "" for run in note.iter(f"{_MAIN}t"))
                # Excel writes the author into the note, too.
                said = comment(text.removeprefix(f"{author}:").strip(), author)
                if said and (place := _place(cell)):
                    yield cell, Remark(*place, f"{cell}: {said}")


def _threaded(archive: Archive, sheet: str, filename: str) -> Iterator[tuple[str, Remark]]:
    for part in linked(archive, sheet, filename, "/threadedComment").values():
        people = xml_part(archive, _PERSONS, filename).iter(f"{_THREADED}person") if _PERSONS in archive else ()
        persons = {person.get("id", ""): person.get("displayName", "") for person in people}
        said: dict[str, list[str]] = {}
        for root in roots(archive, part, filename):
            for note in root.iter(f"{_THREADED}threadedComment"):
                text = comment(note.findtext(f"{_THREADED}text") or "", persons.get(note.get("personId", ""), ""))
                said.setdefault(note.get("ref", ""), []).append(text)
        for cell, texts in said.items():
            if place := _place(cell):
                yield cell, Remark(*place, f"{cell}: {'; '.join(filter(None, texts))}")


def _place(cell: str) -> tuple[int, int] | None:
    try:
        column, row = coordinate_from_string(cell)
        return row, column_index_from_string(column)
    except (CellCoordinatesException, ValueError):
        return None
