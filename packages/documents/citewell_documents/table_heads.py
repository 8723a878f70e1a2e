"""Finds the lines that belong above a part of a table: its title or unit, and its column heads, also on an earlier
page.

All of them are slices of the document's text. A table that does not fit on a page goes on at the top of the next page
without its heads. A statement in a filing is read as several tables: names of groups, such as "Current assets", stand
between its rows, and the heads stand above the first group.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from citewell_documents.blocks import SheetPlace
from citewell_documents.document import ParsedDocument, Table

_LONGEST_TITLE = 160
_MOST_LINES = 2  # of a title
_MOST_PAGES = 50  # pages over which one table is followed
_MOST_GROUPS, _LONGEST_GROUP = 4, 100  # lines between the parts of a table, and characters of each
_STOPPED = re.compile(r"[.!?。:]\W*$")
_UNIT = re.compile(r"단위|\b(?:thousand|million|billion)s?\b|[’'‘`]000|\bin (?-i:US|[A-Z]{3}\b|[$€£¥])", re.IGNORECASE)
_NO_GROUP = re.compile(r"[.!?。]\W*$|[\t|\d]")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NAME = re.compile(r"^[^\d]*[^\W\d_]{3}[^\d]*$")
_LISTED = re.compile(r"\s*(?:[-*+•>]|\d+[.)])\s")


@dataclass(frozen=True, slots=True)
class TableHeads:
    """`title` has the lines directly above a table, `columns` the lines that name its columns; each may be empty.

    `start` is the place of the columns or the first rows of the table, which may be below another heading.
    """

    title: str
    columns: str
    start: int


def heads_above(document: ParsedDocument, start: int) -> TableHeads | None:
    """Return the heads of the table in which `start` lies, unless the heads begin there; None outside of a table."""
    at = bisect_right(document.tables, start, key=lambda table: table.start) - 1
    if at < 0 or not start < document.tables[at].end:
        at = _below_groups(document, start, at + 1)
    if at is None:
        return None
    table = document.tables[at]
    if table.header_end > table.start and start < table.header_end:
        return None
    # A table without heads continues another table, possibly from an earlier page.
    for _ in range(_MOST_PAGES):
        if at == 0 or not _goes_on(document, document.tables[at - 1], document.tables[at]):
            break
        at -= 1
    first = document.tables[at]
    columns = first.start, first.header_end
    if first.header_end == first.start:
        columns = _heads_apart(document, first) or columns
    if start <= columns[0]:
        return None
    return TableHeads(_title(document, columns[0]), document.text[slice(*columns)], columns[0])


def _below_groups(document: ParsedDocument, start: int, following: int) -> int | None:
    """The index of the table that follows, if the text before it begins with the name of a group of its rows."""
    if following == len(document.tables):
        return None
    above = document.text[start : document.tables[following].start]
    return following if len(above) <= _MOST_GROUPS * _LONGEST_GROUP and _are_groups(above) else None


def _goes_on(document: ParsedDocument, before: Table, table: Table) -> bool:
    """True if a table without heads, with the same number of columns, continues the one before.

    It does so if it is the first table of its page, and the other the last of the page before; or if both are on one
    page, or in the same columns of a sheet, with only names of groups between them.
    """
    text = document.text
    if table.header_end > table.start or _columns(text, before) != _columns(text, table):
        return False
    if not document.pages:
        return _is_below_in_sheet(document, before, table)
    page, last = _page_of(document, table.start), _page_of(document, before.start)
    if page == last:
        between = text[before.end : table.start]
        return _are_groups(between) and not _UNIT.search(between)
    first_of_page, end_of_last = document.pages[page].start, document.pages[last].end
    return (
        page == last + 1
        and not text[before.end : end_of_last].strip()
        and not text[first_of_page : table.start].strip()
    )


def _is_below_in_sheet(document: ParsedDocument, before: Table, table: Table) -> bool:
    upper, lower = _sheet_place(document, before), _sheet_place(document, table)
    between = document.text[before.end : table.start]
    above = bisect_right(document.sections, table.start, key=lambda section: section.start)
    return (
        upper is not None
        and lower is not None
        and upper.columns == lower.columns
        and above == bisect_right(document.sections, before.start, key=lambda section: section.start)
        and _are_groups(between)
        and not _UNIT.search(between)
    )


def _sheet_place(document: ParsedDocument, table: Table) -> SheetPlace | None:
    at = bisect_right(document.blocks, table.start, key=lambda block: block.start) - 1
    return document.blocks[at].place if at >= 0 and document.blocks[at].start == table.start else None


def _page_of(document: ParsedDocument, place: int) -> int:
    return bisect_right(document.pages, place, key=lambda page: page.start) - 1


def _are_groups(text: str) -> bool:
    """True for names of groups of rows; a line that names a year or a number is the caption of another table."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return len(lines) <= _MOST_GROUPS and all(
        len(line) <= _LONGEST_GROUP and not _NO_GROUP.search(line) for line in lines
    )


def _heads_apart(document: ParsedDocument, table: Table) -> tuple[int, int] | None:
    """The line above the names of a table's first groups of rows that names as many columns as the table has."""
    if not document.pages:
        return None
    text, end = document.text, table.start
    page = document.pages[max(_page_of(document, table.start), 0)]
    for _ in range(_MOST_GROUPS + 1):
        line_end = len(text[page.start : end].rstrip()) + page.start
        line_start = max(text.rfind("\n", page.start, line_end) + 1, page.start)
        line = text[line_start:line_end]
        if "\t" in line:
            names = [cell.strip() for cell in line.split("\t")]
            are_heads = len(names) == _columns(text, table) + 1 and _name_columns(names[1:])
            return (line_start, line_end) if are_heads else None
        if not (_are_groups(line) or _UNIT.search(line)) or line_start <= page.start:
            return None
        end = line_start
    return None


def _name_columns(names: Sequence[str]) -> bool:
    """True for names of columns. Years stand in order, which distinguishes them from amounts such as 2014 and 1987."""
    years = [int(match[0]) for name in names if (match := _YEAR.search(name))]
    return all(_YEAR.search(name) or _NAME.match(name) for name in names) and all(
        abs(earlier - later) <= 1 for earlier, later in pairwise(years)
    )


def _columns(text: str, table: Table) -> int:
    return max((line.count("\t") for line in text[table.start : table.end].split("\n")), default=0)


def _title(document: ParsedDocument, end: int) -> str:
    """The caption and unit of a table: the short lines directly above it that are no sentences and no heading."""
    lines: list[str] = []
    headings = {section.start for section in document.sections}
    while len(lines) < _MOST_LINES:
        above = document.text[max(0, end - _LONGEST_TITLE - 4) : end].rstrip()
        start = end - len(document.text[max(0, end - _LONGEST_TITLE - 4) : end]) + above.rfind("\n") + 1
        line = document.text[start : start + len(above) - above.rfind("\n") - 1].strip()
        if not line or len(line) > _LONGEST_TITLE or "\n\n\n" in document.text[start:end]:
            break
        is_unit = _UNIT.search(line) and len(line) < _LONGEST_TITLE // 2
        if not is_unit and (_STOPPED.search(line) or _LISTED.match(line) or line.startswith("#")):
            break
        if start in headings or "\t" in line or "|" in line:
            break
        lines.append(line)
        end = start
        if not _UNIT.search(line):
            break
    return "\n".join(reversed(lines))
