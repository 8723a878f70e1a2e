"""Tables of real documents as a careful reader sees them: rows, columns, periods and units, read strictly.

Written independently of the program's own reader of tables. Uncertain parts (a head or a label that occurs twice, a
figure without a column of its own) are left out, so that every statement made from a table has a known truth.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from citewell_documents.parsing import READ_SUFFIXES, ParseLimits, parse
from citewell_verify.errors import CitewellError

_FIGURE = re.compile(r"^(?:US|A|C|NZ)?[$€£¥₩]?\s*\(?-?\s*[$€£¥₩]?\s*\d[\d,]*(?:\.\d+)?\s*\)?\s?%?\)?$")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_LABEL = re.compile(r"^(?=.*[^\W\d_]{3})(?!at |less|add|in )[^|:]{3,70}$", re.IGNORECASE)
_HEAD = re.compile(r"[^\W\d_]{3}.*[^:]$|^(?:FY ?)?(?:19|20)\d\d$")
_NOTE = re.compile(r"(?<=[a-z])\d$|\s*\(?\b(?:see )?(?:note )?\d{1,2}\)?$|\s*\([a-z\d]{1,2}\)", re.IGNORECASE)
_SCALES = (
    ("thousand", re.compile(r"\bthousands?\b|[’'`‘]?\b000s?\b", re.IGNORECASE)),
    ("million", re.compile(r"\bmillions?\b|[$€£]\s?m(?:illion)?\b", re.IGNORECASE)),
    ("billion", re.compile(r"\bbillions?\b|[$€£]\s?bn\b", re.IGNORECASE)),
)
_CURRENCY = re.compile(r"US\$|A\$|[$€£¥₩]")
_UNIT_ONLY = re.compile(
    r"^\W*(?:in |US|A)?\W*(?:[$€£]\W*)?(?:m|bn|000s?|thousands?|millions?|billions?|%)?\W*$", re.IGNORECASE
)
_UNSCALED = re.compile(
    r"\bper |%|percent|rate|ratio|margin|number|shares|years\b|days|months?\b|employees", re.IGNORECASE
)
_LIMITS = ParseLimits(max_pages=500, max_chars=5_000_000)


@dataclass(frozen=True, slots=True)
class Figure:
    """A cell: the digits as printed, whether it is negative, its currency sign and scale ("" if the table has none)."""

    digits: str
    negative: bool = False
    currency: str = ""
    scale: str = ""
    percent: bool = False


@dataclass(frozen=True, slots=True)
class TruthTable:
    """`rows[label][column]` under `heads[column]`; a cell that is no plain figure is None. `period` of a row: the date
    that a line above it gives. `held_out` divides the tables by a hash of their text."""

    source: str
    origin: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, str, tuple[Figure | None, ...]], ...]

    @property
    def held_out(self) -> bool:
        return hashlib.sha256(self.source.encode()).digest()[0] % 2 == 1

    @property
    def years(self) -> set[int]:
        return {int(each) for each in _YEAR.findall(self.source)}


def year_of(head: str) -> str:
    """Return the only year of a head, or ""."""
    found = _YEAR.findall(head)
    return found[0] if len(found) == 1 else ""


def truth_tables(folder: Path) -> list[TruthTable]:
    """Return the tables of `qa/*_passages.jsonl` and `documents/` below `folder`, in a fixed order."""
    found = [*_of_passages(folder / "qa"), *_of_documents(folder / "documents")]
    return [table for origin, text in found for table in _read(text, origin)]


def _of_passages(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.glob("*_passages.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row.get("kind") == "table":
                yield "TAT-QA", str(row["text"]).strip("\n")


def _of_documents(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.glob("*")):
        if path.suffix not in READ_SUFFIXES:
            continue
        try:
            document = parse(path.read_bytes(), path.name, _LIMITS)
        except CitewellError:
            continue
        for table in document.tables:
            yield path.suffix.lstrip("."), document.text[table.start : table.end]


def _read(text: str, origin: str) -> Iterator[TruthTable]:
    grid = _grid(text)
    top = next((at for at, row in enumerate(grid) if _is_data(row)), 0)
    if not top or len(grid[0]) < 2:
        return
    # Text about the whole table: beside no name of a column, or alone in its line.
    above = " ".join(
        cell
        for row in grid[:top]
        for at, cell in enumerate(row)
        if not at or _UNIT_ONLY.match(cell) or sum(map(bool, row)) == 1
    )
    while top > 1 and not any(grid[top - 1][1:]):
        top -= 1  # lines with one cell above the first row of figures are groups of rows
    heads, scales = _heads(grid[:top])
    rows = [
        (label, period, _figures(label, row[1:], scales, above))
        for label, period, row in _labelled(grid[top:])
        if len(row) == len(heads) + 1
    ]
    counted = Counter((_key(label), period) for label, period, _ in rows)
    labels = [_key(label) for label, _, _ in rows]
    sure = [
        row
        for row in rows
        if counted[_key(row[0]), row[1]] == 1 and (row[1] or labels.count(_key(row[0])) == 1) and any(row[2])
    ]
    if len(sure) >= 2 and all(map(_HEAD.search, heads)) and len(set(map(str.casefold, heads))) == len(heads):
        yield TruthTable(text, origin, heads, tuple(sure))


def _grid(text: str) -> list[list[str]]:
    sign = "\t" if "\t" in text else "|"
    rows = [
        [cell.strip() for cell in line.strip(" |" if line.startswith("|") else "").split(sign)]
        for line in text.split("\n")
    ]
    rows = [row for row in rows if any(re.search(r"\w", cell) for cell in row)]
    width = max(map(len, rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]


def _is_data(row: Sequence[str]) -> bool:
    return bool(_LABEL.match(row[0])) and any(_FIGURE.match(each) and not _YEAR.fullmatch(each) for each in row[1:])


def _heads(rows: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the lowest head of each column that is not a unit, and the unit of each column."""
    columns = list(zip(*rows, strict=True))[1:]
    named = tuple(
        next((each for each in reversed(column) if each and not _UNIT_ONLY.match(each)), "") for column in columns
    )
    return named, tuple(" ".join(column) for column in columns)


def _labelled(rows: Sequence[Sequence[str]]) -> Iterator[tuple[str, str, Sequence[str]]]:
    period = ""
    for row in rows:
        label = _NOTE.sub("", row[0]).strip(" :")
        if row[0] and not any(row[1:]):
            period = label if _YEAR.search(label) and len(label) < 30 else period
        elif _LABEL.match(label):
            yield label, period, row


def _figures(label: str, cells: Sequence[str], scales: Sequence[str], above: str) -> tuple[Figure | None, ...]:
    return tuple(_figure(label, cell, scale, above) for cell, scale in zip(cells, scales, strict=True))


def _figure(label: str, cell: str, head: str, above: str) -> Figure | None:
    if not _FIGURE.match(cell) or _YEAR.fullmatch(cell):
        return None
    digits = re.sub(r"[^\d,.]", "", cell)
    percent = "%" in cell
    if not percent and "%" in head:
        return None
    negative = "(" in cell or "-" in cell
    if percent:
        return Figure(digits, negative, percent=True)
    sign = _CURRENCY.search(cell) or (
        None if _UNSCALED.search(f"{label} {head}") else _CURRENCY.search(head) or _CURRENCY.search(above)
    )
    if _UNSCALED.search(label) or _UNSCALED.search(head):
        return Figure(digits, negative, sign[0] if sign else "")
    stated = [name for name, form in _SCALES if form.search(head)] or [
        name for name, form in _SCALES if form.search(above)
    ]
    scale = stated[0] if len(stated) == 1 else ""
    return None if len(stated) > 1 else Figure(digits, negative, sign[0] if sign else "", scale)


def _key(label: str) -> str:
    return " ".join(re.findall(r"\w+", label.casefold()))
