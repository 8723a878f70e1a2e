"""Tables and records of a source: which value stands in which row under which head (V2).

Tables are lines with bars, lines of as many commas or tabs, and blocks of `key: value` lines. A statement that names
one row and one head is about one cell, and states its value or not.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby

from domain.facts.aligning import same
from domain.facts.kinds import Difference
from domain.facts.tokens import Token, read_tokens

_FEWEST_ROWS = 2
_MOST_ROWS = 400
_MOST_CELL = 120
_RULE = re.compile(r"[\s|:+-]*")
_RECORD = re.compile(r"\s*[-*]?\s*([^:|,\n]{1,40}):\s+(\S[^\n]{0,120})$")
_QUOTED_CELL = re.compile(r'"([^"]*)"')


@dataclass(frozen=True)
class Row:
    """One row: what it is about, and its cells with the heads above them."""

    label: str
    cells: tuple[tuple[str, str], ...]

    @cached_property
    def label_tokens(self) -> tuple[Token, ...]:
        """What the label tells."""
        return tuple(each for each in read_tokens(self.label) if each.matters)


@lru_cache(maxsize=256)
def read_rows(text: str) -> tuple[Row, ...]:
    """Return the rows of all tables and records in `text`, at most 400."""
    found: list[Row] = []
    lines = [line for line in text.splitlines() if not (line.strip() and _RULE.fullmatch(line))]
    for _, group in groupby(enumerate(map(_cells, lines)), key=lambda each: len(each[1])):
        rows = [cells for _, cells in group if cells]
        if len(rows) >= _FEWEST_ROWS and len(rows[0]) > 1:
            head = rows[0]
            found += [Row(row[0], tuple(zip(head[1:], row[1:], strict=True))) for row in rows[1:]]
    found += _records(lines)
    return tuple(found[:_MOST_ROWS])


def _cells(line: str) -> tuple[str, ...]:
    if "|" in line:
        return tuple(each.strip() for each in line.strip().strip("|").split("|"))
    if "\t" in line:
        return tuple(each.strip() for each in line.split("\t"))
    if line.count(",") and not re.search(r",\s|[.!?。]\s*$", _QUOTED_CELL.sub("x", line)):
        plain = _QUOTED_CELL.sub(lambda found: found[1].replace(",", "\0"), line)
        return tuple(each.strip().replace("\0", ",") for each in plain.split(","))
    return ()


def _records(lines: Sequence[str]) -> Iterator[Row]:
    block: list[tuple[str, str]] = []
    for line in (*lines, ""):
        record = _RECORD.match(line)
        if record:
            block.append((record[1].strip(), record[2].strip()))
            continue
        if len(block) > 1:
            yield Row(block[0][1], tuple(block[1:]))
        block = []


@dataclass(frozen=True, slots=True)
class CellVerdict:
    """What a table says of a statement about one cell: nothing differs, or what does; `place` is the row."""

    differences: tuple[Difference, ...]
    place: str


def against_tables(tokens: Sequence[Token], text: str) -> CellVerdict | None:
    """Return what the tables of `text` say of a statement; None where it names no row, or several, or no cell."""
    rows = read_rows(text)
    told = [each for each in tokens if each.matters]
    named = [row for row in rows if row.label_tokens and _has(told, row.label_tokens)]
    if len(named) != 1:
        return None
    (row,) = named
    rest = [each for each in told if not _has([each], row.label_tokens[:1]) and not _is_in(each, row.label_tokens)]
    heads = _named_heads(rest, row)
    if len(heads) > 1:
        return None
    verdict = _of_cell(rest, heads[0], row) if heads else _of_row(rest, row)
    return (
        None if verdict is None else CellVerdict(verdict, f"{row.label}: {', '.join(' '.join(c) for c in row.cells)}")
    )


def _named_heads(rest: Sequence[Token], row: Row) -> list[tuple[str, str]]:
    """The cells whose whole head the statement has, without those whose head is a part of another's."""
    found = [(cell, {each.key for each in read_tokens(cell[0]) if each.matters}) for cell in row.cells]
    found = [
        (cell, keys) for cell, keys in found if keys and _has(rest, [t for t in read_tokens(cell[0]) if t.matters])
    ]
    return [cell for cell, keys in found if not any(keys < other for _, other in found)]


def _of_cell(rest: Sequence[Token], cell: tuple[str, str], row: Row) -> tuple[Difference, ...] | None:
    head, content = cell
    known = [each for each in read_tokens(content[:_MOST_CELL]) if each.matters]
    heading = [each for each in read_tokens(head) if each.matters]
    stated = [each for each in rest if not _is_in(each, heading)]
    if known and _has(stated, known):
        return ()
    others = [
        each for other in row.cells if other != cell for each in read_tokens(other[1][:_MOST_CELL]) if each.matters
    ]
    values = [each for each in stated if each.value]
    wrong = next((each for each in stated if _is_in(each, others)), None) or (values[0] if values else None)
    if wrong is None and not (len(stated) == 1 and known):
        return None
    return (Difference("number" if values else "subject", (wrong or stated[0]).text, content),)


def _of_row(rest: Sequence[Token], row: Row) -> tuple[Difference, ...] | None:
    """No head is named: the value has to stand in the row, and no head of another cell may be meant."""
    values = [each for each in rest if each.value]
    cells = [each for _, content in row.cells for each in read_tokens(content[:_MOST_CELL]) if each.value]
    if not values or not cells:
        return None
    wrong = [each for each in values if not _is_in(each, cells)]
    return tuple(Difference("number", each.text, None) for each in wrong) if wrong else None


def _has(tokens: Sequence[Token], wanted: Sequence[Token]) -> bool:
    return all(_is_in(each, tokens) for each in wanted)


def _is_in(token: Token, tokens: Sequence[Token]) -> bool:
    return any(same(token, other) or token.key == other.key for other in tokens)
