"""What is said of cited words beside their place: how surely they were recognised, and what of a picture they are."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from domain.documents.boxes import confidence_of
from domain.documents.figures import NAMES, FigureKind, figure_of


class Marks(TypedDict):
    """Null where the words are text of the file itself, and stand for no picture."""

    recognised_confidence: float | None
    figure: FigureKind | None


UNMARKED: Marks = {"recognised_confidence": None, "figure": None}


def in_words(place: Mapping[str, Any]) -> str:
    """The marks of a place, for people: `caption of a figure; recognised text, confidence 0.93`."""
    # Servers of older versions send none, newer ones may send further kinds.
    figure, sure = place.get("figure"), place.get("recognised_confidence")
    said = [NAMES.get(figure, figure)] if figure else []
    return "; ".join(said if sure is None else [*said, f"recognised text, confidence {sure:.2f}"])


class TextMarks(NamedTuple):
    """Of some documents, by their ids: [start, end, confidence] of the lines recognised in pictures, by page, and
    [kind, start, end] of what stands for pictures."""

    recognised: Mapping[tuple[str, int], Sequence[Sequence[float]]]
    figures: Mapping[str, Sequence[Sequence[Any]]]

    def of(self, document_id: object, page: int | None, start: int, end: int) -> Marks:
        document = str(document_id)
        lines = self.recognised.get((document, page), ()) if page else ()
        return {
            "recognised_confidence": confidence_of(lines, start, end),
            "figure": figure_of(self.figures.get(document, ()), start, end),
        }
