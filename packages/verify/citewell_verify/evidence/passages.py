"""A passage: a slice of a source's text with its place, as every step reads, judges and cites it."""

import uuid
from dataclasses import dataclass, field
from typing import Any

from citewell_verify.evidence.excerpts import page_at
from citewell_verify.safety.prompt_injection import without_orders
from citewell_verify.text.context_lines import indexed_text


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
        """The text with sentences that address a model blanked out in place: what may be shown and cited."""
        return without_orders(self.text)

    @property
    def readable_context(self) -> str:
        return without_orders(self.context) if self.context else ""

    @property
    def indexed(self) -> str:
        """The readable text below its context: what is compared with a question."""
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
        source="request",
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


_SOURCE = "source_"


def chunk_id_of(number: int) -> str:
    return f"{_SOURCE}{number}"


def number_of(chunk_id: str) -> int:
    """The number of a source of a request, of which `chunk_id_of` made the id."""
    return int(chunk_id.removeprefix(_SOURCE))
