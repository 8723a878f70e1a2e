"""The tables of Excel workbooks (N3)."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook
from openpyxl.styles import Font

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEmpty, DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing import ParseLimits, parse
from citewell_documents.parsing.workbook.values import shown
from citewell_verify.errors import CitewellError
from document_material.office_files import (
    check_places,
    linked,
    outline,
    packed,
    replaced,
    tables,
    unpacked,
    with_part,
    workbook,
)
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=3, max_chars=5_000)
SHEET = "xl/worksheets/sheet1.xml"
Rows = Sequence[Sequence[object]]


def read(data: bytes) -> ParsedDocument:
    parsed = parse(data, "a.xlsx", LIMITS)
    check_places(parsed)
    assert parsed.pages == ()
    return parsed


def of(*rows: Sequence[object]) -> ParsedDocument:
    return read(workbook({"S": rows}))


def test_visible_sheets_with_content_are_sections() -> None:
    # N3
    def change(book: Workbook) -> None:
        book["Secret"].sheet_state = "hidden"
        book.properties.title, book.properties.creator = "Fees", "Ada"
        book.properties.modified = datetime(2026, 3, 31, tzinfo=UTC)

    sheets: dict[str, Rows] = {
        "2025": [["Fee", "Euro"], ["Late", 5]],
        "Empty": [],
        "Secret": [["x", "y"]],
        "요금": [["Free text."]],
    }
    parsed = read(workbook(sheets, change))
    assert parsed.text == "2025\n\nFee\tEuro\nLate\t5\n\n요금\n\nFree text."
    assert outline(parsed) == ["2025", "요금"]
    assert tables(parsed) == [("Fee\tEuro", "Late\t5")]
    assert {"title": "Fees", "author": "Ada"}.items() <= parsed.found.items()
    assert "date" in parsed.found


def test_titles_and_notes_are_paragraphs_around_their_table() -> None:
    parsed = of(
        ["Ducks per year"],
        ["in thousands"],
        ["Year", "Ducks"],
        [2024, 1],
        ["Total", 1],
        ["Source: our own counting at the lake in spring."],
    )
    assert parsed.text == (
        "S\n\nDucks per year\n\nin thousands\n\nYear\tDucks\n2024\t1\nTotal\t1\n\n"
        "Source: our own counting at the lake in spring."
    )


def test_blank_rows_and_columns_divide_tables() -> None:
    # N3
    parsed = of(
        ["a", "b", None, None, None],
        [1, 2, None, "c", "d"],
        [3, 4, None, 5, 6],
        [],
        ["e", "f"],
        [7, 8],
    )
    assert tables(parsed) == [("a\tb", "1\t2\n3\t4"), ("c\td", "5\t6"), ("e\tf", "7\t8")]


def test_a_blank_column_inside_a_table_is_a_margin() -> None:
    parsed = of(["", None, "2025", None, "2024"], ["Revenue", None, 10, None, 9], ["Costs", None, 4, None, 3])
    assert parsed.text == "S\n\n\t2025\t2024\nRevenue\t10\t9\nCosts\t4\t3"


def test_merged_cells_stand_once_in_each_row_and_two_rows_of_names_become_one() -> None:
    # N3
    def change(book: Workbook) -> None:
        for reference in ("A1:A2", "B1:C1", "A3:A4"):
            book["S"].merge_cells(reference)

    rows: Rows = [["Region", "2025", None], [None, "Q1", "Q2"], ["North", 1, 2], [None, 3, 4]]
    assert tables(read(workbook({"S": rows}, change))) == [("Region\t2025 Q1\t2025 Q2", "North\t1\t2\nNorth\t3\t4")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<mergeCells", '<!-- <mergeCell ref="B1:B3"/> --><mergeCells'),
        ("<mergeCell ", '<x-y:mergeCell xmlns:x-y="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '),
    ],
)
def test_merged_cells_are_those_that_a_sheet_declares(old: str, new: str) -> None:  # N3
    rows: Rows = [["Region", "Year"], ["North", 1], [None, 3]]
    data = workbook({"S": rows}, lambda book: book["S"].merge_cells("A2:A3"))
    assert tables(read(replaced(data, SHEET, old, new))) == [("Region\tYear", "North\t1\nNorth\t3")]


def test_without_names_above_it_a_table_has_no_header() -> None:
    assert tables(of([1, 2], [3, 4])) == [("", "1\t2\n3\t4")]
    assert tables(of(["Name:", "Ada"], ["Town:", "Graz"])) == [("", "Name:\tAda\nTown:\tGraz")]


def test_the_value_of_a_formula_is_the_one_that_was_stored() -> None:
    data = workbook({"S": [["Sum", "x"], ["=1+1", 7]]})
    assert read(replaced(data, SHEET, "<f>1+1</f><v></v>", "<f>1+1</f><v>2</v>")).text.endswith("Sum\tx\n2\t7")
    never_calculated = read(data)
    assert never_calculated.text.endswith("Sum\tx\n=1+1\t7")
    assert "formulas without a value in S: 1" in never_calculated.found["reading_notes"]
    compared = replaced(data, SHEET, "<f>1+1</f>", "<f>IF(A1&lt;2,1,0)</f>")
    assert read(compared).text.endswith("Sum\tx\n=IF(A1<2,1,0)\t7")


def test_a_file_that_claims_a_million_rows_is_read_by_what_it_holds() -> None:
    # A8
    data = workbook({"S": [["a", "b"], [1, 2]]})
    claimed = replaced(data, SHEET, 'ref="A1:B2"', 'ref="A1:XFD1048576"')
    far = replaced(claimed, SHEET, "</sheetData>", '<row r="1048576"><c r="A1048576"/></row></sheetData>')
    assert tables(read(far)) == [("a\tb", "1\t2")]


@for_all_rows(
    ("value", "number_format", "text"),
    [
        (0.25, "0%", "25%"),
        (0.12345, "0.0%", "12.3%"),
        (1234567, "#,##0", "1,234,567"),
        (1234567.5, "$#,##0.00", "$1,234,567.50"),
        (-4200.5, "#,##0.00;(#,##0.00)", "(4,200.50)"),
        (-4200.5, "#,##0.00_);[Red](#,##0.00)", "(4,200.50)"),
        (-1500000, "[$₩-412]#,##0", "-₩1,500,000"),
        (-20.5, "#,##0.00\\ €", "-20.50 €"),
        (-88.5, '_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', "$(88.50)"),
        (0, '_-* #,##0_-;\\-* #,##0_-;_-* "-"_-;_-@_-', "0"),  # a dash says less
        (5600000, "#,##0,", "5,600"),
        (5600000, '0.0,,"M"', "5.6M"),
        (5600000, '#,##0,"K"', "5,600,000"),  # K is kelvin to a reader of units
        (7, "00000", "00007"),
        (3, '0.0 "kg"', "3.0 kg"),
        (-0.4, "0", "0"),
        (2.5, "0", "3"),
        (12.346, "0.0#", "12.35"),
        (0.5, "# ?/?", "0.5"),
        (5551234, "000-0000", "5551234"),
        (1500, '[>=1000]0.0,"k";0', "1500"),
        (1.5, ";;;", "1.5"),
        (1, "0;" * 5000, "1"),
        (3.14159, "0.00", "3.14"),
        (1 / 3, "0." + "0" * 30 + "#" * 30, "0.3333333333"),
        (999_999_999_999_999.0, "0." + "0" * 30 + "#" * 30 + "%", "99999999999999900.0000000000%"),
        (0.5, "0" + "%" * 20, "0.5"),
        (3.14159, "General", "3.14159"),
        (0.1 + 0.2, "General", "0.3"),
        (5.0, "General", "5"),
        (1e20, "0.00E+00", "100000000000000000000"),
        (5, '0.00 "100%"', "5.00 100%"),
        (True, "General", "TRUE"),
        (date(2026, 3, 31), "yyyy", "2026-03-31"),
        (datetime(2026, 3, 31), "d.m.", "2026-03-31"),  # noqa: DTZ001 (cells have no time zone)
        (datetime(2026, 3, 31, 9, 29, 59, 999_999), "h:mm", "2026-03-31 09:30:00"),  # noqa: DTZ001
        (time(9, 30), "h:mm", "09:30:00"),
        (timedelta(hours=30, minutes=5), "[h]:mm", "30:05:00"),
        ("#DIV/0!", "General", "#DIV/0!"),
        (None, "General", ""),
    ],
)
def test_values_are_as_a_reader_sees_them(value: object, number_format: str, text: str) -> None:
    assert shown(value, number_format) == text


GOOD = workbook({"S": [["a", "b"]]})


@for_all_rows(
    ("data", "error", "message"),
    [
        (workbook({"S": []}), DocumentEmpty, "a.xlsx contains no text"),
        (with_part(GOOD, SHEET, b"<worksheet><sheetData><row>"), DocumentUnreadable, "as an Excel workbook"),
        (with_part(GOOD, "xl/workbook.xml", None), DocumentUnreadable, "as an Excel workbook"),
        (GOOD[:-200], DocumentUnreadable, "cannot be opened as a zip archive"),
        (workbook({"S": [["word " * 30]] * 50}), DocumentTooLarge, "more than 5,000 characters"),
    ],
)
def test_a_broken_empty_or_endless_file_is_explained(data: bytes, error: type[CitewellError], message: str) -> None:
    # A8
    with pytest.raises(error, match=re.escape(message)):
        read(data)


CELLS = st.one_of(st.none(), st.integers(0, 9), st.sampled_from(["a", "b", "Total", "x\ny", ""]))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(CELLS, max_size=6), max_size=8), st.booleans())
def test_no_value_is_lost_and_every_place_lies_in_the_text(rows: list[list[object]], has_merged: bool) -> None:
    # N3
    def change(book: Workbook) -> None:
        if has_merged:
            book["S"].merge_cells("B2:C4")

    written = workbook({"S": rows}, change)
    kept = [str(cell) for number, row in enumerate(rows) for column, cell in enumerate(row) if cell not in (None, "")
            and not (has_merged and number in (1, 2, 3) and column in (1, 2))]  # fmt: skip
    if not kept:
        return
    words = read(written).text.split()
    for value in set(kept):
        assert words.count(value.split()[0]) >= 1


_LEASE: Rows = [["Room", "Euro", "Since"], ["North", 480, date(2027, 2, 14)]]
_LEASE_READ = "S\n\nRoom\tEuro\tSince\nNorth\t480\t2027-02-14"
_STYLES, _CORE = "xl/styles.xml", "docProps/core.xml"


def _with_link_to_another_workbook(data: bytes) -> bytes:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/externalLink"
    target = "xl/externalLinks/externalLink1.xml"
    return linked(data, "xl/workbook.xml", {target: kind}, {target: b"<externalLink/>"}, "")


UNUSUAL: dict[str, Callable[[bytes], bytes]] = {
    "a date of its own in the properties": lambda data: replaced(data, _CORE, 'W3CDTF">', 'W3CDTF">on '),
    "a font of a family that Excel does not know": lambda data: replaced(
        data, _STYLES, '<family val="2"', '<family val="77"'
    ),
    "a colour in words": lambda data: replaced(data, _STYLES, "<b val", '<color rgb="red"/><b val'),
    "an empty fill": lambda data: replaced(
        data, _STYLES, '<fill><patternFill patternType="gray125"/></fill>', "<fill/>"
    ),
    "a named style that is missing": lambda data: replaced(
        data, _STYLES, '<cellStyle name="Normal" xfId="0"', '<cellStyle name="Normal" xfId="7"'
    ),
    "a cell of a style that is missing": lambda data: replaced(data, SHEET, '<c r="A2"', '<c r="A2" s="99"'),
    "margins in words": lambda data: replaced(data, SHEET, '<pageMargins left="0.75"', '<pageMargins left="wide"'),
    "a link to another workbook that is missing": _with_link_to_another_workbook,
    "names with backslashes": lambda data: packed(
        {name.replace("/", "\\"): part for name, part in unpacked(data).items()}
    ),
    "a name in other letters": lambda data: packed(
        {name.replace("sharedStrings", "SharedStrings"): part for name, part in unpacked(data).items()}
    ),
}


@for_all_rows("what", UNUSUAL)
def test_an_unusual_workbook_that_excel_opens_is_read(what: str) -> None:  # A8, N3
    def change(book: Workbook) -> None:
        book["S"]["A1"].font = Font(bold=True)

    assert read(UNUSUAL[what](workbook({"S": _LEASE}, change))).text == _LEASE_READ
