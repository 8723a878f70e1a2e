"""Cells of tables in real texts: the right one, and one of another row or column."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from benchmarks.metamorphic.cases import Case, Maker, Text, right, wrong
from benchmarks.metamorphic.korean import with_particles

_RULED = re.compile(r"^[\s|:=-]+$")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LABEL = re.compile(r"^[^\W\d_][^|]{2,60}$")
_VALUE = re.compile(r"^[$€£]?\s?\d[\d,.]*\s?(?:%|[가-힣A-Za-z]{1,4})?$")


@dataclass(frozen=True, slots=True)
class _Table:
    """A table: `rows[label][column]` under `heads[column]`; every value and every label occurs once."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def cells(kind: str) -> Maker:
    """Return a function that makes cases of a `kind`, "faithful: cells" or "swap: cells", from the tables of a text."""

    def maker(text: Text, rng: Random) -> Iterator[Case]:
        for table in _tables(text.text):
            for label, values in table.rows:
                column = rng.randrange(len(values))
                if kind == "faithful: cells":
                    yield right(kind, text.language, _stated(table, text, label, column, values[column]), text.text)
                else:
                    other = rng.choice(_others(table, label, column))
                    yield wrong(kind, text.language, _stated(table, text, label, column, other), text.text)

    return maker


def _others(table: _Table, label: str, column: int) -> list[str]:
    """Return the other values of the row, and those of the column."""
    found = [values[column] for other, values in table.rows if other != label]
    row = next(values for name, values in table.rows if name == label)
    return [*found, *(value for place, value in enumerate(row) if place != column and _YEAR.search(table.heads[place]))]


def _stated(table: _Table, text: Text, label: str, column: int, value: str) -> str:
    head = table.heads[column]
    if text.language == "ko":
        return with_particles(f"{label}의 {head} 값은 {value}이다.")
    return (
        f"In {head}, {label} was {value}."
        if _YEAR.fullmatch(head)
        else f"Under {head.removeprefix('At ')}, {label} is {value}."
    )


def _tables(text: str) -> Iterator[_Table]:
    """Yield the tables that have heads, at least two rows, and no value or label twice."""
    group: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        row = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.strip()[:1] == "|" else _row(line)
        if _RULED.match(line) and line.strip():
            continue
        if group and len(row) != len(group[0]):
            yield from _read(group)
            group = []
        if len(row) >= 2:
            group.append(row)


def _row(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


def _read(group: Sequence[Sequence[str]]) -> Iterator[_Table]:
    start = next((place for place, row in enumerate(group) if _are_heads(row[1:])), None)
    if start is None:
        return
    rows = [
        (row[0].rstrip(":"), tuple(row[1:]))
        for row in group[start + 1 :]
        if _LABEL.match(row[0]) and all(_VALUE.match(value) for value in row[1:])
    ]
    labels, values = [label for label, _ in rows], [value for _, each in rows for value in each]
    once = [(label, each) for label, each in rows if sum(label.lower() in other.lower() for other in labels) == 1]
    if len(once) >= 2 and len(set(values)) == len(values) > 3:
        yield _Table(tuple(group[start][1:]), tuple(once))


def _are_heads(cells_: Sequence[str]) -> bool:
    named = all(_YEAR.fullmatch(cell) or _LABEL.match(cell) or re.match(r"\d{4}년", cell) for cell in cells_)
    return named and len(set(cells_)) == len(cells_)
