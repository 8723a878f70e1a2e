"""Removes running headers, footers and page numbers, which interrupt sentences and belong to no section."""

import re
from collections import Counter
from itertools import pairwise

from citewell_documents.parsing.pdf.lines import Line

_BARE_NUMBER = re.compile(r"[\W_]*(?:\d+|[ivxlc]+)[\W_]*")
_PAGE_NUMBER = re.compile(r"^(?:\d+|[ivxlc]+)\b|\b\d+\s?(?:/|of|von|de|sur)\s?\d+$|\b(?:\d+|[ivxlc]+)$", re.IGNORECASE)
_MIN_PAGES = 3
_MIN_SHARE = 0.1
_MAX_ROWS = 3
_DISTANCE_EM = 1.6  # lines closer to the body belong to it


def without_repeats(pages: list[list[Line]]) -> tuple[list[list[Line]], frozenset[Line]]:
    """Return the pages without bare page numbers and repeated margin lines, and the running lines that were kept.

    Only page numbers are lost: the first occurrence of each running line stays on its page.
    """
    margins: list[list[Line]] = []
    for number, page in enumerate(pages, start=1):
        downwards = sorted(page, key=lambda line: -line.y)
        margins.append(_outermost(downwards, number) + _outermost(downwards[::-1], number))
    counts = Counter(key for margin in margins for key in {_key(line) for line in margin})
    repeated = {key for key, count in counts.items() if count >= max(_MIN_PAGES, _MIN_SHARE * len(pages))}
    seen: set[tuple[str, int]] = set()
    dropped: set[tuple[int, Line]] = set()
    first: set[Line] = set()
    for number, margin in enumerate(margins, start=1):
        for line in margin:
            key = _key(line)
            if key in seen or _is_number(line, number) or (key in repeated and not key[0]):
                dropped.add((number, line))
            elif key in repeated:
                seen.add(key)
                first.add(line)
    kept = [[line for line in page if (number, line) not in dropped] for number, page in enumerate(pages, start=1)]
    return kept, frozenset(first)


def _is_number(line: Line, number: int) -> bool:
    return line.text.strip(" -–—") == str(number)


def _outermost(inwards: list[Line], number: int) -> list[Line]:
    for count, (line, inner) in enumerate(pairwise(inwards), start=1):
        if not line.margin and not _is_number(line, number):
            return []
        if abs(inner.y - line.y) > _DISTANCE_EM * max(line.size, inner.size):
            rows = {round(taken.y) for taken in inwards[:count]}
            return inwards[:count] if len(rows) <= _MAX_ROWS else []
    return []


def _key(line: Line) -> tuple[str, int]:
    """The text of a line without the page number at either end, and its height on the page."""
    text = "" if _BARE_NUMBER.fullmatch(line.text) else _PAGE_NUMBER.sub("", line.text).strip().casefold()
    return text, round(line.y)
