"""A passage: a slice of a source with its place, which every step reads, judges and cites. Also chooses the excerpts of
long sources that a model sees: whole sources if they fit, or else their most relevant parts."""

import uuid
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from citewell_verify.evidence.spans import relevance_to
from citewell_verify.safety.prompt_injection import without_orders
from citewell_verify.text.quotes import claim_stems
from citewell_verify.text.sentences import LONGEST_SENTENCE
from citewell_verify.text.windows import indexed_text, windows
from citewell_verify.text.words import content_stems, coverage

GIVEN = "request"
"""The `source` of a passage that was sent with a request."""

_SOURCE = "source_"
_PART_CHARS, _OVERLAP_CHARS = 1_500, 150


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as the pipeline uses it; `key` is its primary key, `text` the document's text at start..end.

    `context` holds the headings and table columns above it. `sections` are the document's sections that the passage
    touches. A source that came with a request (N2) is one passage of any length: it has `pages`, whereas a chunk lies
    on one `page`.
    """

    key: int
    document_id: uuid.UUID
    doc_id: str
    filename: str
    source: str
    metadata: dict[str, Any]
    chunk_id: str
    chunk_index: int
    page: int | None
    section: str | None
    start_index: int
    end_index: int
    text: str
    sections: list[Any]
    context: str | None = None
    pages: list[list[int]] = field(default_factory=list[list[int]])

    def page_at(self, offset: int) -> int | None:
        """The document's page at `offset` (code points of its text), if known."""
        return page_at(self.pages, offset) if self.pages else self.page

    def section_at(self, offset: int) -> str | None:
        """The innermost section of the document at `offset` (code points of its text), if it has sections. The offset
        must lie in the passage.
        """
        return next((title for title, start, end in reversed(self.sections) if start <= offset < end), self.section)

    @property
    def readable(self) -> str:
        """The text that may be shown and cited: sentences that address a model are blanked out in place."""
        return without_orders(self.text)

    @property
    def readable_context(self) -> str:
        return without_orders(self.context) if self.context else ""

    @property
    def indexed(self) -> str:
        """The text that is compared with a question: the readable text below its context."""
        return indexed_text(self.readable, self.readable_context)

    def words(self, start: int, end: int) -> str | None:
        return self.text[start:end] if self.text[start:end] == self.readable[start:end] else None

    @property
    def label(self) -> str:
        """The file with the page, `policy.pdf, p.3`, or only the file name of a document without pages."""
        return self.filename if self.page is None else f"{self.filename}, p.{self.page}"


def source_passage(
    *,
    key: int,
    number: int,
    document_id: uuid.UUID,
    title: str,
    metadata: dict[str, Any],
    text: str,
    pages: list[list[int]],
    sections: list[Any] | None = None,
    context: str | None = None,
) -> Passage:
    """Return source `number` of a request (N2) as one passage."""
    return Passage(
        key=key,
        document_id=document_id,
        doc_id=chunk_id_of(number),
        filename=title,
        source=GIVEN,
        metadata=metadata,
        chunk_id=chunk_id_of(number),
        chunk_index=number - 1,
        page=None,
        section=None,
        start_index=0,
        end_index=len(text),
        text=text,
        sections=sections or [],
        pages=pages,
        context=context,
    )


def chunk_id_of(number: int) -> str:
    return f"{_SOURCE}{number}"


def number_of(chunk_id: str) -> int:
    """The number of a source of a request, from the id that `chunk_id_of` made."""
    return int(chunk_id.removeprefix(_SOURCE))


class Excerpt(NamedTuple):
    """`text[start:end]` of the source at position `source`."""

    source: int
    start: int
    end: int


class Wanted(NamedTuple):
    """A statement that excerpts should cover; `sources` are the positions it cites, none for all."""

    statement: str
    sources: Sequence[int]


def choose_excerpts(texts: Sequence[str], wanted: Sequence[Wanted], budget: int) -> list[Excerpt]:
    """Return parts of `texts` of at most `budget` code points together, in the order of the texts.

    The texts stay whole if they fit. Otherwise every wanted statement in turn takes the part of its cited sources that
    shares most words with it, until the budget is used up; neighbouring parts are joined.
    """
    if sum(map(len, texts)) <= budget:
        return [Excerpt(source, 0, len(text)) for source, text in enumerate(texts) if text.strip()]
    parts = [Excerpt(n, *span) for n, text in enumerate(texts) for span in windows(text, _PART_CHARS, _OVERLAP_CHARS)]
    stems = [frozenset(content_stems(texts[part.source][part.start : part.end])) for part in parts]
    taken: set[int] = set()
    used = 0
    rankings = (_ranked(statement, parts, stems) for statement in wanted) if wanted else [list(range(len(parts)))]
    for place in _in_turn(rankings):
        if place in taken:
            continue
        used += parts[place].end - parts[place].start
        if used > budget:
            break
        taken.add(place)
    return _joined([parts[place] for place in sorted(taken)])


def _ranked(wanted: Wanted, parts: Sequence[Excerpt], stems: Sequence[Set[str]]) -> list[int]:
    own = claim_stems(wanted.statement)
    cited = frozenset(wanted.sources)
    rated = [(bool(cited) and part.source not in cited, -coverage(own, stems[n]), n) for n, part in enumerate(parts)]
    return [place for *_, place in sorted(rated)]


def _in_turn(rankings: Iterable[Sequence[int]]) -> Iterator[int]:
    """Yield the first of each ranking, then the second of each; a ranking is computed when its first is needed."""
    begun: list[Sequence[int]] = []
    for ranking in rankings:
        begun.append(ranking)
        yield from ranking[:1]
    for row in zip(*(ranking[1:] for ranking in begun), strict=True):
        yield from row


def _joined(parts: Sequence[Excerpt]) -> list[Excerpt]:
    joined: list[Excerpt] = []
    for part in parts:
        if joined and joined[-1].source == part.source and part.start <= joined[-1].end:
            joined[-1] = Excerpt(part.source, joined[-1].start, max(part.end, joined[-1].end))
        else:
            joined.append(part)
    return joined


def best_relevance(claim: str, text: str) -> float:
    """Return `claim_relevance` to the part of a `text` of any length that has most of the claim's words.

    Only the first 2,000 characters of the claim count: it is a sentence.
    """
    relevance = relevance_to(claim[:LONGEST_SENTENCE])
    parts = windows(text, _PART_CHARS, _OVERLAP_CHARS)
    return max((relevance(text[start:end]) for start, end in parts), default=0.0)


def page_at(pages: Sequence[Sequence[int]], offset: int) -> int | None:
    """Return the number of the page [number, start, end] that contains `offset`; None between pages or without any."""
    place = bisect_left(pages, offset + 1, key=lambda page: page[1]) - 1
    return pages[place][0] if place >= 0 and offset < pages[place][2] else None
