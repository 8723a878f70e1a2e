"""Derives sections from headings."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

from domain.documents.documents import Section

_NUMBER = re.compile(r"(?:§\s?)?(?:(?:\d{1,3}|[A-Z])(?:\.\d{1,3})+|\d{1,3})[.)]?\s+(?=[^\W\d])")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at `start`; it belongs below the nearest earlier one with a smaller `rank`."""

    start: int
    title: str
    rank: tuple[float, ...]


def number_depth(title: str) -> int:
    """The depth of a heading's number: 2 for `3.2 Returns`, 1 for `3. Returns`, 0 without a number."""
    number = _NUMBER.match(title)
    return number[0].rstrip(" \t.)").count(".") + 1 if number else 0


def sections_from(headings: Iterable[Heading], text_length: int) -> tuple[Section, ...]:
    """Give each heading the text up to the next one, of any level, and the path of the headings above it."""
    ordered = sorted(headings, key=lambda heading: heading.start)
    above: list[Heading] = []
    sections: list[Section] = []
    for heading, following in zip_longest(ordered, ordered[1:]):
        while above and above[-1].rank >= heading.rank:
            above.pop()
        above.append(heading)
        end = following.start if following else text_length
        sections.append(Section(heading.title, tuple(parent.title for parent in above), heading.start, end))
    return tuple(sections)
