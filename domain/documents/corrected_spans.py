"""Where a document's text differs from its file because people corrected it."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from domain.documents.corrections import narrowest


class CorrectedSpan(NamedTuple):
    """`text[start:end]`, empty where something was struck out, stands for `of_file`."""

    start: int
    end: int
    of_file: str


def with_correction(spans: Sequence[CorrectedSpan], start: int, before: str, after: str) -> list[CorrectedSpan]:
    """The spans after a correction that replaced `before`, at `start`, with `after`.

    A correction of corrected words is one span with them, so that `of_file` is the text of the file. What is put back
    is no span. The correction is of one chunk, whose text has the spans that it touches, or a part of them.
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
    """Return the words that the file has for the places `first` to `last` of the text; `before` is what stood from
    `start` on before the correction."""
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
