"""The lines of a text that belong to one table, by the sign that separates their cells (V2)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

_MOST_LINE = 2_000
_LONGEST_GROUP = 120
_LONGEST_CELL = 80  # in lines with commas or semicolons, which sentences have, too
_SHORT = 30
_KOREAN_UNIT = re.compile(r"[(\[]?\s?단위\s*:?[^()\[\]]{1,20}[)\]]?")
_TERM = re.compile("[당전]기")
_RULE = re.compile(r"[\s|:+=-]+")
_QUOTED_CELL = re.compile(r'"([^"]*)"')
_SENTENCE = re.compile(r"[.!?。]\s*$")
_PAIR = re.compile(r"[\s*•-]*+[^,;:]{1,40}:\s")


@dataclass(frozen=True, slots=True)
class TableLine:
    separator: str
    cells: tuple[str, ...]
    text: str = ""


def tables_and_lines(text: str) -> Iterator[tuple[str, list[TableLine]]]:
    """Yield runs of lines with the same separator, each with the heading and the line above it."""
    heading = caption = ""
    group: list[TableLine] = []
    listed = text.splitlines()
    for line, following in zip_longest(listed, listed[1:], fillvalue=""):
        if line.strip() and _RULE.fullmatch(line):
            continue
        row = _split_cells(line)
        if group and group[0].separator == "\t" and _names_group(line, following):
            row = TableLine("\t", (line.strip(),), line)
        if group and (
            row.separator != group[0].separator
            or not row.cells
            or (row.separator not in "|\t" and len(row.cells) != len(group[0].cells))
        ):
            yield f"{heading} {caption}", group
            group = []
        if row.cells:
            group.append(row)
            continue
        yield "", [row]
        if line.strip():
            heading, caption = (
                (line.strip("# "), "") if line.startswith("#") else (heading, _caption(line.strip(), caption))
            )
    if group:
        yield f"{heading} {caption}", group


def _caption(line: str, before: str) -> str:
    """Return the line above a table; with the unit and the term that a short one before or after it states:
    "(단위 : 천원)", "<당기>"."""
    unit = _KOREAN_UNIT.search(line) or (_KOREAN_UNIT.search(before) if len(line) <= _SHORT else None)
    if unit is None:
        return line[:_LONGEST_CELL]
    name = _KOREAN_UNIT.sub("", line).strip()[:_LONGEST_CELL]
    if not name and len(before) <= _SHORT and _TERM.search(before):
        name = _KOREAN_UNIT.sub("", before).strip()
    return f"{name} {unit[0]}".strip()


def _names_group(line: str, following: str) -> bool:
    """Return whether a line between rows with tabs is a row of one cell, whose empty cells were cut off."""
    is_row = bool(line.strip()) and "\t" not in line and len(line) <= _LONGEST_GROUP and not _SENTENCE.search(line)
    return is_row and "\t" in following.strip()


def _split_cells(line: str) -> TableLine:
    if len(line) > _MOST_LINE:
        return TableLine(line, ())
    if "|" in line:
        return TableLine("|", tuple(cell.strip() for cell in line.strip().split("|")), line)
    if "\t" in line.strip():
        return TableLine("\t", tuple(cell.strip() for cell in line.split("\t")), line)
    if _PAIR.match(line):
        return TableLine(line, ())
    plain = _QUOTED_CELL.sub(lambda match: match[1].replace(",", "\0").replace(";", "\1"), line)
    for sign in (";", ","):
        cells = tuple(cell.strip().replace("\0", ",").replace("\1", ";") for cell in plain.split(sign))
        between = sign == ";" or not re.search(r",\s", plain)
        if len(cells) > 1 and between and not _SENTENCE.search(plain) and max(map(len, cells)) <= _LONGEST_CELL:
            return TableLine(sign, cells, line)
    return TableLine(line, ())


def cells_of(line: str) -> tuple[str, ...]:
    return tuple(cell for cell in _split_cells(line).cells if cell)
