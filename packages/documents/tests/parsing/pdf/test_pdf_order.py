"""The order of a page's lines if they are drawn in another order, and text in forms."""

from io import BytesIO

from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, BooleanObject, DictionaryObject, NameObject, NumberObject, TextStringObject

from citewell_documents.parsing import ParseLimits, parse
from citewell_documents.parsing.pdf.columns import in_reading_order
from citewell_documents.parsing.pdf.lines import Line
from document_material.pdf_files import Sheet

LIMITS = ParseLimits(max_pages=50, max_chars=100_000)


def column(name: str, left: float, top: float) -> list[Line]:
    return [Line(f"{name}{row}", left, left + 200, top - 12 * row, 10) for row in range(4)]


def texts(lines: list[Line]) -> list[str]:
    return [line.text for line in in_reading_order(lines)]


def test_a_title_that_is_drawn_last_is_read_first() -> None:
    title = Line("Title", 60, 500, 760, 18)
    assert texts([*column("a", 60, 700), *column("b", 320, 700), title])[0] == "Title"


def test_a_second_column_that_begins_higher_stays_second() -> None:
    first, second = column("a", 60, 600), column("b", 320, 700)
    assert texts([*first, *second]) == [line.text for line in (*first, *second)]


def test_a_footer_that_is_drawn_first_is_read_last() -> None:
    assert texts([Line("Footer 3", 60, 120, 30, 8), *column("a", 60, 700)])[-1] == "Footer 3"


def test_a_table_with_long_and_short_cells_is_read_by_row() -> None:
    rows = [
        Line(f"An article with a name{row}\t{row}", 60, 400, 700 - 12 * row, 10, cells=((60, 200), (380, 400)))
        for row in range(8)
    ]
    assert in_reading_order(rows) == rows


def test_what_was_filled_into_a_form_is_text() -> None:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(Sheet().block("Name of the applicant:").data())))
    form_field = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Annot"),
            NameObject("/Subtype"): NameObject("/Widget"),
            NameObject("/FT"): NameObject("/Tx"),
            NameObject("/F"): NumberObject(4),
            NameObject("/T"): TextStringObject("name"),
            NameObject("/V"): TextStringObject("Ada Lovelace"),
            NameObject("/DA"): TextStringObject("/Helv 11 Tf 0 g"),
            NameObject("/Rect"): ArrayObject([NumberObject(number) for number in (72, 700, 300, 720)]),
        }
    )
    reference = writer._add_object(form_field)  # pyright: ignore[reportPrivateUsage]
    writer.pages[0][NameObject("/Annots")] = ArrayObject([reference])
    writer.root_object[NameObject("/AcroForm")] = DictionaryObject(
        {NameObject("/Fields"): ArrayObject([reference]), NameObject("/NeedAppearances"): BooleanObject(True)}
    )
    out = BytesIO()
    writer.write(out)
    assert "Ada Lovelace" in parse(out.getvalue(), "form.pdf", LIMITS).text
