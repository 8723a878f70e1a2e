"""Finds the head lines of a table, the column that labels its rows, and the units that the heads state (V2)."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from citewell_verify.entities.numbers import find_quantities
from citewell_verify.facts.structure.terms import without_terms

_MOST_HEADS = 4  # lines
DATA = re.compile(r"[\s(~<>≤≥+−–-]*[$€£₩¥]?\s?[(−–-]?\d")
_FIGURE = re.compile(r"\d[\d.,]*")
_TIME = re.compile(r"(?:19|20)\d\d(?!\d|[,.]\d)|\d{1,2}\s[A-Z][a-z]{2}|\d[분년월]")
_WORD = re.compile(r"[^\W\d_]{3}")
_NOTE = re.compile(
    r"\W*(?:in|단위|unit)\b.*|\W*\((?:.*\b(?:thousand|million|billion)s?\b.*|in .*|단위.*)\)\W*", re.IGNORECASE
)
_SCALE = re.compile(r"\b(thousand|million|billion|trillion)s?\b|\b(000)s?\b|[$€£¥]\s?(m|mn|bn|tn|k)\b", re.IGNORECASE)
_SHORT_SCALES = {"000": "thousand", "k": "thousand", "m": "million", "mn": "million", "bn": "billion", "tn": "trillion"}
SCALE_NAMES = frozenset({*_SHORT_SCALES.values(), "trillion"})
_UNIT_ALONE = re.compile(
    r"\W*(?:in\b)?\W*(?:US|AU?|CA?|HK|NZ)?\s*[$€£¥₩%’'‘`]*\s*(?:(?:US )?dollars?|euros?|won)?\W*(?:in\b\s*)?"
    r"(?:(?:m|mn|bn|000s?|thousands?|millions?|billions?)\b)?(?:,? except [^|]*)?\W*",
    re.IGNORECASE,
)
_KOREAN_UNIT = re.compile(r"단위\s*:?\s*([^\s,()\[\]]{1,8}(?:\s?[원명개])?)")
AUDITED = re.compile(r"(?<!\s)\s*[(\[]\s*(?:(?:un|not )?audited|(?:감사|검토)[^()\[\]]{0,30})\s*[)\]]", re.IGNORECASE)
"""A note that a column was audited or not, which is neither a name nor a unit."""
_IN_BRACKETS = re.compile(r"[(\[](?:in\s)?([^()\[\]]{1,24})[)\]]", re.IGNORECASE)
_AT_END = re.compile(
    r"(?<=\w)(?<!\bper)(?:\s|,\s?|\s?/\s?)(?:in\s)?([A-Za-z]{2}|(?![a-z]{3}|[A-Z][a-z]{2})[A-Za-z]{3}|[$€£₩¥])\s*$"
)  # symbols, "EUR" or "kWh": a spelled unit may be a word, "snack bar"


def count_heads(grid: Sequence[Sequence[str]]) -> int:
    # A table has no heads if its first two lines have figures in the same units.
    first, second = ([_FIGURE.sub("0", cell) for cell in row[1:]] for row in grid[:2])
    if grid[0][0] and first == second and all(map(is_data, grid[0][1:])) and "0" not in first:
        return 0
    count = 1
    while count < min(_MOST_HEADS, len(grid) - 1):
        only_title = all(sum(map(bool, row)) <= 1 for row in grid[:count])
        row = grid[count]
        below_corner = not any(above[0] for above in grid[:count]) and all(map(is_period, filter(None, row[1:])))
        # In a table with several such lines, each of them describes the figures of one section.
        is_note = _NOTE.fullmatch(row[0]) is not None and not any(map(_is_in_brackets, grid[count + 1 :]))
        are_names = _is_names(row, grid[count - 1])
        if not (is_note or (any(row[1:]) and (are_names or only_title or not row[0] or below_corner))):
            break
        if any(map(is_data, row[1:])) and not are_names:
            break
        count += 1
    return count


def label_column(body: Sequence[Sequence[str]]) -> int:
    """Return the place of the column that names the rows: the second if the first only numbers them."""
    named = [sum(bool(row[at]) and not is_data(row[at]) for row in body) * 2 > len(body) for at in (0, 1)]
    return 1 if named == [False, True] and len(body[0]) > 2 else 0


def fill_spanning_heads(heads: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Yield the head lines. In each but the last, a head also fills the empty cells after it, and a lone head fills the
    whole line.
    """
    for place, row in enumerate(heads):
        filled = list(row)
        if place < len(heads) - 1:
            named = [at for at in range(1, len(filled)) if filled[at]]
            if len(named) == 1 and named[0] < len(filled) - 1:
                filled[1:] = [filled[named[0]]] * (len(filled) - 1)
            for at in range(2, len(filled)):
                filled[at] = filled[at] or filled[at - 1]
        yield filled


def merged_heads(heads: Sequence[str]) -> tuple[str, str]:
    """Return the lowest head of a column and the heads above it; a head that only states the unit is no name."""
    filled = [head for head in heads if head]
    named = [head for head in filled if not _UNIT_ALONE.fullmatch(head)] or filled
    return (named[-1], " ".join(named[:-1])) if named else ("", "")


def notes_of_all(heads: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the notes that are alone in a line of heads and apply to all columns: "(in millions)" in the middle."""
    for row in heads:
        filled = [head for head in row[1:] if head]
        if len(filled) == 1 and len(row) > 2 and _UNIT_ALONE.fullmatch(filled[0]):
            yield filled[0]


def unit_of(head: str, *, noted: bool = False) -> str:
    """Return the unit of the numbers below `head`: "million", "kg". Brackets of a caption (`noted`) do not count."""
    if korean := _KOREAN_UNIT.search(head):
        return korean[1].replace(" ", "")
    if scale := _SCALE.search(head):
        name = next(filter(None, scale.groups())).lower()
        return _SHORT_SCALES.get(name, name)
    return "" if noted else unit_in_name(head)[0]


@lru_cache(maxsize=8192)
def unit_in_name(name: str) -> tuple[str, str]:
    """Return (unit, name without it) of a row or column such as "Output (kg)"; ("", name) without a unit."""
    bare = AUDITED.sub("", without_terms(name))
    match = _IN_BRACKETS.search(bare) or _AT_END.search(bare)
    unit = match[1].strip() if match else ""
    if match is None or any(map(str.isdigit, unit)):
        return "", name
    quantities = find_quantities(f"1 {unit}" if unit.isascii() else f"1{unit}")
    if len(quantities) != 1 or not (quantities[0].unit or quantities[0].scaled):
        return "", name
    rest = name.replace(match[0], " ", 1).strip()
    # 주 is a unit, that of shares, only beside another 주; alone it marks a footnote.
    return (unit, rest) if unit != "주" or "주" in rest else ("", name)


def is_data(cell: str) -> bool:
    return DATA.match(cell) is not None and _TIME.match(cell) is None


def is_period(cell: str) -> bool:
    return _TIME.match(cell) is not None


def _is_in_brackets(row: Sequence[str]) -> bool:
    return row[0].startswith("(") and row[0].endswith(")") and not any(row[1:])


def _is_names(row: Sequence[str], above: Sequence[str]) -> bool:
    """Return whether a line has names beside a unit such as "$ million", or below heads that span columns. Names may
    contain a figure, as "52 weeks" does."""
    is_below_spans = not row[0] and not all(above[1:])
    is_led = is_below_spans or (bool(row[0]) and _UNIT_ALONE.fullmatch(row[0]) is not None)
    return is_led and all(map(_WORD.search, filter(None, row[1:])))
