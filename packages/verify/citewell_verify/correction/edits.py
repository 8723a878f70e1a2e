"""Applies repairs to the text of an answer: rewrites a statement, or removes it (N5).

The result reads as if the statement had never been there: no empty list item, no double space, no gap between
paragraphs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from citewell_verify.answers.parser import ParsedAnswer, is_list_sign, without_list_sign
from citewell_verify.markers.stripping import plain_text

_STOP = re.compile(r"[.!?…。！？]+[\"'”’»)\]]*$")
_CONTINUED = re.compile(r"\n[ \t]{2,}")
RepairKind = Literal["reattributed", "rewritten", "dropped"]


@dataclass(frozen=True, slots=True)
class Repair:
    """The change of one statement. `numbers` are the sources that support it now; `text` its words if rewritten.

    Numbers beyond those of the answer's own sources stand for added sources.
    """

    kind: RepairKind
    reason: str
    numbers: tuple[int, ...] = ()
    text: str = ""

    @classmethod
    def rewriting(cls, text: str, numbers: tuple[int, ...], reason: str) -> "Repair":
        words = clean_words(text)
        return cls("rewritten", reason, numbers, words) if words else cls("dropped", reason)


@dataclass(frozen=True, slots=True)
class Place:
    """The place `start:end` of statement `index` in the text."""

    index: int
    start: int
    end: int


def apply_repairs(reading: ParsedAnswer, repairs: Mapping[int, Repair]) -> tuple[str, list[Place]]:
    """Return the text of `reading` with statements rewritten or removed, and the places of the remaining ones."""
    text = reading.text
    places = [Place(index, said.start, said.end) for index, said in enumerate(reading.said)]
    # From last to first, so that text before a change keeps its place.
    for index in sorted(repairs, reverse=True):
        repair, place = repairs[index], places[index]
        if repair.kind == "dropped":
            following = places[index + 1].start if index + 1 < len(places) else len(text)
            start, end = _extent(text, place.start, place.end, following)
            text = text[:start] + text[end:]
            places = [*places[:index], Place(index, start, start), *_shifted(places[index + 1 :], start - end)]
        elif repair.kind == "rewritten":
            # Without its full stop the next sentence would be read as part of this one.
            had, has = _STOP.search(text[place.start : place.end]), _STOP.search(repair.text)
            words = repair.text + (had[0] if had and not has else "")
            text = text[: place.start] + words + text[place.end :]
            end = place.start + len(words)
            places = [*places[:index], Place(index, place.start, end), *_shifted(places[index + 1 :], end - place.end)]
    dropped = {index for index, repair in repairs.items() if repair.kind == "dropped"}
    if not dropped:
        return text, places
    lead = len(text) - len(text.lstrip())
    return text.strip(), list(_shifted([place for place in places if place.index not in dropped], -lead))


def clean_words(text: str) -> str:
    words = " ".join(plain_text(text).text.split())
    return without_list_sign(words)


def _shifted(places: Sequence[Place], by: int) -> Iterator[Place]:
    for place in places:
        yield Place(place.index, place.start + by, place.end + by)


def _extent(text: str, start: int, end: int, following: int) -> tuple[int, int]:
    """Return the range removed with the words at `start:end`: their lines if they fill them, else the space beside.

    `following` is where the next statement begins.
    """
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    before, after = text[line_start:start], text[end:line_end]
    # The next line may continue the item, indented and without a mark of its own.
    is_continued = line_end < following < len(text) and _CONTINUED.fullmatch(text[line_end:following])
    if is_list_sign(before) and is_continued:
        return start, following
    if is_list_sign(before) and following >= line_end and not after.strip(" \t|"):
        return _whole_lines(text, line_start, line_end)
    if after.strip():
        return start, end + len(after) - len(after.lstrip())
    return line_start + len(before.rstrip()), end


def _whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    end = min(end + 1, len(text))
    blank_before = start == 0 or text[:start].endswith("\n\n")
    following = text.find("\n", end)
    blank_after = end < len(text) and not text[end : following if following >= 0 else len(text)].strip()
    if blank_before and blank_after:
        end = following + 1 if following >= 0 else len(text)
    return start, end
