"""External citations sent as offsets beside an answer: inserts markers for them, and maps offsets back (N2)."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from citewell_verify.answers.statements import Statement, statements
from citewell_verify.answers.translation import Translation
from citewell_verify.markers.citable import Citable
from citewell_verify.markers.parser import cited_markers
from citewell_verify.markers.places import protected_regions, spliced


@dataclass(frozen=True, slots=True)
class GivenCitation:
    """A citation: `answer[start:end]` cites source `number`. Offsets are code points of the answer as it was given."""

    start: int
    end: int
    number: int


@dataclass(frozen=True, slots=True)
class MarkedAnswer:
    """An answer with a marker for every citation sent beside it.

    `inserted` are the (place in the answer as given, length) of the insertions, by place; a negative length means
    characters that were left out.
    """

    text: str
    inserted: Sequence[tuple[int, int]]


def insert_markers(
    answer: str, citations: Iterable[GivenCitation], sources: Citable | int | None = None
) -> MarkedAnswer:
    """Put `[†N]` after each cited span, and after every earlier sentence that the span reaches into.

    A span that ends inside a word cites its sentence to the end. Nothing is inserted into code, a formula, a link or a
    marker. `sources` are those of the answer, or how many.
    """
    said = statements(answer, sources)
    closed = [*protected_regions(answer), *((marker.start, marker.end) for marker in cited_markers(answer, sources))]
    wanted = {
        (next((end for start, end in closed if start < place < end), place), citation.number)
        for citation in citations
        for place in _places(answer, said, citation)
    }
    # Before a bracket or a colon a marker would read as a Markdown link.
    edits = [
        (place, place, f"[†{number}]" + (" " if answer[place : place + 1] in ("(", ":") else ""))
        for place, number in sorted(wanted)
    ]
    return MarkedAnswer(spliced(answer, edits), [(place, len(marker)) for place, _, marker in edits])


def marked_translation(
    translation: Translation, citations: Iterable[GivenCitation], sources: Citable | int | None = None
) -> MarkedAnswer:
    """Put `[†N]` into the translated answer for citations of the answer as given."""
    changed = [
        change
        for start, end, written in translation.edits
        for change in ((start, len(written)), (start, start - end))
        if change[1]
    ]
    moved = [
        GivenCitation(
            _translated_place(citation.start, translation),
            _translated_place(citation.end, translation),
            citation.number,
        )
        for citation in citations
    ]
    marked = insert_markers(translation.text, moved, sources)
    inserted = [*changed, *((as_given(place, changed), length) for place, length in marked.inserted)]
    return MarkedAnswer(marked.text, sorted(inserted, key=lambda change: (change[0], -change[1])))


def _translated_place(offset: int, translation: Translation) -> int:
    return offset + sum(
        len(written) - (min(end, offset) - start) for start, end, written in translation.edits if start < offset
    )


def cited_statements(said: Sequence[Statement], citation: GivenCitation) -> list[Statement]:
    return [statement for statement in said if statement.start < citation.end and citation.start < statement.end]


def as_given(offset: int, inserted: Sequence[Sequence[int]], *, opens: bool = False) -> int:
    """Return the place in the answer as given of `offset` in the marked answer. For an offset in a marker, this is the
    place where the marker was inserted.

    If characters were left out at that place, the returned place is behind them for an offset that `opens` a span, and
    before them for one that ends a span.
    """
    before = [0, *accumulate(length for _, length in inserted)]
    starts = [place + before[number] for number, (place, _) in enumerate(inserted)]
    count = bisect_right(starts, offset if opens else offset - 1)
    if not count:
        return offset
    place, length = inserted[count - 1]
    return place + max(0, offset - starts[count - 1] - length)


def _places(answer: str, said: Sequence[Statement], citation: GivenCitation) -> list[int]:
    reached = cited_statements(said, citation)
    end = min(citation.start + len(answer[citation.start : citation.end].rstrip()), len(answer))
    if not reached:
        return [end]
    if answer[end - 1 : end].isalnum() and answer[end : end + 1].isalnum():
        end = reached[-1].end
    return [*(statement.end for statement in reached[:-1]), end]
