"""Statements with signs of money in columns of their own: a cell for each value, below its year."""

from collections.abc import Sequence

import pytest
from fpdf import FPDF

from citewell_documents.boxes import unpacked
from citewell_documents.document import ParsedDocument
from citewell_documents.parsing import ParseLimits, parse

LIMITS = ParseLimits(max_pages=5, max_chars=100_000)
LEFT, SIGNS, RIGHTS = 60.0, (300.0, 366.0), (360.0, 426.0)


def statement(rows: Sequence[tuple[str, str, str]], *, sign: str = "$") -> ParsedDocument:
    """Labels on the left, values against the right edge of their column, signs at its left edge."""
    pdf = FPDF(unit="pt", format="a4")
    pdf.add_page()
    pdf.set_font("Helvetica", size=10)
    for at, (label, *values) in enumerate(rows):
        y = 100 + 14 * at
        pdf.text(LEFT, y, label)
        for left, right, value in zip(SIGNS, RIGHTS, values, strict=True):
            if value.startswith("$"):
                pdf.text(left, y, sign)
            shown = value.lstrip("$")
            pdf.text(right - pdf.get_string_width(shown), y, shown)
    return parse(bytes(pdf.output()), "statement.pdf", LIMITS)


ROWS = (
    ("In thousands", "2031", "2030"),
    ("Sales of kilns", "$141,870", "$133,655"),
    ("Cost of sales", "92,410", "(88,907)"),
    ("Other income", "-", "415"),
    ("Income before tax", "$49,460", "$45,163"),
)


def test_each_value_of_a_statement_stands_below_its_year() -> None:  # N3, V2
    document = statement(ROWS)
    assert document.text.split("\n") == ["\t".join(row) for row in ROWS]
    (table,) = document.tables
    assert document.text[table.start : table.header_end] == "In thousands\t2031\t2030"


def test_each_word_of_a_joined_cell_keeps_its_place() -> None:  # N3
    document = statement(ROWS)
    (page,) = document.boxes
    places = {document.text[word.start : word.end]: word for word in unpacked(page.words)}
    assert SIGNS[0] <= places["141,870"].left < places["141,870"].right <= RIGHTS[0] + 1
    assert places["133,655"].left > RIGHTS[0]


@pytest.mark.parametrize("label", ["Allowance of $ 65 and $ 72", "Notes due 2031", "Series A (5 %)"])
def test_signs_and_numbers_within_a_label_begin_no_cell(label: str) -> None:  # N3
    document = statement([ROWS[0], (label, "1,204", "1,377"), ("Loans", "9,100", "8,800")])
    line = document.text.split("\n")[1]
    assert line.split("\t")[1:] == ["1,204", "1,377"]
    assert line.split("\t")[0].replace(" ", "") == label.replace(" ", "")
