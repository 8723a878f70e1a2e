"""Reads and writes the context of a passage: a line of the headings above it, then lines of its table's columns."""

import re
from collections.abc import Iterable

_BETWEEN = " › "
_CELLS = re.compile(r"[|\t]")
_MOST_COLUMNS = 400  # characters of a line of column heads


def headings_of(context: str) -> list[str]:
    first = context.partition("\n")[0]
    return [] if not first or _CELLS.search(first) else first.split(_BETWEEN)


def joined(headings: Iterable[str]) -> str:
    return _BETWEEN.join(headings)


def with_columns(text: str, context: str) -> str:
    first, _, rest = context.partition("\n")
    columns = (context if _CELLS.search(first) else rest).strip("\n")
    return f"{columns}\n{text}" if columns else text


def cut_line(line: str) -> str:
    if len(line) <= _MOST_COLUMNS:
        return line
    ends = [match.start() for match in _CELLS.finditer(line, 0, _MOST_COLUMNS)]
    return line[: ends[-1]] if ends and ends[-1] else line[:_MOST_COLUMNS]


def indexed_text(text: str, context: str | None) -> str:
    return f"{context}\n{text}" if context else text
