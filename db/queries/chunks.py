"""Chunks together with the document that they come from."""

import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func, select, tuple_
from sqlalchemy.orm import Session

from db.models import Chunk, Document
from db.queries.documents import get_document
from domain.attacks import without_orders
from domain.documents import indexed_text
from domain.errors import ChunkNotFound
from domain.excerpts import page_at


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as the pipeline uses it; `key` is its primary key, `text` the document's text at start..end.

    `context` is what it is part of: headings, the columns of its table. A source that came with a request (N2) is one
    passage, however long: it has `pages`, a chunk lies on one `page`.
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
        """The page of the document at `offset` (code points of its text), if that is known."""
        return page_at(self.pages, offset) if self.pages else self.page

    def section_at(self, offset: int) -> str | None:
        """The innermost section of the document at `offset` (code points of its text), if it has sections."""
        return next((title for title, start, end in reversed(self.sections) if start <= offset < end), self.section)

    @property
    def readable(self) -> str:
        """The text with sentences that address a model blanked out, in place: what may be shown and be evidence."""
        return without_orders(self.text)

    @property
    def indexed(self) -> str:
        """The readable text below what it is part of: what is compared with a question."""
        return indexed_text(self.readable, without_orders(self.context) if self.context else None)

    def words(self, start: int, end: int) -> str | None:
        """The words at `start:end` of the text, or None if any of them may not be evidence."""
        return self.text[start:end] if self.text[start:end] == self.readable[start:end] else None

    @property
    def label(self) -> str:
        """`policy.pdf, p.3`, or only the file name where there are no pages."""
        return self.filename if self.page is None else f"{self.filename}, p.{self.page}"


# Not whole objects: every check of an answer reads its passages, and plain rows cost a third of them.
_COLUMNS = (
    Chunk.id.label("key"),
    Document.id.label("document_id"),
    Document.number,
    Document.filename,
    Document.source,
    Document.details.label("metadata"),
    Chunk.chunk_id,
    Chunk.chunk_index,
    Chunk.page,
    Chunk.section,
    Chunk.start_index,
    Chunk.end_index,
    Chunk.text,
    Chunk.context,
    Document.sections,
)


def get_passages(session: Session, keys: Iterable[int]) -> list[Passage]:
    """The passages with these keys, in the order of the keys; a chunk that is gone meanwhile is left out."""
    wanted = list(keys)
    rows = session.execute(
        select(*_COLUMNS).join(Document, Document.id == Chunk.document_id).where(Chunk.id.in_(wanted))
    )
    by_key = {row["key"]: _passage(dict(row)) for row in rows.mappings()}
    return [by_key[key] for key in wanted if key in by_key]


def find_passages(session: Session, places: Collection[tuple[uuid.UUID, int]]) -> dict[tuple[uuid.UUID, int], Passage]:
    """The chunks at these (document, index); one that is gone is left out."""
    rows = session.execute(
        select(*_COLUMNS)
        .join(Document, Document.id == Chunk.document_id)
        .where(tuple_(Chunk.document_id, Chunk.chunk_index).in_(list(places)))
    )
    found = [_passage(dict(row)) for row in rows.mappings()]
    return {(each.document_id, each.chunk_index): each for each in found}


def get_passage(session: Session, document_id: uuid.UUID, chunk_index: int) -> Passage:
    """The chunk at this place of the document. Raises DocumentNotFound, ChunkNotFound."""
    statement = select(*_COLUMNS).join(Document, Document.id == Chunk.document_id)
    row = session.execute(
        statement.where(Chunk.document_id == document_id, Chunk.chunk_index == chunk_index)
    ).mappings()
    if found := row.one_or_none():
        return _passage(dict(found))
    document = get_document(session, document_id)
    count = session.scalar(select(func.count()).where(Chunk.document_id == document_id))
    known = f"its chunks are 0 to {count - 1}" if count else f"it has none yet: its status is {document.status!r}"
    raise ChunkNotFound(f"Document {document_id} has no chunk {chunk_index}; {known}.")


def list_passages(
    session: Session,
    document_id: uuid.UUID,
    *,
    page: int | None = None,
    chunk_id: str | None = None,
    first: int = 0,
    limit: int,
) -> list[Passage]:
    """The chunks of a document from the one with index `first` on, or those of one page, or one; in order."""
    statement = select(*_COLUMNS).join(Document, Document.id == Chunk.document_id)
    statement = statement.where(Chunk.document_id == document_id, Chunk.chunk_index >= first)
    if page is not None:
        statement = statement.where(Chunk.page == page)
    if chunk_id is not None:
        statement = statement.where(Chunk.chunk_id == chunk_id)
    rows = session.execute(statement.order_by(Chunk.chunk_index).limit(limit)).mappings()
    return [_passage(dict(row)) for row in rows]


def text_around(session: Session, passage: Passage) -> str:
    """The document's text from the start of the chunk before `passage` to the end of the one after it."""
    index = passage.chunk_index
    spans = session.execute(
        select(Chunk.start_index, Chunk.end_index).where(
            Chunk.document_id == passage.document_id, Chunk.chunk_index.between(index - 1, index + 1)
        )
    ).all()
    start = min([passage.start_index, *(start for start, _ in spans)])
    end = max([passage.end_index, *(end for _, end in spans)])
    return source_slice(session, passage.document_id, start, end) or passage.text


def source_slice(session: Session, document_id: uuid.UUID, start: int, end: int) -> str | None:
    """The document's stored text from `start` to `end` (code points), read back from the database."""
    return session.scalar(select(func.substr(Document.text, start + 1, end - start)).where(Document.id == document_id))


def _passage(row: dict[str, Any]) -> Passage:
    sections: list[Any] = row.pop("sections") or []
    return Passage(doc_id=f"doc_{row.pop('number')}", sections=sections, **row)
