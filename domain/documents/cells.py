"""The cells of a spreadsheet that cited words are in."""

from collections.abc import Sequence
from typing import TypedDict


class Cells(TypedDict):
    """The rows and columns of a span of text, as a spreadsheet names them: rows from 1, columns from A."""

    row: int
    last_row: int
    column: str
    last_column: str


def cells_of(place: tuple[int, int, Sequence[int]], before: int, within: int) -> Cells:
    """The cells of a span in a table. `place` is the table's (row, first_rows, columns), see
    `citewell_documents.blocks.SheetPlace`; `before` lines of the table are above the span, which has `within` line
    ends.
    """
    row, first_rows, columns = place
    below = first_rows - 1
    return {
        "row": row if before == 0 else row + below + before,
        "last_row": row + below + before + within,
        "column": letters(columns[0]),
        "last_column": letters(columns[-1]),
    }


def letters(column: int) -> str:
    """The name of a column from its number: 1 is A, 27 is AA."""
    name = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def in_words(cells: Cells) -> str:
    """The cells as spreadsheets write them: `A5:D5`."""
    first, last = f"{cells['column']}{cells['row']}", f"{cells['last_column']}{cells['last_row']}"
    return first if first == last else f"{first}:{last}"
