"""Tables without drawn lines whose cells have several lines: each row is one row of the text, with its cells whole."""

from collections.abc import Sequence
from typing import Literal

import pytest
from fpdf import FPDF

from citewell_documents.parsing import ParseLimits, parse

LIMITS = ParseLimits(max_pages=5, max_chars=100_000)
LEFTS = (60.0, 210.0, 290.0, 370.0)
LEADING = 12
ROWS = (
    (("Works",), ("Tons",), ("Crew",), ("Remark",)),
    (("Quay at the old", "harbour of Larne"), ("8,120",), ("14",), ("Closed over", "the winter")),
    (("Slipway",), ("640",), ("9",), ("Open",)),
    (("Landing stage below", "the lower lock, with", "its two ladders"), ("1,915",), ("11",), ("Repaired",)),
    (("Dry dock",), ("77",), ("5",), ("Leased until the", "end of the year")),
)
Cell = Sequence[str]
Align = Literal["top", "middle", "bottom"]


def drawn(rows: Sequence[Sequence[Cell]], lefts: Sequence[float], align: Align, gap: float, *, across: bool) -> str:
    """The text of a page with these rows, `gap` points apart; `across`: line after line, and not cell after cell."""
    pdf = FPDF(unit="pt", format="a4")
    pdf.add_page()
    pdf.set_font("Helvetica", size=10)
    pdf.text(60, 60, "The harbour office keeps this list of its works, and sends it to the council each year in May.")
    top = 100.0
    for row in rows:
        high = max(map(len, row))
        places = list[tuple[float, float, str]]()
        for left, cell in zip(lefts, row, strict=True):
            free = {"top": 0.0, "middle": (high - len(cell)) / 2, "bottom": float(high - len(cell))}[align]
            places += [(top + LEADING * (free + at), left, line) for at, line in enumerate(cell)]
        for y, left, line in sorted(places) if across else places:
            pdf.text(left, y, line)
        top += LEADING * high + gap
    return parse(bytes(pdf.output()), "table.pdf", LIMITS).text


def written(rows: Sequence[Sequence[Cell]]) -> str:
    return "\n".join("\t".join(" ".join(cell) for cell in row) for row in rows)


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("gap", [3.0, 9.0])
@pytest.mark.parametrize("align", ["top", "middle", "bottom"])
def test_the_lines_of_a_cell_are_one_cell(align: Align, gap: float, across: bool) -> None:
    assert written(ROWS) in drawn(ROWS, LEFTS, align, gap, across=across)


def test_cells_of_text_alone_are_told_apart_by_the_order_of_drawing() -> None:
    duties = (
        (("Office",), ("What it does",)),
        (("Harbour master",), ("Assigns the berths and keeps the", "book of arrivals")),
        (("Pilot",), ("Brings ships of more than sixty", "metres through the strait")),
        (("Registry",), ("Enters the ships of the region and", "their owners, and gives out papers")),
    )
    assert written(duties) in drawn(duties, (60, 190), "top", 6, across=False)


def test_a_line_across_the_columns_is_no_row_of_the_table() -> None:
    text = drawn(ROWS, LEFTS, "top", 6, across=False)
    assert text.startswith("The harbour office keeps this list")
    assert "May.\n\nWorks\tTons" in text


def test_columns_of_text_are_read_one_after_the_other() -> None:
    """They have gaps at the same heights as a table has, but each column is drawn as a whole."""
    paragraphs = (("The strait is narrow", "and has strong tides"), ("Ships wait for slack", "water off the cape"))
    pdf = FPDF(unit="pt", format="a4")
    pdf.add_page()
    pdf.set_font("Helvetica", size=10)
    for left in (60, 300):
        top = 100
        for _ in range(3):
            for lines in paragraphs:
                for line in lines:
                    pdf.text(left, top, f"{line} {'west' if left == 60 else 'east'}")
                    top += LEADING
                top += 8
    text = parse(bytes(pdf.output()), "columns.pdf", LIMITS).text
    assert "\t" not in text
    assert text.rindex("west") < text.index("east")


def test_a_title_near_the_first_row_is_no_line_of_its_cell() -> None:
    pdf = FPDF(unit="pt", format="a4")
    pdf.add_page()
    pdf.set_font("Helvetica", size=10)
    pdf.text(60, 85, "Works of the harbour")
    for at, (name, tons) in enumerate((("Old quay", "8,120"), ("Slipway", "640"), ("Lock", "1,915"), ("Dock", "77"))):
        pdf.text(60, 100 + 20 * at, name)
        pdf.text(210, 100 + 20 * at, tons)
    text = parse(bytes(pdf.output()), "table.pdf", LIMITS).text
    assert text == "Works of the harbour\nOld quay\t8,120\nSlipway\t640\nLock\t1,915\nDock\t77"


def test_one_head_may_have_several_lines() -> None:
    rows = ((("Works",), ("Tons", "per day")), (("Quay",), ("8,120",)), (("Slipway",), ("640",)), (("Dock",), ("77",)))
    assert written(rows) in drawn(rows, (60, 210), "top", 6, across=False)


@pytest.mark.parametrize("marks", [("[1]", "[2]", "[3]"), ("a)", "b)", "c)"), ("-", "-", "-")])
def test_the_items_of_a_list_are_no_rows(marks: Sequence[str]) -> None:
    texts = (
        ("Ships of more than sixty metres", "take a pilot."),
        ("Tugs wait at the mole.",),
        ("Boats keep", "to the west."),
    )
    items = [((mark,), text) for mark, text in zip(marks, texts, strict=True)]
    assert "\t" not in drawn(items, (60, 80), "top", 8, across=False)
