"""How many rows at the top of a table hold the names of its columns."""

from citewell_documents.parsing import ParseLimits, parse
from citewell_documents.parsing.tables import has_header, head_rows
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=50, max_chars=1_000_000)


@for_all_rows(
    ("rows", "heads"),
    [
        ([["Item", "2023"], ["Sales", "5"]], 1),
        ([["", "2019", "2018"], ["Sales", "5", "6"]], 1),
        ([["", "2019", "2018"], ["", "US$'000", "US$'000"], ["Sales", "5", "6"]], 2),
        ([["", "2023", "", "2024", ""], ["", "High", "Low", "High", "Low"], ["North", "1", "2", "3", "4"]], 2),
        ([["", "2019", "2018"], ["Assets:", "", ""], ["Cash", "5", "6"]], 1),  # a line that names a group
        ([["Bob", "4"], ["Ann", "5"]], 0),
        ([["Lisbon", "Portugal"], ["Oslo", "Norway"]], 1),
    ],
)
def test_rows_of_names_years_and_units_are_heads(rows: list[list[str]], heads: int) -> None:
    # N3
    assert head_rows(rows, has_header=has_header(rows)) == heads


def test_heads_of_two_lines_are_one_slice_of_the_text() -> None:
    # N3
    document = parse(b",2023,,2024,\n,High,Low,High,Low\nNorth,1,2,3,4\nSouth,5,6,7,8\n", "prices.csv", LIMITS)
    table = document.tables[0]
    assert document.text[table.start : table.header_end] == "\t2023\t\t2024\n\tHigh\tLow\tHigh\tLow"
    assert document.blocks[0].header_end == table.header_end


def test_a_table_without_header_cells_has_its_years_as_heads() -> None:
    # N3
    page = b"<table><tr><td></td><td>2019</td><td>2018</td></tr><tr><td>Sales</td><td>5</td><td>6</td></tr></table>"
    document = parse(page, "page.html", LIMITS)
    table = document.tables[0]
    assert document.text[table.start : table.header_end] == "\t2019\t2018"
