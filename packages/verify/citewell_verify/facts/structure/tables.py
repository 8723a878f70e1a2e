"""Reads the tables and records of a source into rows of cells with their heads (V2).

Lines of a table have bars, tabs, semicolons or the same number of commas; its heads may take several lines. Records are
blocks of `key: value` lines, or several such pairs on one line. The rest of the source is prose.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from citewell_verify.entities.dates import Date
from citewell_verify.facts.structure.column_heads import (
    DATA,
    SCALE_NAMES,
    count_heads,
    fill_spanning_heads,
    is_data,
    is_period,
    label_column,
    merged_heads,
    notes_of_all,
    unit_of,
)
from citewell_verify.facts.structure.fiscal_terms import days_of, days_of_terms
from citewell_verify.facts.structure.records import parse_records
from citewell_verify.facts.structure.table_lines import TableLine, tables_and_lines
from citewell_verify.text.cache import text_cache

_MOST_ROWS = 400
_MOST_COLUMNS = 40
_MOST_GROUPS = 3
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|(?:1[0-2]|[1-9])월")
_MARKS = re.compile(r"\*\*|__|`")
_STATES_UNIT = re.compile(
    r"\bin (?:[A-Z]{0,3}[$€£¥]?\s?)?(?:thousand|million|billion)s?\b|단위"
    r"|[(\[][^()\[\]]*(?:\b(?:thousand|million|billion)s?\b|\b000s?\b|[$€£]\s?(?:m|bn)\b)",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Z]{3}")  # of a currency
_SIGN = re.compile(r"(?:\b(?:US|AU?|CA?|HK|NZ|S|NT))?[$€£¥₩]")


@dataclass(frozen=True, slots=True)
class Cell:
    """`content` below `head`; `outer_heads` are the heads above that one, `unit` is the unit that the heads state.

    `currency` is the sign of its column, which often only the first cell and the total bear. `days` are those that the
    text gives for the term of its head: 제31기.
    """

    head: str
    content: str
    outer_heads: str = ""
    unit: str = ""
    currency: str = ""
    days: tuple[Date, ...] = ()


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
    """Return a cell behind its heads: "French: Riri"."""
    head = _MARKS.sub("", f"{cell.outer_heads} {cell.head}".strip())
    content = cell.content
    if cell.unit in SCALE_NAMES and DATA.match(content) and "%" not in content:
        content = f"{content} {cell.unit}"
    return f"{head}: {content}" if head else content


@dataclass(frozen=True, slots=True)
class ParsedTables:
    """The rows of all tables and records of a text, at most 400, its other lines, and the lines that only name columns
    or groups of rows."""

    rows: tuple[Row, ...]
    prose: str
    heads: frozenset[str] = frozenset()


@text_cache()
def parse_tables(text: str) -> ParsedTables:
    rows: list[Row] = []
    prose: list[str] = []
    heads: set[str] = set()
    days = days_of_terms(text)
    for number, (above, lines) in enumerate(tables_and_lines(text)):
        table = list(_rows(lines, above, number, days)) if len(lines) > 1 and lines[0].cells else []
        heads.update({line.text.strip() for line in lines} - {row.line.strip() for row in table} if table else ())
        rows += table[: _MOST_ROWS - len(rows)]
        if not table:
            prose += (" | ".join(line.cells) if line.cells else line.separator for line in lines)
    records, others = parse_records(prose)
    kinds: dict[str, int] = {}
    for record in records[: _MOST_ROWS - len(rows)]:
        cells = tuple(Cell(head, content, unit=unit_of(head)) for head, content in record.pairs)
        rows.append(Row(record.label, cells, record.heading, kinds.setdefault(cells[0].head, -1 - len(kinds))))
    return ParsedTables(tuple(rows), "\n".join(others), frozenset(heads))


def _rows(lines: Sequence[TableLine], above: str, number: int, days: Mapping[int, tuple[Date, ...]]) -> Iterator[Row]:
    grid = _grid(lines)
    if len(grid[0]) < 2:
        return
    top = count_heads(grid)
    column = label_column(grid[top:])
    heads = [merged_heads([row[at] for row in fill_spanning_heads(grid[:top])]) for at in range(len(grid[0]))]
    note = " ".join(
        (above if _STATES_UNIT.search(above) else "", *(row[column] for row in grid[:top]), *notes_of_all(grid[:top]))
    )
    units = [_unit(" ".join(row[at] for row in grid[:top]), note) for at in range(len(grid[0]))]
    signs = [_sign(grid[top:], at) or _sign(grid[:top], at) or _sign([[note]], 0) for at in range(len(grid[0]))]
    groups: list[str] = []
    label = ""
    for row, line in zip(grid[top:], lines[top:], strict=True):
        if row[column] and not any(content for at, content in enumerate(row) if at != column):
            # The line names a group and ends the last one of its form, a date or a name.
            is_date = _is_dated(row[column])
            alike = next((place for place, group in enumerate(groups) if _is_dated(group) is is_date), len(groups))
            groups = [*groups[:alike], row[column]][-_MOST_GROUPS:]
            continue
        label = row[column] or label
        cells = (
            Cell(heads[at][0], content, heads[at][1], units[at], signs[at], days_of(heads[at][0], days))
            for at, content in enumerate(row)
            if at != column and content
        )
        yield Row(label, tuple(cells), f"{above} {' '.join(groups)}".strip(), number, tuple(groups), line.text)


def _unit(head: str, note: str) -> str:
    """Return the unit that a head states, else the note; "Sales EUR" below "(in millions)" has its scale from there."""
    own, noted = unit_of(head), unit_of(note, noted=True)
    return noted if noted in SCALE_NAMES and _CODE.fullmatch(own) else own or noted


def _is_dated(group: str) -> bool:
    return _YEAR.search(group) is not None


def _sign(rows: Sequence[Sequence[str]], at: int) -> str:
    return next((match[0] for row in rows if at < len(row) and (match := _SIGN.search(row[at]))), "")


def _grid(lines: Sequence[TableLine]) -> list[list[str]]:
    rows = [list(line.cells) for line in lines]
    if lines[0].separator == "|" and all(not row[0] for row in rows):
        rows = [row[1:-1] if not row[-1] else row[1:] for row in rows]
    width = min(_MOST_COLUMNS, Counter(map(len, rows)).most_common(1)[0][0])
    first = rows[0]
    lacks_one = len(first) == width - 1 and all(first) and not any(map(is_data, first))
    if lines[0].separator == "\t" and len(first) < width and (is_period(first[0]) or lacks_one):
        rows[0] = ["", *first]  # a text that begins with the empty corner has lost its tab
    return [(row + [""] * width)[:width] for row in rows]
