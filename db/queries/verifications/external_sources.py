"""Sources that came with a request: each is one passage of any length (N2), or the passages of a text beside a question
(N9), whose keys are negative, so that no chunk has such a key."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from citewell_verify.evidence.passages import Passage, chunk_id_of, source_passage
from db.models import Document, DocumentStatus, GivenSource, Query
from db.queries.documents.documents import get_document
from domain.errors.missing import SourceNotFound
from domain.errors.state import DocumentNotRead

_COLUMNS = (
    GivenSource.id,
    GivenSource.query_id,
    GivenSource.number,
    GivenSource.title,
    GivenSource.url,
    GivenSource.document_id,
    GivenSource.details,
    GivenSource.text,
    GivenSource.pages,
    GivenSource.sections,
    GivenSource.context,
    GivenSource.passages,
)
MOST_PASSAGES = 100_000
"""A text of a question has fewer passages than this."""


def add_given_sources(session: Session, rows: Sequence[dict[str, Any]]) -> list[int]:
    added = session.scalars(insert(GivenSource).returning(GivenSource.id, sort_by_parameter_order=True), list(rows))
    return list(added)


def read_document(session: Session, document_id: uuid.UUID) -> Document:
    """Return a stored document with its text. Raises DocumentNotFound, DocumentNotRead."""
    document = get_document(session, document_id)
    # A request that names a superseded version means that version.
    if document.status not in (DocumentStatus.READY, DocumentStatus.SUPERSEDED) or document.text is None:
        raise DocumentNotRead(
            f"Document {document_id} cannot be a source yet: its status is {document.status!r}, not 'ready'."
        )
    return document


def get_given_passages(session: Session, keys: Iterable[int]) -> list[Passage]:
    wanted = list(keys)
    rows = session.execute(select(*_COLUMNS).where(GivenSource.id.in_({_source_of(key) for key in wanted})))
    by_id = {row.id: row for row in rows}
    found = ((key, by_id.get(_source_of(key))) for key in wanted)
    return [given_passage(row) if key > 0 else _part(row, -key % MOST_PASSAGES) for key, row in found if row]


def list_given_passages(session: Session, query_id: uuid.UUID) -> list[Passage]:
    """Return all passages of the texts that came with a question, in their order."""
    rows = session.execute(select(*_COLUMNS).where(GivenSource.query_id == query_id).order_by(GivenSource.number))
    return [_part(row, place) for row in rows for place in range(len(row.passages or ()))]


def _source_of(key: int) -> int:
    return key if key > 0 else -key // MOST_PASSAGES


def _part(row: Any, place: int) -> Passage:
    whole, (start, end) = given_passage(row), row.passages[place]
    return replace(
        whole,
        key=-(row.id * MOST_PASSAGES + place),
        chunk_id=f"{whole.chunk_id}_part_{place + 1}",
        chunk_index=place,
        start_index=start,
        end_index=end,
        text=whole.text[start:end],
    )


def get_given_text(session: Session, query_id: uuid.UUID, number: int) -> str:
    text = session.scalar(
        select(GivenSource.text).where(GivenSource.query_id == query_id, GivenSource.number == number)
    )
    if text is None:
        raise SourceNotFound
    return text


def find_attached_text(session: Session, document_id: uuid.UUID) -> str | None:
    """Return the text that came with a question, by the id that its citations name; None for callers who may not see
    the question."""
    named = select(GivenSource.text).join(Query, Query.id == GivenSource.query_id)
    return session.scalar(
        named.where(GivenSource.document_id == document_id, GivenSource.passages.is_not(None)).limit(1)
    )


def given_passage(row: Any) -> Passage:
    """Return the passage of a `GivenSource`, or of a row with its columns."""
    return source_passage(
        key=row.id,
        number=row.number,
        # A source that is no stored document gets a stable derived id.
        document_id=row.document_id or uuid.uuid5(row.query_id, chunk_id_of(row.number)),
        title=row.title,
        metadata=row.details,
        text=row.text,
        pages=row.pages or [],
        sections=row.sections,
        context=row.context,
    )
