"""Converts published texts to the seed's notation: `[†1]` for `[1]`, and the references below the answer."""

import re
from collections.abc import Sequence

from citewell_verify.markers.parser import cited_markers
from citewell_verify.markers.places import encloses, protected_regions

_DAGGER = "[†1]"
_LONGEST_WORD = 500
_ONE_PAIR = re.compile(r"\[[^\[\]]*+\]")
_OPENING, _CLOSING = re.compile(r"\[\s?\Z"), re.compile(r"\s?\]")
_ADDRESS_BEGINS = re.compile(r"://|www\.")


def with_daggers(answer: str, sources: int | None = None) -> str:
    """Return `answer` with every citation marker as `[†N]`; code, links, names and years in brackets stay unchanged.

    `sources` is the number of the answer's sources, if known. If a dagger would make brackets cite something else, as
    in `[SOURCE:[][[1]]]`, the answer stays unchanged.
    """
    told = _daggered(answer, sources)
    is_same = _numbers(told, sources) == _numbers(answer, sources) and _daggered(told, sources) == told
    return told if is_same else answer


def _numbers(answer: str, sources: int | None) -> list[int]:
    return [number for marker in cited_markers(answer, sources) for number in marker.numbers]


def _daggered(answer: str, sources: int | None) -> str:
    pieces: list[str] = []
    position = 0
    for marker in cited_markers(answer, sources):
        is_link = answer[marker.start] == "[" and answer[marker.end - 1] == ")"
        if is_link or marker.missing:
            continue
        start, end = _with_brackets_around(answer, position, marker.start, marker.end)
        pieces.append(answer[position:start])
        if _joins_address(answer, start, end):
            pieces.append(" ")
        pieces.append("".join(f"[†{number}]" for number in marker.numbers))
        if answer[end : end + 1] in ("(", ":") and not _ONE_PAIR.fullmatch(answer, start, end):
            pieces.append(" ")  # otherwise it would read as a Markdown link
        position = end
    return "".join([*pieces, answer[position:]])


def with_references(answer: str, references: Sequence[str]) -> str:
    if not references:
        return answer
    lines = [f"- {reference.replace('[', '[†', 1)}" for reference in references]
    return "\n".join([f"{answer}\n", "### References", *lines])


def _with_brackets_around(answer: str, position: int, start: int, end: int) -> tuple[int, int]:
    """Extend the marker at `start:end` to the square brackets around it, which would otherwise become part of the
    citation."""
    while (opening := _OPENING.search(answer, max(position, start - 2), start)) and (
        closing := _CLOSING.match(answer, end)
    ):
        start, end = opening.start(), closing.end()
    return start, end


def _joins_address(answer: str, start: int, end: int) -> bool:
    before = answer[max(0, start - _LONGEST_WORD) : start]
    word = before.split()[-1] if before and not before[-1].isspace() else ""
    if not _ADDRESS_BEGINS.search(word):
        return False
    changed = f"{word}{_DAGGER}{answer[end : end + 1]}"
    return encloses(protected_regions(changed), len(word), len(word) + len(_DAGGER))
