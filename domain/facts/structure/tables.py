"""Reads the tables and records of a source into rows of cells with their heads (V2).

Lines of a table have bars, tabs, semicolons or the same number of commas; its heads may take several lines. Records are
blocks of `key: value` lines, or several such pairs on one line. The rest of the source is prose.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from domain.facts.structure.records import parse_records
from domain.text.cache import text_cache

_MOST_ROWS = 400
_MOST_COLUMNS = 40
_MOST_LINE = 2_000
_MOST_HEADS = 4  # lines
_MOST_GROUPS = 3
_LONGEST_GROUP = 120
_LONGEST_CELL = 80  # in lines with commas or semicolons, which sentences have, too
_RULE = re.compile(r"[\s|:+=-]+")
_QUOTED_CELL = re.compile(r'"([^"]*)"')
_SENTENCE = re.compile(r"[.!?。]\s*$")
_DATA = re.compile(r"[\s(~<>≤≥+−–-]*[$€£₩¥]?\s?[(−–-]?\d")
_FIGURE = re.compile(r"\d[\d.,]*")
_TIME = re.compile(r"(?:19|20)\d\d(?!\d|[,.]\d)|\d{1,2}\s[A-Z][a-z]{2}|\d[분년월]")
_WORD = re.compile(r"[^\W\d_]{3}")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|(?:1[0-2]|[1-9])월")
_PAIR = re.compile(r"[\s*•-]*+[^,;:]{1,40}:\s")
_NOTE = re.compile(
    r"\W*(?:in|단위|unit)\b.*|\W*\((?:.*\b(?:thousand|million|billion)s?\b.*|in .*|단위.*)\)\W*", re.IGNORECASE
)
_SCALE = re.compile(r"\b(thousand|million|billion|trillion)s?\b|\b(000)s?\b|[$€£¥]\s?(m|mn|bn|tn|k)\b", re.IGNORECASE)
_SHORT_SCALES = {"000": "thousand", "k": "thousand", "m": "million", "mn": "million", "bn": "billion", "tn": "trillion"}
_SCALES = frozenset({*_SHORT_SCALES.values(), "trillion"})
_MARKS = re.compile(r"\*\*|__|`")
_UNIT_ALONE = re.compile(
    r"\W*(?:in\b)?\W*(?:US|AU?|CA?|HK|NZ)?\s*[$€£¥₩%’'‘`]*\s*(?:(?:US )?dollars?|euros?|won)?\W*(?:in\b\s*)?"
    r"(?:(?:m|mn|bn|000s?|thousands?|millions?|billions?)\b)?(?:,? except [^|]*)?\W*",
    re.IGNORECASE,
)
_STATES_UNIT = re.compile(
    r"\bin (?:[A-Z]{0,3}[$€£¥]?\s?)?(?:thousand|million|billion)s?\b|단위"
    r"|[(\[][^()\[\]]*(?:\b(?:thousand|million|billion)s?\b|\b000s?\b|[$€£]\s?(?:m|bn)\b)",
    re.IGNORECASE,
)
_SIGN = re.compile(r"(?:\b(?:US|AU?|CA?|HK|NZ|S|NT))?[$€£¥₩]")
_KOREAN_UNIT = re.compile(r"단위\s*:?\s*([^\s,()\[\]]{1,8}(?:\s?[원명개])?)")
_IN_BRACKETS = re.compile(r"[(\[](?:in\s)?([^()\[\]]{1,24})[)\]]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cell:
    """`content` below `head`; `outer_heads` are the heads above that one, `unit` is the unit that the heads state.

    `currency` is the sign of its column, which often only the first cell and the total bear.
    """

    head: str
    content: str
    outer_heads: str = ""
    unit: str = ""
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its label and cells, the rows and lines above that apply to it (`heading`), and the number of its
    table.

    `groups` are the lines within the table that name a group of rows or their date, the outermost first; `line` is the
    row as it stands in the text, "" for a record.
    """

    label: str
    cells: tuple[Cell, ...]
    heading: str = ""
    table: int = 0
    groups: tuple[str, ...] = ()
    line: str = ""


def cells_as_text(row: Row, cells: Sequence[Cell]) -> str:
    """Return cells of a row as an answer quotes them: "Huey · French: Riri; German: Tick"."""
    label = _MARKS.sub("", row.label)
    return f"{label} · {'; '.join(_named(cell) for cell in cells)}" if label else "; ".join(map(_named, cells))


def _named(cell: Cell) -> str:
    head = _MARKS.sub("", f"{cell.outer_heads} {cell.head}".strip())
    content = cell.content
    if cell.unit in _SCALES and _DATA.match(content) and "%" not in content:
        content = f"{content} {cell.unit}"
    return f"{head}: {content}" if head else content


@dataclass(frozen=True, slots=True)
class ParsedTables:
    """The rows of all tables and records of a text, at most 400, its other lines, and the lines that only name columns
    or groups of rows."""

    rows: tuple[Row, ...]
    prose: str
    heads: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Line:
    separator: str
    cells: tuple[str, ...]
    text: str = ""


@text_cache()
def parse_tables(text: str) -> ParsedTables:
    rows: list[Row] = []
    prose: list[str] = []
    heads: set[str] = set()
    for number, (above, lines) in enumerate(_tables_and_lines(text)):
        table = list(_rows(lines, above, number)) if len(lines) > 1 and lines[0].cells else []
        heads.update({each.text.strip() for each in lines} - {row.line.strip() for row in table} if table else ())
        rows += table[: _MOST_ROWS - len(rows)]
        if not table:
            prose += (" | ".join(each.cells) if each.cells else each.separator for each in lines)
    records, others = parse_records(prose)
    kinds: dict[str, int] = {}
    for each in records[: _MOST_ROWS - len(rows)]:
        cells = tuple(Cell(head, content, unit=_unit(head)) for head, content in each.pairs)
        rows.append(Row(each.label, cells, each.heading, kinds.setdefault(cells[0].head, -1 - len(kinds))))
    return ParsedTables(tuple(rows), "\n".join(others), frozenset(heads))


def _tables_and_lines(text: str) -> Iterator[tuple[str, list[_Line]]]:
    """Yield runs of lines with the same separator, each with the heading and the line above it."""
    heading = caption = ""
    group: list[_Line] = []
    listed = text.splitlines()
    for line, following in zip_longest(listed, listed[1:], fillvalue=""):
        if line.strip() and _RULE.fullmatch(line):
            continue
        found = _split_cells(line)
        if group and group[0].separator == "\t" and _names_group(line, following):
            found = _Line("\t", (line.strip(),), line)
        if group and (
            found.separator != group[0].separator
            or not found.cells
            or (found.separator not in "|\t" and len(found.cells) != len(group[0].cells))
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


def _names_group(line: str, following: str) -> bool:
    # Between rows with tabs: a row of one cell, whose empty cells were cut off.
    is_row = bool(line.strip()) and "\t" not in line and len(line) <= _LONGEST_GROUP and not _SENTENCE.search(line)
    return is_row and "\t" in following.strip()


def _split_cells(line: str) -> _Line:
    if len(line) > _MOST_LINE:
        return _Line(line, ())
    if "|" in line:
        return _Line("|", tuple(each.strip() for each in line.strip().split("|")), line)
    if "\t" in line.strip():
        return _Line("\t", tuple(each.strip() for each in line.split("\t")), line)
    if _PAIR.match(line):
        return _Line(line, ())
    plain = _QUOTED_CELL.sub(lambda found: found[1].replace(",", "\0").replace(";", "\1"), line)
    for sign in (";", ","):
        cells = tuple(each.strip().replace("\0", ",").replace("\1", ";") for each in plain.split(sign))
        between = sign == ";" or not re.search(r",\s", plain)
        if len(cells) > 1 and between and not _SENTENCE.search(plain) and max(map(len, cells)) <= _LONGEST_CELL:
            return _Line(sign, cells, line)
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
    note = " ".join(
        (above if _STATES_UNIT.search(above) else "", *(row[column] for row in grid[:top]), *_notes_of_all(grid[:top]))
    )
    units = [_unit(" ".join(row[at] for row in grid[:top])) or _unit(note, noted=True) for at in range(len(grid[0]))]
    signs = [_sign(grid[top:], at) or _sign(grid[:top], at) or _sign([[note]], 0) for at in range(len(grid[0]))]
    groups: list[str] = []
    label = ""
    for row, line in zip(grid[top:], lines[top:], strict=True):
        contents = [each for at, each in enumerate(row) if at != column]
        if row[column] and not any(contents):
            groups = _below(groups, row[column])
            continue
        label = row[column] or label
        cells = (
            Cell(heads[at][0], each, heads[at][1], units[at], signs[at])
            for at, each in enumerate(row)
            if at != column and each
        )
        yield Row(label, tuple(cells), f"{above} {' '.join(groups)}".strip(), number, tuple(groups), line.text)


def _below(groups: Sequence[str], new: str) -> list[str]:
    # It ends the last one of its form, a date or a name.
    is_date = _is_dated(new)
    alike = next((at for at, each in enumerate(groups) if _is_dated(each) is is_date), None)
    return [*(groups if alike is None else groups[:alike]), new][-_MOST_GROUPS:]


def _is_dated(group: str) -> bool:
    return _YEAR.search(group) is not None


def _notes_of_all(heads: Sequence[Sequence[str]]) -> Iterator[str]:
    # "(in millions)" in the middle is about all columns.
    for row in heads:
        filled = [each for each in row[1:] if each]
        if len(filled) == 1 and len(row) > 2 and _UNIT_ALONE.fullmatch(filled[0]):
            yield filled[0]


def _sign(rows: Sequence[Sequence[str]], at: int) -> str:
    return next((found[0] for row in rows if at < len(row) and (found := _SIGN.search(row[at]))), "")


def _grid(lines: Sequence[_Line]) -> list[list[str]]:
    rows = [list(each.cells) for each in lines]
    if lines[0].separator == "|" and all(not row[0] for row in rows):
        rows = [row[1:-1] if not row[-1] else row[1:] for row in rows]
    width = min(_MOST_COLUMNS, Counter(map(len, rows)).most_common(1)[0][0])
    if lines[0].separator == "\t" and _lost_corner(rows[0], width):
        rows[0] = ["", *rows[0]]
    return [(row + [""] * width)[:width] for row in rows]


def _lost_corner(row: Sequence[str], width: int) -> bool:
    # A text that begins with the empty corner has lost its tab.
    if len(row) >= width:
        return False
    return _TIME.match(row[0]) is not None or (len(row) == width - 1 and all(row) and not any(map(_is_data, row)))


def _count_heads(grid: Sequence[Sequence[str]]) -> int:
    if _is_headless(grid):
        return 0
    count = 1
    while count < min(_MOST_HEADS, len(grid) - 1):
        only_title = all(sum(map(bool, row)) <= 1 for row in grid[:count])
        row = grid[count]
        below_corner = not any(above[0] for above in grid[:count]) and all(map(_is_period, filter(None, row[1:])))
        names = _is_names(row) or only_title or not row[0] or below_corner or _NOTE.fullmatch(row[0])
        if not any(row[1:]) or not names:
            break
        if any(map(_is_data, row[1:])) and not _is_names(row):
            break
        count += 1
    return count


def _is_period(cell: str) -> bool:
    return _TIME.match(cell) is not None


def _is_names(row: Sequence[str]) -> bool:
    # Beside a unit such as "$ million"; some have a figure: "52 weeks".
    return bool(row[0]) and _UNIT_ALONE.fullmatch(row[0]) is not None and all(map(_WORD.search, filter(None, row[1:])))


def _is_headless(grid: Sequence[Sequence[str]]) -> bool:
    # Both first lines have figures in the same units.
    first, second = ([_FIGURE.sub("0", each) for each in row[1:]] for row in grid[:2])
    return bool(grid[0][0]) and first == second and all(map(_is_data, grid[0][1:])) and "0" not in first


def _is_data(cell: str) -> bool:
    return _DATA.match(cell) is not None and _TIME.match(cell) is None


def _label_column(body: Sequence[Sequence[str]]) -> int:
    # The second if only the first has running numbers.
    named = [sum(bool(row[at]) and not _is_data(row[at]) for row in body) * 2 > len(body) for at in (0, 1)]
    return 1 if named == [False, True] and len(body[0]) > 2 else 0


def _fill_spanning_heads(heads: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Yield the head lines; in each but the last a head also fills the empty cells after it, and a lone one all."""
    for place, row in enumerate(heads):
        filled = list(row)
        if place < len(heads) - 1:
            named = [at for at in range(1, len(filled)) if filled[at]]
            if len(named) == 1 and named[0] < len(filled) - 1:
                filled[1:] = [filled[named[0]]] * (len(filled) - 1)
            for at in range(2, len(filled)):
                filled[at] = filled[at] or filled[at - 1]
        yield filled


def _merged_heads(heads: Sequence[str]) -> tuple[str, str]:
    """Return the lowest head of a column and those above it; one that only states the unit is no name."""
    filled = [each for each in heads if each]
    named = [each for each in filled if not _UNIT_ALONE.fullmatch(each)] or filled
    return (named[-1], " ".join(named[:-1])) if named else ("", "")


def _unit(head: str, *, noted: bool = False) -> str:
    """Return the unit of the numbers below `head`: "million", "백만원", "kg". Brackets of a caption (`noted`) do not
    count."""
    if korean := _KOREAN_UNIT.search(head):
        return korean[1].replace(" ", "")
    if scale := _SCALE.search(head):
        name = next(filter(None, scale.groups())).lower()
        return _SHORT_SCALES.get(name, name)
    found = None if noted else _IN_BRACKETS.search(head)
    return found[1].strip() if found and not any(map(str.isdigit, found[1])) else ""
