"""What is said of cited words beside their place: how surely they were recognised, what of a picture they are, whether
people corrected them, and which copies of the document have them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from citewell_documents.boxes import confidence_of
from citewell_documents.figures import NAMES, FigureKind, figure_of
from domain.documents.corrected_spans import CorrectedSpan, is_corrected


class Marks(TypedDict):
    """Null and false where the words are text of the file itself, and stand for no picture."""

    recognised_confidence: float | None
    figure: FigureKind | None
    corrected: bool


UNMARKED: Marks = {"recognised_confidence": None, "figure": None, "corrected": False}


IN_ENGLISH: Mapping[str, str] = {
    **NAMES,
    "corrected": "corrected by people, the file differs",
    "recognised": "recognised text, confidence {n}",
    "alsoIn": "also in {names}",
}


def in_words(place: Mapping[str, Any], words: Mapping[str, str] = IN_ENGLISH) -> str:
    """The marks of a place, for people: `caption of a figure; recognised text, confidence 0.93`."""
    # A place without marks is text of the file, and newer servers may send further kinds.
    figure, sure = place.get("figure"), place.get("recognised_confidence")
    said = [words.get(figure, figure)] if figure else []
    said += [words["corrected"]] if place.get("corrected") else []
    said += [] if sure is None else [words["recognised"].format(n=f"{sure:.2f}")]
    copies = ", ".join(copy["document_name"] for copy in place.get("also_in") or ())
    return "; ".join([*said, words["alsoIn"].format(names=copies)] if copies else said)


class TextMarks(NamedTuple):
    """The marks of some documents, by their ids: [start, end, confidence] of the lines recognised in pictures, by page,
    [kind, start, end] of what stands for pictures, and what people corrected."""

    recognised: Mapping[tuple[str, int], Sequence[Sequence[float]]]
    figures: Mapping[str, Sequence[Sequence[Any]]]
    corrected: Mapping[str, Sequence[CorrectedSpan]]

    def of(self, document_id: object, page: int | None, start: int, end: int) -> Marks:
        document = str(document_id)
        lines = self.recognised.get((document, page), ()) if page else ()
        return {
            "recognised_confidence": confidence_of(lines, start, end),
            "figure": figure_of(self.figures.get(document, ()), start, end),
            "corrected": is_corrected(self.corrected.get(document, ()), start, end),
        }
