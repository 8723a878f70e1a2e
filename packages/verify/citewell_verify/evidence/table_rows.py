"""Finds the row of a table that states a claim, and how far words quoted from a table may reach (S4.6, V2)."""

import re
from collections.abc import Set

from citewell_verify.evidence.contradictions import best_places
from citewell_verify.facts.heading_context import with_outer_headings
from citewell_verify.text.sentences import is_table_row
from citewell_verify.text.words import content_stems

_CELLS = re.compile(r"[\t|]")


def stating_row(claim: str, text: str, context: str = "") -> tuple[int, int] | None:
    """Return (start, end) of the row of `text` of which cells state all of the `claim`, below the heads of its table
    and in its `context` (V2)."""
    matches = best_places(claim, with_outer_headings(claim, text, context))
    row = matches[0].place if len(matches) == 1 and matches[0].in_cell else ""
    # A line of its own: another row may end with the same cells.
    place = re.search(rf"^[^\S\n]*({re.escape(row)})[^\S\n]*$", text, re.MULTILINE) if row else None
    return place.span(1) if place else None


def widest_bounds(text: str, start: int, end: int, wanted: Set[str], max_chars: int) -> tuple[int, int]:
    """Return how far a place may be widened: in prose everywhere, in a table to the rows that the claim states.

    The least length gives a short sentence the context that it needs. The context of a row is the heads of its table;
    the rows around it are about other things, and marked with it they would seem to be its proof.
    """
    first, last = _line_at(text, start, end)
    if not is_table_row(text[first:last]):
        return 0, len(text)
    while first > max(0, start - max_chars) and _is_stated_row(text, (above := _line_at(text, first - 1)), wanted):
        first = above[0]
    while last < min(len(text), end + max_chars) and _is_stated_row(text, (below := _line_at(text, last + 1)), wanted):
        last = below[1]
    return first, last


def _line_at(text: str, start: int, end: int | None = None) -> tuple[int, int]:
    end = text.find("\n", start if end is None else end)
    return text.rfind("\n", 0, start) + 1, end if end >= 0 else len(text)


def _is_stated_row(text: str, place: tuple[int, int], wanted: Set[str]) -> bool:
    """Return whether a row has nothing in its label that the claim lacks, and something of the claim in a cell."""
    line = text[slice(*place)]
    if not is_table_row(line):
        return False
    label, *cells = [stems for stems in map(content_stems, _CELLS.split(line)) if stems] or [[]]
    return bool(label) and wanted >= set(label) and any(not wanted.isdisjoint(cell) for cell in cells)
