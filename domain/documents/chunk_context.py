"""Determines the context of a chunk: the headings above it and the columns of its table.

"The rate is 4 %" is found under "Loans to employees", and a row of figures under the names of its columns, although
neither says so itself.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable

from domain.documents.documents import ParsedDocument, Table

_BETWEEN = " › "
_CELLS = re.compile(r"[|\t]")
_MOST = 200  # characters of each part: a context must not drown the text


def context_of(document: ParsedDocument, section: int, start: int, end: int) -> str | None:
    """Return the context of `document.text[start:end]`, or None if there is nothing to add.

    `section` is the index of its section, -1 for none. Headings that occur in the text itself are left out.
    """
    path = document.sections[section].path if section >= 0 else ()
    own = document.text[start:end]
    place = joined(title for title in dict.fromkeys(path) if title not in own)
    columns = _columns(document, start)
    lines = (place[:_MOST], columns[:_MOST])
    return "\n".join(line for line in lines if line) or None


def headings_of(context: str) -> list[str]:
    first = context.partition("\n")[0]
    return [] if not first or _CELLS.search(first) else first.split(_BETWEEN)


def joined(headings: Iterable[str]) -> str:
    return _BETWEEN.join(headings)


def with_columns(text: str, context: str) -> str:
    first, _, rest = context.partition("\n")
    columns = (context if _CELLS.search(first) else rest).strip("\n")
    return f"{columns}\n{text}" if columns else text


def _columns(document: ParsedDocument, start: int) -> str:
    index = bisect_right(document.tables, start, key=lambda table: table.start) - 1
    table = document.tables[index] if index >= 0 else Table(0, 0, 0)
    if not table.header_end <= start < table.end or table.header_end == table.start:
        return ""
    return document.text[table.start : table.header_end]
