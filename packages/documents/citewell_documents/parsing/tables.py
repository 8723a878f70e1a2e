"""Header detection for table rows."""

import re
from collections.abc import Sequence
from typing import TypeAlias

Cell: TypeAlias = str | None  # None stands for a cell that the cell to its left covers

_MAX_NAME = 120
_VALUE = re.compile(
    r"""[-+(]?\s*[€$£¥₩]?\s*[\d.,'\s]*\d\s*(?:%|[€$£¥₩]|[kKmM]?)\)?  # 1,234.5  (12)  € 5  25%
    | \d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[T\s][\d:.]+)?             # 2026-03-31
    | \d{1,2}:\d{2}(?::\d{2})?
    | [\w.+-]+@[\w-]+\.[\w.]+ | https?://\S+
    | true | false | yes | no | n/a | null | -+
    """,
    re.VERBOSE | re.IGNORECASE,
)
_YEAR = re.compile(r"(?:FY\s?)?(?:19|20)\d\d(?:년|년도)?")
_UNIT = re.compile(r"\W*[A-Z]{0,3}[$€£¥₩]?\s?[’'‘`]?000s?\W*")  # US$'000
_MOST_HEADS = 4


def with_one_header(rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    """Resolve covered cells and merge the rows of a two-row header: `2025 Q1` if Q1 is below 2025."""
    texts = [[cell or "" for cell in row] for row in rows]
    if len(rows) < 3 or None not in rows[0] or len(rows[0]) != len(rows[1]):
        return texts
    names = [cell.strip() for cell in texts[1] if cell.strip()]
    if len(names) < 2 or len(names) * 2 < len(texts[1]) or not all(map(is_name, names)):
        return texts
    upper: list[str] = []
    for cell in rows[0]:
        upper.append(upper[-1] if cell is None and upper else cell or "")
    joined = [f"{top} {name}".strip() if top != name else name for top, name in zip(upper, texts[1], strict=True)]
    return [joined, *texts[2:]]


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """True if the first row holds column names: short, distinct, not values, above further rows.

    Years count as names beside another name. The corner, and cells that a merged cell covers, may be empty. A single
    column has a header only above values: above other words, the first cell may be just one of them.
    """
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if len(rows) < 2:
        return False
    if max(map(len, rows)) == 1:
        return not is_value(rows[0][0]) and all(is_value(row[0]) for row in rows[1:])
    names = [cell.strip() for cell in rows[0]]
    filled = [name for name in names if name]
    if not filled or len(filled) * 2 < len(names) or len(set(filled)) < len(filled):
        return False
    if not all(map(is_name, filled)) or names[0].endswith(":"):  # `Name: | Bob` is a list of pairs
        return False
    return not all(is_value(name) for name in filled)


def head_rows(rows: Sequence[Sequence[str]], *, has_header: bool) -> int:
    """Return how many rows at the top hold column names, years or units: all rows above the first row of values.

    A row with one cell directly above the values is the name of a group of rows, and does not count. With `has_header`
    the first row holds names.
    """
    first = next((at for at, row in enumerate(rows[: _MOST_HEADS + 2]) if _has_values(row)), 0)
    while first and not any(cell.strip() for cell in rows[first - 1][1:]):
        first -= 1
    heads = rows[:first]
    names = (cell.strip() for row in heads for cell in row)
    if not 0 < first <= _MOST_HEADS or any(name and not is_name(name) and not _UNIT.fullmatch(name) for name in names):
        return int(has_header)
    above_columns = sum(sum(bool(cell.strip()) for cell in row[1:]) for row in heads)
    unlabelled = all(not row[0].strip() for row in heads[1:])
    return first if unlabelled and above_columns > 1 and (has_header or not rows[0][0].strip()) else int(has_header)


def _has_values(row: Sequence[str]) -> bool:
    """True for a row that begins with words and has a value other than a year in another column."""
    label = row[0].strip() if row else ""
    return (
        bool(label)
        and not is_value(label)
        and any(is_value(cell) and not _YEAR.fullmatch(cell.strip()) for cell in row[1:])
    )


def is_value(cell: str) -> bool:
    """True if the cell holds a number, date, address or truth value rather than words."""
    return bool(_VALUE.fullmatch(cell.strip()))


def is_name(cell: str) -> bool:
    """True if a cell may name a column: words that are not long, or a year."""
    is_year = _YEAR.fullmatch(cell) is not None
    return len(cell) <= _MAX_NAME and not cell.startswith("•") and (is_year or not is_value(cell))
