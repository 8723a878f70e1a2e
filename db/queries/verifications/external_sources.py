"""Sources that came with a request (N2): each is one passage of any length."""

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from citewell_verify.evidence.passages import Passage, chunk_id_of, source_passage
from db.models import Document, DocumentStatus, GivenSource
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
)


def add_given_sources(session: Session, rows: Sequence[dict[str, Any]]) -> list[int]:
    added = session.scalars(insert(GivenSource).returning(GivenSource.id, sort_by_parameter_order=True), list(rows))
    return list(added)


def read_document(session: Session, document_id: uuid.UUID) -> Document:
    """A stored document with its text. Raises DocumentNotFound, DocumentNotRead."""
    document = get_document(session, document_id)
    # A request that names a superseded version means that version.
    if document.status not in (DocumentStatus.READY, DocumentStatus.SUPERSEDED) or document.text is None:
        raise DocumentNotRead(
            f"Document {document_id} cannot be a source yet: its status is {document.status!r}, not 'ready'."
        )
    return document


def get_given_passages(session: Session, keys: Iterable[int]) -> list[Passage]:
    wanted = list(keys)
    rows = session.execute(select(*_COLUMNS).where(GivenSource.id.in_(wanted)))
    by_key = {row.id: given_passage(row) for row in rows}
    return [by_key[key] for key in wanted if key in by_key]


def get_given_text(session: Session, query_id: uuid.UUID, number: int) -> str:
    text = session.scalar(
        select(GivenSource.text).where(GivenSource.query_id == query_id, GivenSource.number == number)
    )
    if text is None:
        raise SourceNotFound
    return text


def given_passage(row: Any) -> Passage:
    """The passage of a `GivenSource`, or of a row with its columns."""
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
