"""Excel workbooks (.xlsx): a section per visible sheet, with its tables and last calculated values."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain

import openpyxl
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet._read_only import ReadOnlyWorksheet

from citewell_documents.blocks import SheetPlace
from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentTooLarge
from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.office.packages import opened_package
from citewell_documents.parsing.office.parts import core_properties, no_text, unreadable_if_damaged
from citewell_documents.parsing.text_builder import DocumentBuilder
from citewell_documents.parsing.workbook.drawings import add_drawn, drawn_on, says
from citewell_documents.parsing.workbook.merged_cells import Merged, merged_cells
from citewell_documents.parsing.workbook.regions import Row, add_region
from citewell_documents.parsing.workbook.remarks import Remark, comments_of, hidden_rows, uncalculated
from citewell_documents.parsing.workbook.values import shown

_MAX_CELLS = 20_000_000


def parse_workbook(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a .xlsx: visible, non-empty sheets, each a section with its tables; no pages.

    Blank rows and columns separate tables; a lone cell above a table is its title. Formulas give their stored values.
    The value of a merged cell appears once in each of its rows. Comments, descriptions of pictures, text boxes,
    diagrams and charts follow the cells.

    Raises DocumentUnreadable, DocumentEncrypted, DocumentEmpty or DocumentTooLarge.
    """
    archive = opened_package(data, filename, limits)
    stream = archive.checked_stream()
    builder = DocumentBuilder(filename, limits)
    with unreadable_if_damaged(filename, "an Excel workbook", InvalidFileException), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of unknown styles and extensions
        workbook = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        visible = [sheet for sheet in workbook.worksheets if sheet.sheet_state == "visible"]
        for sheet in workbook.worksheets:
            if sheet not in visible:
                builder.note(f"hidden sheet {sheet.title} is left out")
        for sheet in visible:
            _add_sheet(sheet, archive, builder, {shown.title for shown in visible})
        parsed = builder.build(core_properties(archive, filename))
    if not parsed.text:
        raise no_text(filename)
    return parsed


def _add_sheet(sheet: ReadOnlyWorksheet, archive: Archive, builder: DocumentBuilder, visible: set[str]) -> None:
    sheet.reset_dimensions()  # the declared size is often far larger than the content
    part = str(getattr(sheet, "_worksheet_path", ""))  # openpyxl has no public name for it
    merged = merged_cells(archive, part)
    formulas = uncalculated(archive, part)
    if formulas:
        builder.note(
            f"formulas without a value in {sheet.title}: {len(formulas):,} (open it in Excel and save it again)"
        )
    if hidden := hidden_rows(archive, part):
        builder.note(f"hidden rows that are read in {sheet.title}: {hidden:,}")
    content: Iterable[Callable[[DocumentBuilder], None]] = chain(
        (partial(add_region, region) for region in _regions(_rows(sheet, merged, formulas, builder), builder)),
        (partial(_add_remark, remark) for remark in comments_of(archive, part, builder.filename)),
        (partial(add_drawn, drawn, visible) for drawn in filter(says, drawn_on(archive, part, builder.filename))),
    )
    for number, add in enumerate(content):
        if number == 0:
            builder.heading(sheet.title, (1,))
        add(builder)


def _add_remark(remark: Remark, builder: DocumentBuilder) -> None:
    builder.paragraph(remark.text, place=SheetPlace(remark.row, 1, (remark.column,)))


def _regions(rows: Iterable[Row], builder: DocumentBuilder) -> Iterator[list[Row]]:
    """Runs of rows without an empty one; a run longer than any document may be raises an error at once."""
    region: list[Row] = []
    length = 0
    for row in rows:
        if row:
            region.append(row)
            length += sum(len(cell or "") + 1 for cell in row.values())
            if length > builder.limits.max_chars:
                limit = builder.limits.max_chars
                raise DocumentTooLarge(
                    f"{builder.filename} has more than {limit:,} characters of text, which is the limit."
                )
        elif region:
            yield region
            region, length = [], 0
    if region:
        yield region


def _rows(
    sheet: ReadOnlyWorksheet, merged: Merged, formulas: Mapping[tuple[int, int], str], builder: DocumentBuilder
) -> Iterator[Row]:
    seen = 0
    for number, cells in enumerate(sheet.iter_rows(), 1):
        if not cells and number not in merged.columns:
            yield Row(number, {})
            continue
        seen += len(cells)
        if seen > _MAX_CELLS:
            raise DocumentTooLarge(f"{builder.filename} has more than {_MAX_CELLS:,} cells, which is the limit.")
        row = {
            column: text
            for column, cell in enumerate(cells, 1)
            if (text := formulas.get((number, column)) if cell.value is None else shown(cell.value, cell.number_format))
        }
        yield Row(number, merged.filled(number, row))
