"""Marks on the text of a document: words that were recognised in pictures, stand for figures, or were corrected."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from citewell_documents.boxes import confidence_of
from citewell_documents.figures import NAMES, FigureKind, figure_of
from domain.documents.corrections import narrowest


class CorrectedSpan(NamedTuple):
    """A corrected span: `text[start:end]` replaces the words `of_file` of the file; it is empty if they were struck
    out.
    """

    start: int
    end: int
    of_file: str


def with_correction(spans: Sequence[CorrectedSpan], start: int, before: str, after: str) -> list[CorrectedSpan]:
    """The spans after a correction that replaced `before`, at `start`, with `after`.

    A correction of corrected words makes one span with them, so that `of_file` stays the text of the file. Words that
    are put back make no span. The correction is within one chunk, whose text contains all or a part of each span that
    the correction touches.
    """
    change = narrowest(start, before, after)
    joined = sorted(span for span in spans if span.start <= change.end and change.start <= span.end)
    first = min(change.start, *(span.start for span in joined)) if joined else change.start
    last = max(change.end, *(span.end for span in joined)) if joined else change.end
    of_file = _of_file(joined, first, last, start, before)
    end = last + change.growth
    if start <= first and last <= start + len(before):
        left = narrowest(first, of_file, after[first - start : end - start])
        of_file = of_file[left.start - first : left.end - first]
        first, end = left.start, left.start + len(left.text)
    others = (span for span in spans if span not in joined)
    kept = [span._replace(start=change.moved(span.start), end=change.moved(span.end)) for span in others]
    return [*kept, CorrectedSpan(first, end, of_file)] if first < end or of_file else kept


def _of_file(joined: Sequence[CorrectedSpan], first: int, last: int, start: int, before: str) -> str:
    """Return the words of the file for the places `first` to `last` of the text; `before` is the text from `start` on
    before the correction."""
    parts: list[str] = []
    for span in joined:
        parts += [before[max(0, first - start) : max(0, span.start - start)], span.of_file]
        first = span.end
    return "".join((*parts, before[max(0, first - start) : max(0, last - start)]))


def restored(stored: Iterable[Sequence[Any]] | None) -> list[CorrectedSpan]:
    return [CorrectedSpan(*fields) for fields in stored or ()]


def is_corrected(spans: Iterable[CorrectedSpan], start: int, end: int) -> bool:
    return any(
        start <= span.start <= end if span.start == span.end else start < span.end and span.start < end
        for span in spans
    )


class Marks(TypedDict):
    """The marks of a place: null and false if its words are text of the file itself and stand for no picture."""

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
    # A place without marks is text of the file. Newer servers may send further kinds of figures.
    figure, sure = place.get("figure"), place.get("recognised_confidence")
    said = [words.get(figure, figure)] if figure else []
    said += [words["corrected"]] if place.get("corrected") else []
    said += [] if sure is None else [words["recognised"].format(n=f"{sure:.2f}")]
    copies = ", ".join(copy["document_name"] for copy in place.get("also_in") or ())
    return "; ".join([*said, words["alsoIn"].format(names=copies)] if copies else said)


class TextMarks(NamedTuple):
    """The marks of some documents, by their ids: [start, end, confidence] of the lines recognised in pictures, by page;
    [kind, start, end] of the words that stand for pictures; and the spans that people corrected."""

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
