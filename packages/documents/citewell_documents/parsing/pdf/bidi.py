"""Restores the reading order of right-to-left text that PDFium returns in another order."""

import unicodedata
from collections.abc import Iterator, Mapping

from citewell_documents.parsing.pdf.glyphs import Extent

_SPACE = 0x20
_RTL_MARKS = frozenset((*range(0x591, 0x5C8), *range(0x610, 0x61B), *range(0x64B, 0x660)))
_FIRST = 0x590  # no script below this code point is written from right to left

Character = tuple[int, int]


def in_logical_order(characters: list[Character], boxes: Mapping[int, Extent]) -> list[Character]:
    """Return a line's characters as (index, code) in logical order; only lines with right-to-left letters change.

    PDFium splits ligatures and replaced text from the wrong end, puts a vowel mark before its letter with a space
    between them, and inserts no space at a change of direction.
    """
    if not any(code >= _FIRST and _is_rtl(code) for _, code in characters):
        return characters
    ordered: list[Character] = []
    for index, code in _turned_back(characters, boxes):
        if not ordered:
            ordered.append((index, code))
            continue
        before, last = ordered[-1]
        if unicodedata.combining(chr(last)) and _is_rtl(code) and _begins_word(ordered):
            ordered[-1:] = [(index, code), (before, last)]
        elif unicodedata.combining(chr(code)) and last == _SPACE and code in _RTL_MARKS:
            ordered[-1] = (index, code)
        else:
            directions = {unicodedata.bidirectional(chr(last)), unicodedata.bidirectional(chr(code))}
            is_turned = "L" in directions and bool(directions & {"R", "AL"})
            ordered += [(-1, _SPACE), (index, code)] if is_turned else [(index, code)]
    return ordered


def _turned_back(characters: list[Character], boxes: Mapping[int, Extent]) -> Iterator[Character]:
    """Reverse the characters that share a place, such as ligatures, because PDFium returns them in reverse."""
    place: Extent | None = None
    group: list[Character] = []
    for index, code in characters:
        if (box := boxes.get(index, place)) != place:
            yield from _from_the_right(group)
            place, group = box, []
        group.append((index, code))
    yield from _from_the_right(group)


def _from_the_right(group: list[Character]) -> list[Character]:
    letters = sum(_is_rtl(code) for _, code in group)
    if letters < 2:
        return group
    spaces = [character for character in group if character[1] == _SPACE and character is group[-1]]
    return [*reversed(group[: len(group) - len(spaces)]), *spaces]


def _begins_word(ordered: list[Character]) -> bool:
    """True if PDFium put the mark after a space, which has been removed since then."""
    return (
        len(ordered) > 1 and not unicodedata.combining(chr(ordered[-2][1])) and abs(ordered[-1][0] - ordered[-2][0]) > 1
    )


def _is_rtl(code: int) -> bool:
    return unicodedata.bidirectional(chr(code)) in ("R", "AL")
