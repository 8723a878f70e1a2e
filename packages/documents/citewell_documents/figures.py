"""The parts of a document's text that stand for its pictures: their author's words about them, and data of charts.

Spans lie in order and do not overlap. Their text is like any other, and proves no more than it says.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

FigureKind: TypeAlias = Literal["alternative_text", "caption", "chart"]
MOST_FIGURES = 5_000
NAMES: Mapping[str, str] = {
    "alternative_text": "description of a picture",
    "caption": "caption of a figure",
    "chart": "data of a chart",
}
"""The kinds in words, for people."""


class Figure(NamedTuple):
    """`text[start:end]` is the alternative text or the caption of a picture, or the title or data of a chart."""

    kind: FigureKind
    start: int
    end: int


def are_sound(figures: Sequence[Figure], length: int) -> bool:
    """True if there are no more than a document may have, in order, within a text of this `length`."""
    return (
        len(figures) <= MOST_FIGURES
        and all(0 <= figure.start < figure.end <= length for figure in figures)
        and all(before.end <= after.start for before, after in pairwise(figures))
    )


def stored(figures: Iterable[Figure]) -> list[list[Any]] | None:
    return [list(figure) for figure in figures] or None


def figure_of(figures: Iterable[Sequence[Any]], start: int, end: int) -> FigureKind | None:
    """The kind of figure that `text[start:end]` stands for, if more than half of it stands for pictures; of several
    kinds, the one with the most text. None for other text.
    """
    shares: dict[FigureKind, int] = {}
    for kind, first, last in figures:
        if (shared := min(end, last) - max(start, first)) > 0:
            shares[kind] = shares.get(kind, 0) + shared
    if not shares or 2 * sum(shares.values()) <= end - start:
        return None
    return max(shares, key=lambda kind: shares[kind])
