"""Turns the lines of all pages into one text with pages, sections and tables."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from citewell_documents.boxes import PageBoxes, Recognised
from citewell_documents.document import Page, ParsedDocument, Table
from citewell_documents.figures import Figure
from citewell_documents.parsing.pdf.frames import Frame
from citewell_documents.parsing.pdf.glyphs import Box
from citewell_documents.parsing.pdf.lines import Line
from citewell_documents.parsing.pdf.paragraphs import Paragraph, paragraphs
from citewell_documents.parsing.pdf.pictures import Drawn, with_pictures
from citewell_documents.parsing.pdf.typography import Typography
from citewell_documents.parsing.tables import head_rows
from citewell_documents.parsing.text_builder import Heading, number_depth, sections_from

# Locates tables in the text of a PDF, and their header rows.

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


_CONTENTS_ENTRY = re.compile(r"\t\S{1,5}$")
_UNLIKE_HEADING = re.compile(r"[.,;]$|^[^\W\d_]?[\W\d_]*$|^[-–—•*·]")
_MAX_HEADING_CHARS = 120
_MAX_HEADING_LINES = 3


def lay_out(
    pages: list[list[Line]],
    running: frozenset[Line],
    outline: frozenset[str],
    frames: Sequence[Frame | None] = (),
    max_words: int = 0,
    drawn: Sequence[Drawn] = (),
) -> ParsedDocument:
    """Join paragraphs and pages by blank lines.

    `running` are lines that cannot be headings; `outline` holds the bookmark titles as `outline_key` gives them. A page
    gets boxes if its frame is known; after `max_words` words only its size is kept. `drawn` are the pictures of the
    pages.
    """
    typography = Typography(pages)
    parts: list[str] = []
    length = 0
    spans: list[Page] = []
    headings: list[Heading] = []
    grids: list[Grid] = []
    boxes: list[PageBoxes] = []
    figures: list[Figure] = []
    for number, (lines, frame, seen) in enumerate(zip_longest(pages, frames, drawn), start=1):
        starts: list[int] = []
        words: list[tuple[int, int, Box]] = []
        recognised: list[Recognised] = []
        joined = paragraphs(lines, typography)
        for paragraph in with_pictures(joined, seen) if seen else joined:
            parts += ["\n\n", paragraph.text] if parts else [paragraph.text]
            length += 2 * (len(parts) > 1)
            starts.append(length)
            figures += (Figure(kind, length + start, length + end) for kind, start, end in paragraph.figures)
            if (rank := _heading_rank(paragraph, typography, outline)) and paragraph.lines[0] not in running:
                headings.append(Heading(length, " ".join(paragraph.text.split()), rank))
            grids += grids_in(paragraph, length)
            words += ((length + start, length + end, box) for start, end, box in paragraph.words)
            recognised += (Recognised(length + start, length + end, sure) for start, end, sure in paragraph.recognised)
            length += len(paragraph.text)
        spans.append(Page(number, starts[0] if starts else length, length))
        max_words -= len(words)
        if frame:
            boxes.append(frame.boxes(number, words if max_words >= 0 else (), recognised))
    text = "".join(parts)
    sections, tables = sections_from(headings, length), tables_of(grids)
    return ParsedDocument(text, tuple(spans), sections, tables, boxes=tuple(boxes), figures=tuple(figures))


def outline_key(title: str) -> str:
    """The letters and digits of a title: bookmarks and pages differ in spaces, dots and case."""
    return re.sub(r"[\W_]+", "", title).casefold()


def _heading_rank(paragraph: Paragraph, typography: Typography, outline: frozenset[str]) -> tuple[float, ...] | None:
    """The rank of a heading, smaller for higher levels, or None for other text.

    A heading is a bookmark, larger than the body, bold if the body is not, or numbered like `3.2 Returns`.
    """
    if not paragraph.lines:
        return None
    first, text = paragraph.lines[0], paragraph.text
    if len(text) > _MAX_HEADING_CHARS or len(paragraph.lines) > _MAX_HEADING_LINES or _CONTENTS_ENTRY.search(text):
        return None
    depth = number_depth(text)
    rank = (-first.size, not first.bold, depth or 1)
    if outline_key(text) in outline:
        return rank
    if _UNLIKE_HEADING.search(text):
        return None
    bold = first.bold and not typography.body_is_bold and not first.is_row and not text.endswith(":")
    numbered = depth > 1 and len(paragraph.lines) == 1
    is_heading = typography.is_display(first) or (first.size >= typography.body_size and (bold or numbered))
    return rank if is_heading else None
