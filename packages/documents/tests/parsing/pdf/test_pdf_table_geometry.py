"""Tables by their geometry: in whatever order they are drawn, with narrow gaps, grouped digits and drawn lines."""

from collections.abc import Callable, Sequence
from random import Random

import pytest
from fpdf import FPDF

from citewell_documents.parsing import ParseLimits, parse

LIMITS = ParseLimits(max_pages=5, max_chars=100_000)
LEFTS = (60.0, 130.0, 270.0, 350.0, 430.0)
ROWS = (
    ("Berth", "Vessel", "Tons", "Crew", "Sails"),
    ("A4", "Aurora of Malta", "8,120", "14", "3 May"),
    ("A7", "Bergen Star", "640", "9", "4 May"),
    ("B1", "Calypso", "1,915", "11", "4 May"),
    ("B6", "Dunlin", "77", "5", "6 May"),
)
Cell = tuple[int, int, str]


def drawn(
    cells: Sequence[Cell],
    lefts: Sequence[float] = LEFTS,
    *,
    drop: float = 18,
    lines: Sequence[tuple[float, float, float, float]] = (),
) -> str:
    """The text of a page with cells (row, column, text), drawn in this order."""
    pdf = FPDF(unit="pt", format="a4")
    pdf.add_page()
    pdf.set_font("Helvetica", size=10)
    for row, column, text in cells:
        pdf.text(lefts[column], 100 + drop * row, text)
    for line in lines:
        pdf.line(*line)
    return parse(bytes(pdf.output()), "table.pdf", LIMITS).text


def cells_of(rows: Sequence[Sequence[str]]) -> list[Cell]:
    return [(at, column, text) for at, row in enumerate(rows) for column, text in enumerate(row) if text]


def written(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("\t".join(row).rstrip("\t") for row in rows)


ORDERS: dict[str, Callable[[Cell], float]] = {
    "from below": lambda cell: cell[1] - 10 * cell[0],
    "columns from the right": lambda cell: -10 * cell[1] - cell[0],
    "the first column apart": lambda cell: 100 * (cell[1] > 0) - 10 * cell[0] + cell[1],
    "at random": lambda cell: Random(str(cell)).random(),
}


@pytest.mark.parametrize("order", ORDERS)
def test_rows_of_a_table_are_read_from_the_top_whatever_the_order_of_drawing(order: str) -> None:
    assert drawn(sorted(cells_of(ROWS), key=ORDERS[order])) == written(ROWS)


def test_heads_as_near_as_words_stand_over_the_columns_below() -> None:
    heads = [(0, at, name) for at, name in enumerate(("Depot", "Lorries now", "Vans", "Bikes", "Kept"))]
    body = [("Inver", "14", "3", "20", "5"), ("Kells", "8", "11", "9", "2"), ("Larg", "31", "6", "4", "12")]
    text = drawn(
        [*heads, *((row + 1, at + 5, cell) for row, at, cell in cells_of(body))],
        (60, 91, 148, 173, 203, 60, 110, 165, 225, 290),
    )
    assert text == written([[name for _, _, name in heads], *body])


@pytest.mark.parametrize("apart", [2.8, 5.0])
def test_digits_in_groups_are_one_number_as_the_rows_of_its_column_show(apart: float) -> None:
    rows = (("Aigle", "11 211", "1 641"), ("Bex", "7 011", "71 114"), ("Corsier", "3 410", "677"))
    pdf = FPDF(unit="pt", format="a4")
    pdf.add_page()
    pdf.set_font("Helvetica", size=10)
    for at, row in enumerate((("Commune", "Flats", "Sales"), *rows)):
        for cell, right in zip(row, (0, 260, 360), strict=True):
            x = 60.0 if not right else right - pdf.get_string_width(cell.replace(" ", "")) - apart * cell.count(" ")
            for group in cell.split(" "):
                pdf.text(x, 100 + 16 * at, group)
                x += pdf.get_string_width(group) + apart
    assert parse(bytes(pdf.output()), "table.pdf", LIMITS).text == written([("Commune", "Flats", "Sales"), *rows])


def test_numbers_of_other_lengths_beside_each_other_are_two() -> None:
    rows = (("Round", "Home", "Away"), ("first", "311", "211"), ("second", "117", "17"), ("third", "101", "4"))
    assert drawn(cells_of(rows), (60, 120, 144)).endswith("first\t311\t211\nsecond\t117\t17\nthird\t101\t4")


def test_values_of_a_form_stand_beside_their_labels() -> None:
    labels = [(0, 0, "First name"), (0, 2, "Town"), (1, 0, "Date of birth"), (1, 2, "Telephone")]
    values = [(0, 1, "Marta Silva"), (0, 3, "Redcar"), (1, 1, "7 June 1990"), (1, 3, "555 0199")]
    text = drawn([*labels, *values], (60, 160, 300, 370), drop=26)
    assert text == "First name\tMarta Silva\tTown\tRedcar\nDate of birth\t7 June 1990\tTelephone\t555 0199"


def test_drawn_lines_show_which_lines_of_text_are_one_cell_and_which_rows_it_spans() -> None:
    cells = [
        *((0, 0, "Coast"), (0, 1, "No fires"), (0, 2, "Beach and")),
        *((1, 2, "dunes"), (2, 1, "Dogs on"), (3, 1, "leads"), (2, 2, "Dunes"), (4, 0, "Town"), (4, 1, "Quiet")),
        (4, 2, "All streets"),
    ]
    across = [(55, 87, 400, 87), (125, 116, 400, 116), (55, 144, 400, 144), (55, 160, 400, 160)]
    upright = [(x, 87, x, 160) for x in (55, 125, 265, 400)]
    text = drawn(cells, (60, 130, 270), drop=14, lines=[*across, *upright])
    assert text == "Coast\tNo fires\tBeach and dunes\nCoast\tDogs on leads\tDunes\nTown\tQuiet\tAll streets"


def test_a_head_across_columns_within_lines_stands_over_each_of_them() -> None:
    cells = [(0, 0, "Depot"), (0, 1, "Fleet in May"), (1, 1, "Vans"), (1, 2, "Bikes"), (2, 0, "Kells")]
    across = [(55, 87, 400, 87), (125, 106, 400, 106), (55, 122, 400, 122), (55, 140, 400, 140)]
    upright = [(55, 87, 55, 140), (125, 87, 125, 140), (265, 106, 265, 140), (400, 87, 400, 140)]
    text = drawn([*cells, (2, 1, "11"), (2, 2, "9")], (60, 130, 270), lines=[*across, *upright])
    assert text == "Depot\tFleet in May\tFleet in May\nDepot\tVans\tBikes\nKells\t11\t9"


def test_columns_of_prose_and_short_lists_stay_columns() -> None:
    prose = "The council heard that repairs to the roof would wait"
    columns = [(row, column, f"{prose} {column}{row}.") for column in (0, 1) for row in range(8)]
    assert "\t" not in drawn(columns, (50, 320), drop=14)
    lists = [(row, column, f"{name} {row}") for column, name in ((0, "Apples"), (1, "Pears")) for row in range(8)]
    text = drawn(lists, (50, 320), drop=12)
    assert text.index("Apples 7") < text.index("Pears 0")


def test_thousands_of_drawn_lines_and_cells_are_read_in_bounded_work() -> None:
    lines = [line for at in range(150) for line in ((4.0 * at, 0.0, 4.0 * at, 800.0), (0.0, 5.0 * at, 590.0, 5.0 * at))]
    cells = [(row, column, "12") for column in range(24, -1, -1) for row in range(40)]
    text = drawn(cells, [20.0 * at for at in range(25)], drop=14, lines=lines)
    assert text.count("12") == 1000
