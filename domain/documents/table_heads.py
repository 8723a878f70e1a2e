"""Finds what stands above a part of a table: its title or unit, and its column heads, also on an earlier page.

All are slices of the document's text. A table that a page ends goes on at the top of the next one without its heads.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass

from domain.documents.documents import ParsedDocument, Table

_LONGEST_TITLE = 160
_MOST_LINES = 2  # of a title
_MOST_PAGES = 50  # that one table is followed over
_STOPPED = re.compile(r"[.!?。:]\W*$")
_UNIT = re.compile(r"단위|\b(?:thousand|million|billion)s?\b|[’'‘`]000|\bin (?-i:US|[A-Z]{3}\b|[$€£¥])", re.IGNORECASE)
_LISTED = re.compile(r"\s*(?:[-*+•>]|\d+[.)])\s")


@dataclass(frozen=True, slots=True)
class TableHeads:
    """`title` are the lines directly above a table, `columns` the lines that name its columns; each may be empty."""

    title: str
    columns: str


def heads_above(document: ParsedDocument, start: int) -> TableHeads | None:
    """Return the heads of the table in which `start` lies, unless they begin there themselves; None outside of one."""
    at = bisect_right(document.tables, start, key=lambda table: table.start) - 1
    if at < 0 or not start < document.tables[at].end:
        return None
    table = document.tables[at]
    if table.header_end > table.start and start < table.header_end:
        return None
    first = _first_part(document, at)
    if start == table.start and first == at:
        return None
    named = document.tables[first]
    return TableHeads(_title(document, named), document.text[named.start : named.header_end])


def _first_part(document: ParsedDocument, at: int) -> int:
    """Return the index of the table that a table without heads continues, possibly from an earlier page."""
    for _ in range(_MOST_PAGES):
        if at == 0 or not _goes_on(document, document.tables[at - 1], document.tables[at]):
            break
        at -= 1
    return at


def _goes_on(document: ParsedDocument, before: Table, table: Table) -> bool:
    # The first of its page, without heads, with as many columns as the last of the page before.
    if table.header_end > table.start or not document.pages:
        return False
    number = bisect_right(document.pages, table.start, key=lambda page: page.start) - 1
    if number < 1:
        return False
    page, last = document.pages[number], document.pages[number - 1]
    text = document.text
    is_next = before.start >= last.start and not text[before.end : last.end].strip()
    is_first = not text[page.start : table.start].strip()
    return is_next and is_first and _columns(text, before) == _columns(text, table)


def _columns(text: str, table: Table) -> int:
    return max((line.count("\t") for line in text[table.start : table.end].split("\n")), default=0)


def _title(document: ParsedDocument, table: Table) -> str:
    # Short lines directly above it that are no sentences and no heading: its caption and unit.
    found: list[str] = []
    headings = {section.start for section in document.sections}
    end = table.start
    while len(found) < _MOST_LINES:
        above = document.text[max(0, end - _LONGEST_TITLE - 4) : end].rstrip()
        start = end - len(document.text[max(0, end - _LONGEST_TITLE - 4) : end]) + above.rfind("\n") + 1
        line = document.text[start : start + len(above) - above.rfind("\n") - 1].strip()
        if not line or len(line) > _LONGEST_TITLE or "\n\n\n" in document.text[start:end] or not _may_be_title(line):
            break
        if start in headings or "\t" in line or "|" in line:
            break
        found.append(line)
        end = start
        if not _UNIT.search(line):
            break
    return "\n".join(reversed(found))


def _may_be_title(line: str) -> bool:
    if _UNIT.search(line) and len(line) < _LONGEST_TITLE // 2:
        return True
    return not (_STOPPED.search(line) or _LISTED.match(line) or line.startswith("#"))
