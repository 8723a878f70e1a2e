"""Opens a workbook with openpyxl, but only what its text is made of.

openpyxl makes an object of everything in a workbook, and refuses the workbook if something is not as it expects: a date
in the properties, the border of a style, a setting for printers. Other programs write such workbooks, and Excel opens
them.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from lxml import etree
from openpyxl import Workbook
from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.chartsheet.chartsheet import Chartsheet
from openpyxl.packaging.relationship import Relationship
from openpyxl.reader.excel import ExcelReader
from openpyxl.styles.stylesheet import apply_stylesheet
from openpyxl.worksheet._read_only import ReadOnlyWorksheet
from openpyxl.worksheet._reader import ROW_TAG, WorkSheetParser
from openpyxl.xml.functions import iterparse

from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.office.parts import Element, xml_part

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_STYLES = frozenset(f"{_MAIN}{name}" for name in ("numFmts", "fonts", "fills", "cellXfs"))
_LOOKS = frozenset(f"{_MAIN}{name}" for name in ("color", "sz", "strike"))
_FORM = frozenset(("numFmtId", "fontId", "fillId"))
_COLOUR = re.compile(r"(?:[0-9A-Fa-f]{2}){3,4}")
Cells = Mapping[int, ReadOnlyCell]


def opened_workbook(archive: Archive, filename: str) -> Workbook:
    """Open a workbook for streaming. Raises DocumentUnreadable, and the errors of openpyxl."""
    reader = _Reader(archive, filename)
    reader.read()
    return reader.wb


def streamed(sheet: ReadOnlyWorksheet) -> Iterator[tuple[int, Cells]]:
    """Yield the rows of a sheet with their numbers, and with the looks of characters, which openpyxl's own stream
    leaves out.
    """
    book: Any = sheet.parent  # the parts that a streamed workbook is read with have no public names
    own: Any = sheet
    with book._archive.open(own._worksheet_path) as source:
        parser = WorkSheetParser(
            source,
            own._shared_strings,
            data_only=True,
            epoch=book.epoch,
            date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
            rich_text=True,
        )
        for _, element in iterparse(source):
            if element.tag == ROW_TAG:
                number, cells = parser.parse_row(element)
                element.clear()
                yield number, {cell["column"]: ReadOnlyCell(sheet, **cell) for cell in cells}


class _Reader(ExcelReader):
    def __init__(self, archive: Archive, filename: str) -> None:
        super().__init__(archive.checked_stream(), read_only=True, data_only=True, keep_links=False, rich_text=True)
        self._styles = _Stylesheet(archive, filename)

    def read(self) -> None:
        self.read_manifest()
        self.read_strings()
        self.read_workbook()
        part: Any = self._styles  # all that is used of an archive is how to read a part
        apply_stylesheet(part, self.wb)
        book: Any = self.wb  # the styles of a workbook have no public names
        for name in ("_cell_styles", "_fonts", "_fills"):
            setattr(book, name, _OrFirst(getattr(book, name)))
        self.read_worksheets()

    def read_chartsheet(self, sheet: Chartsheet, rel: Relationship) -> None:
        """Do nothing, because charts are read from the package."""


class _OrFirst(list[Any]):
    """The first item stands for a missing one: cells name styles that their workbook does not have."""

    def __getitem__(self, at: Any) -> Any:
        return super().__getitem__(at if isinstance(at, int) and at < len(self) else 0)


class _Stylesheet:
    """The styles of a workbook as far as they decide how a cell shows its value."""

    def __init__(self, archive: Archive, filename: str) -> None:
        self._archive, self._filename = archive, filename

    def read(self, name: str) -> bytes:
        """The part of this name. Raises DocumentUnreadable, or KeyError if there is none."""
        if name not in self._archive:
            raise KeyError(name)
        root = xml_part(self._archive, name, self._filename)
        _keep(_STYLES, root)
        _keep(_LOOKS, *root.iterfind(f"{_MAIN}fonts/{_MAIN}font"))
        for form in root.iterfind(f"{_MAIN}cellXfs/{_MAIN}xf"):
            _keep((), form)
            for attribute in set(form.attrib) - _FORM:
                del form.attrib[attribute]
        for fill in root.iterfind(f"{_MAIN}fills/{_MAIN}fill"):
            if not len(fill):
                etree.SubElement(fill, f"{_MAIN}patternFill")
        for colour in root.iter(etree.Element):
            if not _COLOUR.fullmatch(colour.get("rgb", "000000")):
                del colour.attrib["rgb"]
        return etree.tostring(root)


def _keep(tags: Collection[str], *parents: Element) -> None:
    """Remove all children of the elements that do not have one of these tags."""
    for parent in parents:
        for child in [child for child in parent if child.tag not in tags]:
            parent.remove(child)
