"""The places of the visible characters of a line, which stay known when its text is cut and joined later.

Ink is a flat array: for each piece of a word the number of its characters, and its box (left, bottom, right, top) in
the page's own coordinates. Pieces follow the text; white space has none, so cutting at white space cuts between pieces.
"""

import unicodedata
from array import array
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite, nan
from statistics import median
from typing import TypeAlias

from citewell_documents.parsing.decoding import clean
from citewell_documents.parsing.pdf.glyphs import Box

Ink: TypeAlias = "array[float]"
_FIELDS = 5
_MAX_POSITION = 1e6
# The longest pieces of ordinary words, and of text without spaces. Longer texts, such as addresses, are divided,
# because their parts are cited, too.
_LONGEST, _LONGEST_UNSPACED = 40, 4
_NOWHERE = (nan, nan, nan, nan)


def no_ink() -> Ink:
    return array("f")


def ink_of(text: str, drawn: Sequence[tuple[str, int]], boxes: Mapping[int, Box], *, upright: bool) -> Ink:
    """The ink of a line's `text`; `drawn` are its visible characters before some were left out, with their glyphs.

    `boxes` are the boxes of the glyphs; `upright` text runs along the first axis of the page. A piece is at least as
    high as most letters of the line, so that a comma's box is not a speck.
    """
    sound = {
        index: box
        for index, box in boxes.items()
        if all(isfinite(side) and abs(side) < _MAX_POSITION for side in box) and box[0] <= box[2] and box[1] <= box[3]
    }
    low, high = (1, 3) if upright else (0, 2)
    usual = [median(box[side] for box in sound.values()) for side in (low, high)] if sound else [0.0, 0.0]
    ink = no_ink()
    for glyphs in _pieces(text, drawn):
        placed = [sound[index] for index in glyphs if index in sound]
        ink.append(len(glyphs))
        if not placed:
            ink.extend(_NOWHERE)
            continue
        place = [
            *(min(box[side] for box in placed) for side in (0, 1)),
            *(max(box[side] for box in placed) for side in (2, 3)),
        ]
        place[low], place[high] = min(place[low], usual[0]), max(place[high], usual[1])
        ink.extend(place)
    return ink


def parted(ink: Ink, characters: int) -> tuple[Ink, Ink]:
    seen = 0
    for at in range(0, len(ink), _FIELDS):
        count = int(ink[at])
        if seen + count > characters:
            head, rest = ink[:at], ink[at:]
            if left := characters - seen:
                head += array("f", [left, *ink[at + 1 : at + _FIELDS]])
                rest[0] = count - left
            return head, rest
        seen += count
    return ink, no_ink()


def visible(text: str) -> int:
    return sum(not character.isspace() for character in text)


def placed(text: str, ink: Ink) -> Iterator[tuple[int, int, Box]]:
    places = [at for at, character in enumerate(text) if not character.isspace()]
    taken = 0
    for at in range(0, len(ink), _FIELDS):
        count = int(ink[at])
        if taken + count > len(places):
            return
        left, bottom, right, top = ink[at + 1 : at + _FIELDS]
        if count and isfinite(left):
            yield places[taken], places[taken + count - 1] + 1, (left, bottom, right, top)
        taken += count


def cleaned_places(raw: str, cleaned: str) -> Sequence[int] | None:
    """The place in `cleaned == clean(raw)` of each place of `raw`; None if these places cannot be determined."""
    if raw == cleaned:
        return range(len(raw) + 1)
    places: list[int] = []
    length = 0
    for cluster in _clusters(raw):
        places += [length] * len(cluster)
        length += len(clean(cluster))
    places.append(length)
    return places if length == len(cleaned) else None


def _clusters(text: str) -> Iterator[str]:
    start = 0
    for at, character in enumerate(text):
        if at > start and not unicodedata.combining(character) and not "\u1160" <= character <= "\u11ff":
            yield text[start:at]
            start = at
    yield text[start:]


def _pieces(text: str, drawn: Sequence[tuple[str, int]]) -> Iterator[list[int]]:
    piece: list[int] = []
    for character, index in zip(text, _glyphs(text, drawn), strict=True):
        if index is not None:
            piece.append(index)
        full = len(piece) >= (_LONGEST_UNSPACED if is_unspaced(character) else _LONGEST)
        if piece and (index is None or full):
            yield piece
            piece = []
    if piece:
        yield piece


def _glyphs(text: str, drawn: Sequence[tuple[str, int]]) -> Iterator[int | None]:
    """Yield for each character the glyph that draws it, -1 if it is not known, None for white space."""
    same = visible(text) == len(drawn)
    at, lost = 0, False
    for character in text:
        if character.isspace():
            yield None
            continue
        if not same and not lost:  # leaders and characters without meaning were left out
            place_of_glyph = next((place for place in range(at, len(drawn)) if drawn[place][0] == character), None)
            lost, at = place_of_glyph is None, place_of_glyph or at
        yield -1 if lost else drawn[at][1]
        at += 1


def is_unspaced(character: str) -> bool:
    """True for the characters of Chinese and Japanese, which are written without spaces."""
    return "\u3040" <= character <= "\u30ff" or "\u3400" <= character <= "\u9fff"
