"""Running headers, footers and page numbers: they stand in the way of sentences and are no part of any section."""

import re
from collections import Counter

from clients.parsing.pdf_lines import Line

_BARE_NUMBER = re.compile(r"[\W_]*(?:\d+|[ivxlc]+)[\W_]*")
_NUMBER_AT_END = re.compile(r"^(?:\d+|[ivxlc]+)\b|\b(?:\d+|[ivxlc]+)$", re.IGNORECASE)
_MIN_PAGES = 3
_MIN_SHARE = 0.25


def without_repeats(pages: list[list[Line]]) -> tuple[list[list[Line]], frozenset[Line]]:
    """Return the pages without bare page numbers and without what a margin repeats, and the first ones that stay.

    Nothing but a page number is lost: of a running line the first one stays, on its page.
    """
    counts = Counter(key for page in pages for key in {_key(line) for line in page if line.margin})
    repeated = {key for key, count in counts.items() if count >= max(_MIN_PAGES, _MIN_SHARE * len(pages))}
    seen: set[tuple[str, int]] = set()
    first: set[Line] = set()
    kept: list[list[Line]] = []
    for number, page in enumerate(pages, start=1):
        lines: list[Line] = []
        for line in page:
            key = _key(line)
            if not line.margin or key not in repeated:
                if line.margin and line.text.strip(" -–—") == str(number):
                    continue
            elif key in seen or not key[0]:
                continue
            else:
                seen.add(key)
                first.add(line)
            lines.append(line)
        kept.append(lines)
    return kept, frozenset(first)


def _key(line: Line) -> tuple[str, int]:
    """The text without the page number at either end, and the height on the page."""
    text = "" if _BARE_NUMBER.fullmatch(line.text) else _NUMBER_AT_END.sub("", line.text).strip().casefold()
    return text, round(line.y)
