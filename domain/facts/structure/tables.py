"""Reads the tables and records of a source into rows of cells with their heads (V2).

Lines of a table have bars, tabs, semicolons or the same number of commas; its heads may take several lines. Records are
blocks of `key: value` lines, or several such pairs on one line. The rest of the source is prose.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.facts.structure.records import parse_records
from domain.text.cache import text_cache

_MOST_ROWS = 400
_MOST_COLUMNS = 40
_MOST_LINE = 2_000
_MOST_HEADS = 4  # lines
_LONGEST_CELL = 80  # in lines with commas or semicolons, which sentences have, too
_RULE = re.compile(r"[\s|:+=-]+")
_QUOTED_CELL = re.compile(r'"([^"]*)"')
_SENTENCE = re.compile(r"[.!?。]\s*$")
_DATA = re.compile(r"[\s(~<>≤≥+−–-]*[$€£₩¥]?\s?[(−–-]?\d")
_FIGURE = re.compile(r"\d[\d.,]*")
_TIME = re.compile(r"(?:19|20)\d\d(?!\d|[,.]\d)|\d{1,2}\s[A-Z][a-z]{2}|\d[분년월]")
_PAIR = re.compile(r"[\s*•-]*+[^,;:]{1,40}:\s")
_NOTE = re.compile(
    r"\W*(?:in|단위|unit)\b.*|\W*\((?:.*\b(?:thousand|million|billion)s?\b.*|in .*|단위.*)\)\W*", re.IGNORECASE
)
_SCALE = re.compile(r"\b(thousand|million|billion|trillion)s?\b|\b(000)s?\b", re.IGNORECASE)
_KOREAN_UNIT = re.compile(r"단위\s*:?\s*([^\s,()\[\]]{1,8}(?:\s?[원명개])?)")
_IN_BRACKETS = re.compile(r"[(\[](?:in\s)?([^()\[\]]{1,24})[)\]]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cell:
    """`content` below `head`; `outer_heads` are the heads above that one, `unit` is the unit that the heads state."""

    head: str
    content: str
    outer_heads: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its label and cells, the rows and lines above that apply to it (`heading`), and the number of its
    table."""

    label: str
    cells: tuple[Cell, ...]
    heading: str = ""
    table: int = 0


@dataclass(frozen=True, slots=True)
class ParsedTables:
    """The rows of all tables and records of a text, at most 400, and its other lines."""

    rows: tuple[Row, ...]
    prose: str


@dataclass(frozen=True, slots=True)
class _Line:
    separator: str
    cells: tuple[str, ...]


@text_cache()
def parse_tables(text: str) -> ParsedTables:
    rows: list[Row] = []
    prose: list[str] = []
    for number, (above, lines) in enumerate(_tables_and_lines(text)):
        table = list(_rows(lines, above, number)) if len(lines) > 1 and lines[0].cells else []
        rows += table[: _MOST_ROWS - len(rows)]
        if not table:
            prose += (" | ".join(each.cells) if each.cells else each.separator for each in lines)
    records, others = parse_records(prose)
    kinds: dict[str, int] = {}
    for each in records[: _MOST_ROWS - len(rows)]:
        cells = tuple(Cell(head, content, unit=_unit(head)) for head, content in each.pairs)
        rows.append(Row(each.label, cells, each.heading, kinds.setdefault(cells[0].head, -1 - len(kinds))))
    return ParsedTables(tuple(rows), "\n".join(others))


def _tables_and_lines(text: str) -> Iterator[tuple[str, list[_Line]]]:
    """Yield runs of lines with the same separator, each with the heading and the line above it."""
    heading = caption = ""
    group: list[_Line] = []
    for line in text.splitlines():
        if line.strip() and _RULE.fullmatch(line):
            continue
        found = _split_cells(line)
        if group and (
            found.separator != group[0].separator
            or not found.cells
            or (found.separator != "|" and len(found.cells) != len(group[0].cells))
        ):
            yield f"{heading} {caption}", group
            group = []
        if found.cells:
            group.append(found)
            continue
        yield "", [found]
        if line.strip():
            heading, caption = (
                (line.strip("# "), "") if line.startswith("#") else (heading, line.strip()[:_LONGEST_CELL])
            )
    if group:
        yield f"{heading} {caption}", group


def _split_cells(line: str) -> _Line:
    if len(line) > _MOST_LINE:
        return _Line(line, ())
    if "|" in line:
        return _Line("|", tuple(each.strip() for each in line.strip().split("|")))
    if "\t" in line.strip():
        return _Line("\t", tuple(each.strip() for each in line.split("\t")))
    if _PAIR.match(line):
        return _Line(line, ())
    plain = _QUOTED_CELL.sub(lambda found: found[1].replace(",", "\0").replace(";", "\1"), line)
    for sign in (";", ","):
        cells = tuple(each.strip().replace("\0", ",").replace("\1", ";") for each in plain.split(sign))
        between = sign == ";" or not re.search(r",\s", plain)
        if len(cells) > 1 and between and not _SENTENCE.search(plain) and max(map(len, cells)) <= _LONGEST_CELL:
            return _Line(sign, cells)
    return _Line(line, ())


def cells_of(line: str) -> tuple[str, ...]:
    return tuple(each for each in _split_cells(line).cells if each)


def _rows(lines: Sequence[_Line], above: str, number: int) -> Iterator[Row]:
    grid = _grid(lines)
    if len(grid[0]) < 2:
        return
    top = _count_heads(grid)
    column = _label_column(grid[top:])
    heads = [_merged_heads([row[at] for row in _fill_spanning_heads(grid[:top])]) for at in range(len(grid[0]))]
    note = f"{above} {grid[top - 1][column]} {grid[0][column]}" if top else above
    units = [_unit(f"{head} {over}") or _unit(note, noted=True) for head, over in heads]
    group = label = ""
    for row in grid[top:]:
        contents = [each for at, each in enumerate(row) if at != column]
        if row[column] and not any(contents):
            group = row[column]
            continue
        label = row[column] or label
        cells = (
            Cell(heads[at][0], each, heads[at][1], units[at]) for at, each in enumerate(row) if at != column and each
        )
        yield Row(label, tuple(cells), f"{above} {group}".strip(), number)


def _grid(lines: Sequence[_Line]) -> list[list[str]]:
    rows = [list(each.cells) for each in lines]
    if lines[0].separator == "|" and all(not row[0] for row in rows):
        rows = [row[1:-1] if not row[-1] else row[1:] for row in rows]
    width = min(_MOST_COLUMNS, Counter(map(len, rows)).most_common(1)[0][0])
    return [(row + [""] * width)[:width] for row in rows]


def _count_heads(grid: Sequence[Sequence[str]]) -> int:
    if _is_headless(grid):
        return 0
    count = 1
    while count < min(_MOST_HEADS, len(grid) - 1):
        only_title = all(sum(map(bool, row)) <= 1 for row in grid[:count])
        row = grid[count]
        if any(map(_is_data, row[1:])) or not any(row[1:]) or not (only_title or not row[0] or _NOTE.fullmatch(row[0])):
            break
        count += 1
    return count


def _is_headless(grid: Sequence[Sequence[str]]) -> bool:
    """Say whether the first line is a row like the second: both have figures in the same units."""
    first, second = ([_FIGURE.sub("0", each) for each in row[1:]] for row in grid[:2])
    return bool(grid[0][0]) and first == second and all(map(_is_data, grid[0][1:])) and "0" not in first


def _is_data(cell: str) -> bool:
    return _DATA.match(cell) is not None and _TIME.match(cell) is None


def _label_column(body: Sequence[Sequence[str]]) -> int:
    """Return the column that labels the rows: the second if only the first has running numbers."""
    named = [sum(bool(row[at]) and not _is_data(row[at]) for row in body) * 2 > len(body) for at in (0, 1)]
    return 1 if named == [False, True] and len(body[0]) > 2 else 0


def _fill_spanning_heads(heads: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Yield the head lines; in each but the last a head also fills the empty cells after it."""
    for place, row in enumerate(heads):
        filled = list(row)
        if place < len(heads) - 1:
            for at in range(2, len(filled)):
                filled[at] = filled[at] or filled[at - 1]
        yield filled


def _merged_heads(heads: Sequence[str]) -> tuple[str, str]:
    filled = [each for each in heads if each]
    return (filled[-1], " ".join(filled[:-1])) if filled else ("", "")


def _unit(head: str, *, noted: bool = False) -> str:
    """Return the unit of the numbers below `head`: "million", "백만원", "kg". Brackets of a caption (`noted`) do not
    count."""
    if korean := _KOREAN_UNIT.search(head):
        return korean[1].replace(" ", "")
    if scale := _SCALE.search(head):
        return (scale[1] or "thousand").lower()
    found = None if noted else _IN_BRACKETS.search(head)
    return found[1].strip() if found and not any(map(str.isdigit, found[1])) else ""
