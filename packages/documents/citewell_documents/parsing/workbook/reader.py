"""Excel workbooks (.xlsx): a section for each visible sheet, with its tables and last calculated values."""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, islice

from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet._read_only import ReadOnlyWorksheet

from citewell_documents.blocks import SheetPlace
from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentTooLarge
from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.hidden import Reason
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.office.packages import note_inserted, opened_package
from citewell_documents.parsing.office.parts import core_properties, no_text, unreadable_if_damaged
from citewell_documents.parsing.text_builder import DocumentBuilder
from citewell_documents.parsing.workbook.colours import Palette
from citewell_documents.parsing.workbook.drawings import add_drawn, drawn_on, says
from citewell_documents.parsing.workbook.hidden import Unseen, hidden_lines
from citewell_documents.parsing.workbook.merged_cells import Merged, merged_cells
from citewell_documents.parsing.workbook.opening import Cells, opened_workbook, streamed
from citewell_documents.parsing.workbook.regions import Row, add_region
from citewell_documents.parsing.workbook.remarks import Remark, comments_of, uncalculated
from citewell_documents.parsing.workbook.values import shown

_CHART_SHEET = re.compile(r"xl/chartsheets/[^/]+\.xml")
_MAX_CELLS = 20_000_000
_LAST_ROW = 1_048_576  # the last row that Excel allows
_MAX_HIDDEN_ROWS = 10_000  # the most rows that are counted in a hidden sheet


def parse_workbook(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a .xlsx: visible, non-empty sheets, each a section with its tables; no pages.

    Blank rows and columns separate tables; a lone cell above a table is its title. Formulas give their stored values.
    The value of a merged cell appears once in each of its rows. Comments, descriptions of pictures, text boxes,
    diagrams and charts follow the cells. Hidden sheets, rows and columns, struck cells and white ones are left out, and
    `found` says so.

    Raises DocumentUnreadable, DocumentEncrypted, DocumentEmpty or DocumentTooLarge.
    """
    archive = opened_package(data, filename, limits)
    builder = DocumentBuilder(filename, limits)
    with unreadable_if_damaged(filename, "an Excel workbook", InvalidFileException), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of unknown styles and extensions
        workbook = opened_workbook(archive, filename)
        visible = [sheet for sheet in workbook.worksheets if sheet.sheet_state == "visible"]
        titles = {sheet.title for sheet in visible}
        unseen = Unseen(workbook, Palette(archive, filename))
        for sheet in visible:
            _add_sheet(sheet, archive, builder, titles, unseen)
        for part in filter(_CHART_SHEET.fullmatch, archive.names):
            for drawn in filter(says, drawn_on(archive, part, filename, unseen.palette.drawn, builder.hidden)):
                add_drawn(drawn, titles, builder)
        for sheet in workbook.worksheets:
            if sheet.sheet_state != "visible":
                for number, cells in islice(streamed(sheet), _MAX_HIDDEN_ROWS):
                    for text in _texts(number, cells, {}).values():
                        builder.hidden.add(text, "hidden")
        note_inserted(archive, builder)
        return builder.build_with_text(core_properties(archive, filename), no_text(filename))


def _add_sheet(
    sheet: ReadOnlyWorksheet, archive: Archive, builder: DocumentBuilder, visible: set[str], unseen: Unseen
) -> None:
    part = str(getattr(sheet, "_worksheet_path", ""))  # openpyxl has no public name for it
    merged, lines = merged_cells(archive, part), hidden_lines(archive, part, builder.filename)
    merged.hide(lines.rows, lines.columns)
    formulas = uncalculated(archive, part)
    if formulas:
        builder.note(
            f"formulas without a value in {sheet.title}: {len(formulas):,} (open it in Excel and save it again)"
        )

    def seen(row: int, texts: Mapping[int, str], cells: Cells) -> dict[int, str] | None:
        reasons: dict[int, Reason | None] = {
            column: unseen.reason(row, column, cells[column], lines) for column in texts
        }
        for column, reason in reasons.items():
            if reason != "hidden" or not merged.keeps((row, column), texts[column]):
                builder.hidden.add(texts[column], reason)
        shown = {
            column: unseen.without(cells[column], text, lines, builder.hidden)
            for column, text in texts.items()
            if reasons[column] is None
        }
        return None if row in lines.rows else shown

    content: Iterable[Callable[[DocumentBuilder], None]] = chain(
        (partial(add_region, region) for region in _regions(_rows(sheet, merged, formulas, builder, seen), builder)),
        (
            partial(_add_remark, remark, is_hidden=remark.row in lines.rows or remark.column in lines.columns)
            for remark in comments_of(archive, part, builder.filename)
        ),
        (
            partial(add_drawn, drawn, visible)
            for drawn in filter(says, drawn_on(archive, part, builder.filename, unseen.palette.drawn, builder.hidden))
        ),
    )
    for number, add in enumerate(content):
        if number == 0:
            builder.heading(sheet.title, (1,))
        add(builder)


def _add_remark(remark: Remark, builder: DocumentBuilder, *, is_hidden: bool) -> None:
    if is_hidden:
        builder.hidden.add(remark.text, "hidden")
    else:
        builder.paragraph(remark.text, place=SheetPlace(remark.row, 1, (remark.column,)))


def _regions(rows: Iterable[Row], builder: DocumentBuilder) -> Iterator[list[Row]]:
    """Yield runs of rows without an empty row between them. A run that is longer than a document may be raises an error
    at once.
    """
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


_Seen = Callable[[int, Mapping[int, str], Cells], dict[int, str] | None]
_Formulas = Mapping[tuple[int, int], str]


def _rows(
    sheet: ReadOnlyWorksheet, merged: Merged, formulas: _Formulas, builder: DocumentBuilder, seen: _Seen
) -> Iterator[Row]:
    """Yield the rows with the seen text of their cells; a hidden row is left out, so that it does not divide its
    table.
    """
    count, expected = 0, 1
    for number, cells in streamed(sheet):
        if not expected <= number <= _LAST_ROW:
            continue
        for missing in range(expected, number):
            yield Row(missing, merged.filled(missing, {}) if missing in merged.columns else {})
        expected = number + 1
        count += len(cells)
        if count > _MAX_CELLS:
            raise DocumentTooLarge(f"{builder.filename} has more than {_MAX_CELLS:,} cells, which is the limit.")
        if (row := seen(number, _texts(number, cells, formulas), cells)) is not None:
            yield Row(number, merged.filled(number, row))


def _texts(number: int, cells: Cells, formulas: _Formulas) -> dict[int, str]:
    """The texts that the cells of a row show, by column; a formula without a value shows the formula."""
    return {
        column: text
        for column, cell in cells.items()
        if (text := formulas.get((number, column)) if cell.value is None else shown(cell.value, cell.number_format))
    }
