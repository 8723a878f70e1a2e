"""Rows of a PDF with cells of signs that show nothing."""

from citewell_documents.parsing.pdf.cells.cell_values import with_whole_values
from citewell_documents.parsing.pdf.lines import Line


def test_a_row_with_a_cell_that_shows_nothing_stays_as_it_is() -> None:
    row = Line("\tRalstonia race 3", 319, 499, 700, 10, cells=((319, 320), (339, 499)))
    assert with_whole_values([row, row], 1.0) == [row, row]


def test_the_values_beside_such_a_row_become_cells() -> None:
    blank = Line("\tTotal", 60, 200, 700, 10, cells=((60, 61), (100, 200)))
    row = Line("Sum\t12", 60, 200, 688, 10, cells=((60, 100), (180, 200)))
    assert [line.text for line in with_whole_values([blank, row], 1.0)] == ["\tTotal", "Sum\t12"]
