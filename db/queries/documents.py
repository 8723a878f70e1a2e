"""Documents: accepted, claimed by an ingestion worker, finished."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import and_, exists, func, insert, literal, or_, select, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session, aliased

from db.models import Chunk, Document, DocumentFile, DocumentStatus, Workspace
from db.queries.lexicon import as_tsvector, count_chunks, forget_chunks
from db.queries.paging import Place, page
from db.queries.workspaces import lock_workspace, take_document_number
from domain.documents import ParsedDocument, indexed_text
from domain.errors import DocumentNotFound
from domain.lexemes import lexemes


def add_document(
    session: Session,
    workspace_id: int,
    *,
    filename: str,
    content: bytes,
    sha256: str,
    source: str,
    details: dict[str, Any],
    version: int = 1,
) -> Document:
    """Store the file and a queued document; the caller has locked the workspace (db.queries.versions)."""
    document = Document(
        id=uuid.uuid4(),
        workspace_id=workspace_id,
        number=take_document_number(session, workspace_id),
        filename=filename,
        source=source,
        details=details,
        sha256=sha256,
        version=version,
        size_bytes=len(content),
    )
    session.add(document)
    session.flush()
    session.add(DocumentFile(document_id=document.id, content=content))
    return document


def merge_details(session: Session, document_id: uuid.UUID, details: dict[str, Any]) -> None:
    """Add to the metadata; a key that is there already gets the new value."""
    if details:
        values = {Document.details: Document.details.op("||")(literal(details, JSONB))}
        session.execute(update(Document).where(Document.id == document_id).values(values))


def get_document(session: Session, document_id: uuid.UUID) -> Document:
    """Raise DocumentNotFound when there is none."""
    document = session.get(Document, document_id)
    if document is None:
        raise DocumentNotFound(f"There is no document {document_id}.")
    return document


def get_document_text(session: Session, document_id: uuid.UUID) -> str | None:
    """The stored text that offsets point into; None until the document has been read."""
    get_document(session, document_id)
    return session.scalar(select(Document.text).where(Document.id == document_id))


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Which documents a list holds; None leaves a property open. What was superseded is left out unless named.

    `metadata` are keys with their values as text.
    """

    workspace: str | None = None
    status: str | None = None
    filename: str | None = None
    sha256: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    all_versions: bool = False


def list_documents(
    session: Session, wanted: DocumentFilter, *, after: Place | None = None, limit: int
) -> list[tuple[Document, str]]:
    """One page of (document, workspace name), the newest first."""
    equal = {
        Workspace.name: wanted.workspace,
        Document.status: wanted.status,
        Document.filename: wanted.filename,
        Document.sha256: wanted.sha256,
    }
    statement = (
        select(Document, Workspace.name)
        .join(Workspace, Workspace.id == Document.workspace_id)
        .where(*(column == value for column, value in equal.items() if value is not None))
        .where(*(Document.details[key].astext == value for key, value in wanted.metadata.items()))
    )
    if wanted.status is None and not wanted.all_versions:
        statement = statement.where(Document.status != DocumentStatus.SUPERSEDED)
    rows = session.execute(page(statement, Document.created_at, Document.id, after=after, limit=limit))
    return [(document, name) for document, name in rows]


def workspace_name_of(session: Session, document: Document) -> str:
    """The name of the document's workspace."""
    return session.get_one(Workspace, document.workspace_id).name


def requeue_document(session: Session, document_id: uuid.UUID) -> None:
    """Try a failed document again."""
    session.execute(
        update(Document)
        .where(Document.id == document_id, Document.status == DocumentStatus.FAILED)
        .values(status=DocumentStatus.QUEUED, stage="queued", error=None, attempt=0, progress_at=func.now())
    )


def claim_document(session: Session, document_id: uuid.UUID, lease_s: float) -> int | None:
    """Take an unfinished document whose lease is free; return the attempt number that fences this worker, or None."""
    return session.scalar(
        update(Document)
        .where(
            Document.id == document_id,
            Document.status.in_([DocumentStatus.QUEUED, DocumentStatus.PROCESSING]),
            or_(Document.lease_until.is_(None), Document.lease_until < func.now()),
        )
        .values(
            status=DocumentStatus.PROCESSING,
            stage="reading",
            attempt=Document.attempt + 1,
            lease_until=func.now() + timedelta(seconds=lease_s),
            progress_at=func.now(),
        )
        .returning(Document.attempt)
    )


def get_file(session: Session, document_id: uuid.UUID) -> bytes:
    """The uploaded bytes."""
    return session.get_one(DocumentFile, document_id).content


def advance_document(
    session: Session, document_id: uuid.UUID, attempt: int, *, lease_s: float, **values: object
) -> bool:
    """Store progress and extend the lease, if `attempt` still holds it; False means that another worker took over."""
    taken = session.scalar(
        update(Document)
        .where(
            Document.id == document_id,
            Document.attempt == attempt,
            Document.status == DocumentStatus.PROCESSING,
        )
        .values(lease_until=func.now() + timedelta(seconds=lease_s), progress_at=func.now(), **values)
        .returning(Document.id)
    )
    return taken is not None


def store_parsed(
    session: Session, document_id: uuid.UUID, attempt: int, parsed: ParsedDocument, chunks: int, *, lease_s: float
) -> bool:
    """Store the text with its pages and sections, and forget the chunks of an earlier, unfinished attempt.

    What the document says of itself becomes metadata where the user gave none.
    """
    lock_workspace_of(session, document_id)
    forget_chunks(session, document_id)
    return advance_document(
        session,
        document_id,
        attempt,
        lease_s=lease_s,
        stage="embedding",
        text=parsed.text,
        pages=[[page.number, page.start, page.end] for page in parsed.pages],
        sections=[[section.title, section.start, section.end] for section in parsed.sections],
        details=literal(dict(parsed.found), Document.details.type).op("||")(Document.details),
        chunks_done=0,
        chunks_total=chunks,
    )


def add_chunks(session: Session, workspace_id: int, chunks: Sequence[dict[str, Any]], name: str = "") -> list[int]:
    """Insert a batch of chunk rows, with what lexical search needs of them; return their keys, in the same order.

    `name` is what readers call the document: each of its chunks is found by it. It is no part of what is embedded, so
    that the same text in another document needs no vector of its own.
    """
    named = lexemes(name)
    held = [[*named, *lexemes(indexed_text(chunk["text"], chunk["context"]))] for chunk in chunks]
    indexed = [
        {**chunk, "workspace_id": workspace_id, "search": as_tsvector(each), "length": len(each)}
        for chunk, each in zip(chunks, held, strict=True)
    ]
    adding = insert(Chunk).returning(Chunk.id, sort_by_parameter_order=True)
    keys = list(session.scalars(adding, indexed))
    count_chunks(session, workspace_id, held)
    return keys


def mark_document_failed(session: Session, document_id: uuid.UUID, attempt: int, error: dict[str, Any]) -> bool:
    """Nothing half-stored stays: chunks and text of the failed attempt go, the reason stays."""
    lock_workspace_of(session, document_id)
    failed = advance_document(
        session, document_id, attempt, lease_s=0, status=DocumentStatus.FAILED, stage="failed", error=error, text=None
    )
    if failed:
        forget_chunks(session, document_id)
    return failed


def release_document(session: Session, document_id: uuid.UUID, attempt: int) -> None:
    """Give a claimed document back as if it had not been claimed: what it lacks is no fault of its own."""
    session.execute(
        update(Document)
        .where(Document.id == document_id, Document.attempt == attempt, Document.status == DocumentStatus.PROCESSING)
        .values(status=DocumentStatus.QUEUED, lease_until=None, attempt=attempt - 1, progress_at=func.now())
    )


def lock_workspace_of(session: Session, document_id: uuid.UUID) -> None:
    """Lock the workspace of a document, if there is such a document (workspaces.lock_workspace)."""
    workspace_id = session.scalar(select(Document.workspace_id).where(Document.id == document_id))
    if workspace_id is not None:
        lock_workspace(session, workspace_id)


def delete_document(session: Session, document_id: uuid.UUID) -> None:
    """Remove the document with its text, file and chunks."""
    lock_workspace_of(session, document_id)
    document = get_document(session, document_id)
    forget_chunks(session, document_id)
    session.delete(document)


def list_unstarted_documents(
    session: Session, older_than_s: float, *, patience_s: float = 600.0, limit: int = 100
) -> list[tuple[uuid.UUID, int]]:
    """(id, tenant) of unfinished documents that nobody works on: queued for long, or with a lease that ran out.

    While others are being read the queue is long, not lost: then those that were never claimed have more patience.
    """
    other = aliased(Document)
    busy = exists().where(other.status == DocumentStatus.PROCESSING, other.lease_until > func.now())
    unclaimed = and_(
        Document.lease_until.is_(None),
        or_(~busy, Document.progress_at < func.now() - timedelta(seconds=patience_s)),
    )
    rows = session.execute(
        select(Document.id, Document.tenant_id)
        .where(
            Document.status.in_([DocumentStatus.QUEUED, DocumentStatus.PROCESSING]),
            or_(unclaimed, Document.lease_until < func.now()),
            Document.progress_at < func.now() - timedelta(seconds=older_than_s),
        )
        .order_by(Document.progress_at)
        .limit(limit)
    )
    return [(document_id, tenant_id) for document_id, tenant_id in rows]


def touch_documents(session: Session, document_ids: Sequence[uuid.UUID]) -> None:
    """Note that these were published again just now, so that the next look leaves them alone for a while."""
    session.execute(update(Document).where(Document.id.in_(document_ids)).values(progress_at=func.now()))
