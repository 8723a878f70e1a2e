"""Locates tables in the text of a PDF, and their header rows."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from citewell_documents.document import Table
from citewell_documents.parsing.pdf.paragraphs import Paragraph
from citewell_documents.parsing.tables import head_rows

_NUMBER = re.compile(r"[^\w\s]{0,3}\d[\d.,'\s]*\s?[^\w\s]{0,2}\w{0,3}[^\w\s]?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_PAGE_NUMBER = re.compile(r"\d{1,4}|[ivxlc]{1,6}")
_MIN_ROWS = 2
_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Grid:
    """Consecutive rows, from `start`; `bold_head`: the first row is bold and the second is not."""

    start: int
    rows: tuple[str, ...]
    bold_head: bool


def grids_in(paragraph: Paragraph, start: int) -> Iterator[Grid]:
    rows = paragraph.text.split("\n")
    lines = [line for line in paragraph.lines if line.is_row]
    known = len(lines) == sum("\t" in row for row in rows)
    run: list[str] = []
    first = place = taken = 0
    for row in [*rows, ""]:
        if "\t" in row:
            first = first if run else place
            run.append(row)
            taken += 1
        else:
            of_run = lines[taken - len(run) : taken] if known else []
            leaders = sum(not (line.cells or line.table) for line in of_run)
            if len(run) >= _MIN_ROWS and 2 * leaders <= len(run) and not _is_contents(run):
                bold = len(of_run) > 1 and of_run[0].bold and not of_run[1].bold
                yield Grid(start + first, tuple(run), bold)
            run = []
        place += len(row) + 1


def tables_of(grids: Sequence[Grid]) -> tuple[Table, ...]:
    counts = Counter(grid.rows[0] for grid in grids)
    headers = {grid.rows[0] for grid in grids if counts[grid.rows[0]] > 1 or _has_header(grid)}
    tables: list[Table] = []
    for grid in grids:
        heads = head_rows([row.split("\t") for row in grid.rows], has_header=grid.rows[0] in headers)
        length = len("\n".join(grid.rows[:heads]))
        tables.append(Table(grid.start, grid.start + len("\n".join(grid.rows)), grid.start + length))
    return tuple(tables)


def _has_header(grid: Grid) -> bool:
    """True for text above numbers, bold above plain text, or an empty corner."""
    head, *body = [row.split("\t") for row in grid.rows]
    if any(_is_number(cell) and not _YEAR.fullmatch(cell) for cell in head):
        return False
    if grid.bold_head or not head[0]:
        return True
    columns = [[row[at] for row in body if at < len(row) and row[at]] for at in range(1, len(head)) if head[at]]
    return any(cells and sum(map(_is_number, cells)) >= _SHARE * len(cells) for cells in columns)


def _is_number(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell))


def _is_contents(rows: list[str]) -> bool:
    ends = [row.rpartition("\t")[2] for row in rows if row.count("\t") == 1]
    if len(ends) < len(rows) or not all(map(_PAGE_NUMBER.fullmatch, ends)):
        return False
    pages = [int(end) for end in ends if end.isdecimal()]
    return len(rows) > _MIN_ROWS and all(page <= later for page, later in pairwise(pages))
