"""Citation markers in an answer: where they are and which sources they point to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_WIDEST_RANGE = 50
_DASH = r"\s?[-–—~]\s?"
_NUMBER = rf"[†^]?+\s?+[0-9]{{1,9}}+(?:{_DASH}†?[0-9]{{1,9}}+)?+(?:†[^\[\]【】`\n]{{0,40}}+)?+"
_PAGE = rf"(?:\s?,?\s?(?:pp?\.|pages?)\s?[0-9]{{1,5}}(?:{_DASH}[0-9]{{1,5}}+)?+)?+"
_LABEL = r"(?:sources?+|출처)\s?+[:：]?+\s?+"
# Possessive (`++`) throughout: an answer may be hostile, and this must stay linear.
_MORE = rf"(?:\s{{0,2}}+(?:[,;、·&]|and)\s{{0,2}}+(?:{_LABEL})?{_NUMBER}{_PAGE})*+"
_LIST = rf"{_NUMBER}{_PAGE}{_MORE}"
# `[1](https://…)` is a Markdown link and `[1]: https://…` the definition of one.
_NO_LINK = r"(?!\((?:[a-z][a-z0-9+.-]*:/|mailto:|www\.|[/#.])|:\s?(?:https?:|www\.))"
_MARKER = rf"(?:\[\s?(?:{_LABEL})?{_LIST}\s?\]|【\s?{_LIST}\s?】){_NO_LINK}|\(\s?{_LABEL}{_LIST}\s?\)"
_FENCED = r"^\ {0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*\n(?:[^\n]*\n)*?\ {0,3}(?P=fence)[`~]*[ \t]*$"
_INLINE = r"(?<!`)(?P<ticks>`++)(?:[^\n]|\n(?![ \t]*\n))+?(?<!`)(?P=ticks)(?!`)"
_CODE_OR_MARKER = re.compile(rf"(?P<code>{_FENCED}|{_INLINE})|(?P<marker>{_MARKER})", re.IGNORECASE | re.MULTILINE)
_POINTER = re.compile(rf"([0-9]+)(?:{_DASH}†?([0-9]+))?(?:†[^,;\])】]*|{_PAGE})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Marker:
    """`text[start:end]` cites the sources `numbers`, in the order written, each once."""

    start: int
    end: int
    numbers: tuple[int, ...]


def parse_markers(text: str) -> list[Marker]:
    """Return the markers of `text` in order.

    Forms: `[†1]`, `[1]`, `[^1]`, `[1, 2]`, `[1-3]`, `[†1, p.4]`, `[Source: 1]`, `(Source: 1)`, `[출처: 1]`, `【1†L3】`.
    Not in code (back-ticks, fences), not Markdown links. Numbers are as written, so they may point to no source; a
    range that runs backwards or over more than 50 numbers stands for its two ends.
    """
    return [
        Marker(match.start(), match.end(), _numbers(match["marker"]))
        for match in _CODE_OR_MARKER.finditer(text)
        if match["marker"]
    ]


def cited_markers(text: str) -> list[Marker]:
    """Return `parse_markers` without bracketed years such as `[2023]` or `[2019-2023]`, which are part of the text."""
    return [marker for marker in parse_markers(text) if not _is_year(text, marker)]


def code_regions(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) of each fenced block and each piece between back-ticks."""
    return [match.span() for match in _CODE_OR_MARKER.finditer(text) if match["code"]]


def _numbers(marker: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(number for match in _POINTER.finditer(marker) for number in _range(*match.groups())))


def _range(first: str, last: str | None) -> Iterator[int]:
    low, high = int(first), int(last or first)
    if low <= high < low + _WIDEST_RANGE:
        yield from range(low, high + 1)
    else:
        yield from (low, high)


def _is_year(text: str, marker: Marker) -> bool:
    bare = text[marker.start] == "[" and text[marker.start + 1 :].lstrip()[0].isdigit()
    return bare and all(1000 <= number < 3000 for number in marker.numbers)
