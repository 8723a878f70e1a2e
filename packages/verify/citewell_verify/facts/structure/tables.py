"""Reads the tables and records of a source into rows of cells with their heads (V2).

Lines of a table have bars, tabs, semicolons or the same number of commas; its heads may take several lines. Records are
blocks of `key: value` lines, or several such pairs on one line. The rest of the source is prose.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

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
from citewell_verify.facts.structure.terms import days_of, days_of_terms
from citewell_verify.text.cache import text_cache

_MOST_LINE = 2_000
_LONGEST_GROUP = 120
_LONGEST_CELL = 80  # characters in lines with commas or semicolons, which sentences have, too
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
        is_short = line.strip() and "\t" not in line and len(line) <= _LONGEST_GROUP and not _SENTENCE.search(line)
        if group and group[0].separator == "\t" and is_short and "\t" in following.strip():
            row = TableLine("\t", (line.strip(),), line)  # a row with one cell; its empty cells were cut off
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
    """Return the line above a table, with the unit and term of a short one beside it: "(단위 : 천원)", "<당기>"."""
    unit = _KOREAN_UNIT.search(line) or (_KOREAN_UNIT.search(before) if len(line) <= _SHORT else None)
    if unit is None:
        return line[:_LONGEST_CELL]
    name = _KOREAN_UNIT.sub("", line).strip()[:_LONGEST_CELL]
    if not name and len(before) <= _SHORT and _TERM.search(before):
        name = _KOREAN_UNIT.sub("", before).strip()
    return f"{name} {unit[0]}".strip()


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


_MOST_KEY, _MOST_VALUE, _LONGEST_PAIR_LINE = 40, 120, 600
_KEY_AND_VALUE = re.compile(r"[\s*•·-]*+([^\s:|,;(][^:|,;(\n]{0,39}):\s+(\S.{0,119})")
_SUBJECT = re.compile(
    r"[\s*•-]*+([^:;(\n]{1,60}?)(?:\s+[–—-]\s+|:\s+(?=[^:;,(]{1,40}:\s)|\s*\((?=[^:;,()]{1,40}:\s))(.*)", re.DOTALL
)
_BETWEEN = re.compile(r"[;,·/]\s+")
_TITLE = re.compile(r"[\s#*■▶]*([^.!?。|]{1,80}?)[\s:*#]*")


@dataclass(frozen=True, slots=True)
class Record:
    """The (key, value) `pairs` of a thing; its `label` is empty if only the `heading` may name it."""

    label: str
    pairs: tuple[tuple[str, str], ...]
    heading: str


def parse_records(lines: Sequence[str]) -> tuple[list[Record], list[str]]:
    blocks: list[tuple[str, list[tuple[str, str]]]] = []
    records: list[Record] = []
    others: list[str] = []
    title = ""
    block: list[tuple[str, str, str]] = []
    for line in (*lines, ""):
        pair = _KEY_AND_VALUE.fullmatch(line)
        running = _inline_record(line) if len(line) <= _LONGEST_PAIR_LINE else None
        if pair and not running:
            block.append((pair[1].strip(" *"), pair[2].strip(" *"), line))
            continue
        if len(block) > 1:
            blocks.append((title, [(key, value) for key, value, _ in block]))
        else:
            others += [text for _, _, text in block]
        block = []
        if running:
            records.append(Record(running[0] or title, running[1], ""))
            continue
        others.append(line)
        if line.strip():
            match = _TITLE.fullmatch(line[:_LONGEST_PAIR_LINE])
            title = match[1].strip() if match else ""
    counted = Counter(pairs[0][0] for _, pairs in blocks)
    for above, pairs in blocks:
        records += _records_of_block(above, pairs, shared=counted[pairs[0][0]] > 1)
    return records, others


def _records_of_block(above: str, pairs: Sequence[tuple[str, str]], *, shared: bool) -> list[Record]:
    """Return one record, or one for each repetition of the first key.

    Several records of a kind are named by their first values, a single record by its heading.
    """
    first = pairs[0][0]
    starts = [at for at, (key, _) in enumerate(pairs) if key == first]
    ends = [*starts[1:], len(pairs)]
    if shared or len(starts) > 1:
        parts = [pairs[start:end] for start, end in zip(starts, ends, strict=True)]
        return [Record(part[0][1], tuple(part[1:]), above) for part in parts if len(part) > 1]
    return [Record(above, tuple(pairs), "")]


def _inline_record(line: str) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """Return the subject and pairs of a line such as "X1: price: 5, weight: 3 kg"; None for less than two pairs."""
    if line.count(":") < 2:
        return None
    text, label = line.strip().rstrip(".。)"), ""
    if subject := _SUBJECT.match(text):
        label, text = subject[1].strip(), subject[2]
    pairs: list[tuple[str, str]] = []
    for part in _BETWEEN.split(text):
        key, colon, value = part.partition(": ")
        if colon and value and len(key) <= _MOST_KEY and len(value) <= _MOST_VALUE:
            pairs.append((key.strip(" -*•"), value.strip()))
        elif pairs and not colon:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]}, {part.strip()}")
        else:
            return None
    return (label, tuple(pairs)) if len(pairs) > 1 else None


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
    """A cell: `content` below `head`; `outer_heads` are the heads above that head, `unit` is the unit that they state.

    `currency` is the sign of its column, which often only the first cell and the total have. `days` are the days that
    the text gives for the fiscal term in its head: 제31기.
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
    row's text in the source, "" for a record.
    """

    label: str
    cells: tuple[Cell, ...]
    heading: str = ""
    table: int = 0
    groups: tuple[str, ...] = ()
    line: str = ""


def cells_as_text(row: Row, cells: Sequence[Cell]) -> str:
    """Return cells of a row in the form in which an answer quotes them: "Huey · French: Riri; German: Tick"."""
    label = _MARKS.sub("", row.label)
    return f"{label} · {'; '.join(_named(cell) for cell in cells)}" if label else "; ".join(map(_named, cells))


def _named(cell: Cell) -> str:
    """Return a cell after its heads: "French: Riri"."""
    head = _MARKS.sub("", f"{cell.outer_heads} {cell.head}".strip())
    content = cell.content
    if cell.unit in SCALE_NAMES and DATA.match(content) and "%" not in content:
        content = f"{content} {cell.unit}"
    return f"{head}: {content}" if head else content


@dataclass(frozen=True, slots=True)
class ParsedTables:
    """The rows of all tables and records of a text, at most 400, its other lines, and the lines that are only heads."""

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
    filled = list(fill_spanning_heads(grid[:top]))
    heads = [merged_heads([row[at] for row in filled]) for at in range(len(grid[0]))]
    note = " ".join(
        (above if _STATES_UNIT.search(above) else "", *(row[column] for row in grid[:top]), *notes_of_all(grid[:top]))
    )
    units = [_unit(" ".join(row[at] for row in filled), note) for at in range(len(grid[0]))]
    signs = [_sign(grid[top:], at) or _sign(filled, at) or _sign([[note]], 0) for at in range(len(grid[0]))]
    groups: list[str] = []
    label = ""
    for row, line in zip(grid[top:], lines[top:], strict=True):
        if row[column] and not any(content for at, content in enumerate(row) if at != column):
            # The line names a group, and ends the last group of the same form, which is a date or a name.
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
    """Return the unit that a head states, or else the note's unit; "Sales EUR" below "(in millions)" has the note's
    scale.
    """
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
        rows[0] = ["", *first]  # a text that begins with an empty corner cell has lost its first tab
    return [(row + [""] * width)[:width] for row in rows]
