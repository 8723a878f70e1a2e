"""Where a document's text differs from its file because people corrected it."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from domain.documents.corrections import narrowest


class CorrectedSpan(NamedTuple):
    """`text[start:end]`, empty where something was struck out, stands for `of_file`."""

    start: int
    end: int
    of_file: str


def corrected_spans(made: Iterable[tuple[int, str, str]]) -> list[CorrectedSpan]:
    """The places that (start, text before, text after) of a document's corrections, the oldest first, have changed.

    What was corrected back is not among them.
    """
    spans: list[CorrectedSpan] = []
    for start, before, after in made:
        spans = with_correction(spans, start, before, after)
    return spans


def with_correction(spans: Sequence[CorrectedSpan], start: int, before: str, after: str) -> list[CorrectedSpan]:
    """The spans when `before`, which stands at `start`, has become `after`."""
    change = narrowest(start, before, after)
    same = next((each for each in spans if (each.start, each.end) == (change.start, change.end)), None)
    kept = [each._replace(start=change.moved(each.start), end=change.moved(each.end)) for each in spans if each != same]
    of_file = same.of_file if same else before[change.start - start : change.end - start]
    if of_file == change.text:
        return kept
    return [*kept, CorrectedSpan(change.start, change.start + len(change.text), of_file)]


def is_corrected(spans: Iterable[CorrectedSpan], start: int, end: int) -> bool:
    return any(
        start <= span.start <= end if span.start == span.end else start < span.end and span.start < end
        for span in spans
    )
