"""Documents: accepted, claimed by an ingestion worker, finished."""

import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import func, literal, or_, select, update
from sqlalchemy import insert as insert_rows
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from db.models import Chunk, Document, DocumentFile, DocumentStatus, Workspace
from db.queries.lexicon import as_tsvector, count_chunks, forget_chunks
from db.queries.workspaces import take_document_number
from domain.documents import ParsedDocument, indexed_text
from domain.errors import DocumentNotFound
from domain.lexemes import lexemes


def find_document_by_content(session: Session, workspace_id: int, filename: str, sha256: str) -> Document | None:
    """The same file under the same name, if this workspace has it."""
    return session.scalar(
        select(Document).where(
            Document.workspace_id == workspace_id, Document.filename == filename, Document.sha256 == sha256
        )
    )


def add_document(
    session: Session,
    workspace_id: int,
    *,
    filename: str,
    content: bytes,
    sha256: str,
    source: str,
    details: dict[str, Any],
) -> Document:
    """Store the file and a queued document; when a concurrent request stored the same file first, return that one."""
    inserted = session.scalar(
        insert(Document)
        .values(
            id=uuid.uuid4(),
            workspace_id=workspace_id,
            number=take_document_number(session, workspace_id),
            filename=filename,
            source=source,
            details=details,
            sha256=sha256,
            size_bytes=len(content),
        )
        .on_conflict_do_nothing(constraint="uq_documents_workspace_id_filename_sha256")
        .returning(Document.id)
    )
    if inserted is not None:
        session.add(DocumentFile(document_id=inserted, content=content))
        return session.get_one(Document, inserted)
    existing = find_document_by_content(session, workspace_id, filename, sha256)
    if existing is None:
        raise DocumentNotFound
    return existing


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


def list_documents(session: Session, workspace: str | None, limit: int) -> list[tuple[Document, str]]:
    """(document, workspace name), the newest first."""
    statement = select(Document, Workspace.name).join(Workspace, Workspace.id == Document.workspace_id)
    if workspace is not None:
        statement = statement.where(Workspace.name == workspace)
    rows = session.execute(statement.order_by(Document.created_at.desc(), Document.id).limit(limit))
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


def add_chunks(session: Session, workspace_id: int, chunks: Sequence[dict[str, Any]]) -> list[int]:
    """Insert a batch of chunk rows, with what lexical search needs of them; return their keys, in the same order."""
    held = [lexemes(indexed_text(chunk["text"], chunk["context"])) for chunk in chunks]
    indexed = [
        {**chunk, "workspace_id": workspace_id, "search": as_tsvector(each), "length": len(each)}
        for chunk, each in zip(chunks, held, strict=True)
    ]
    adding = insert_rows(Chunk).returning(Chunk.id, sort_by_parameter_order=True)
    keys = list(session.scalars(adding, indexed))
    count_chunks(session, workspace_id, held)
    return keys


def mark_document_ready(session: Session, document_id: uuid.UUID, attempt: int) -> bool:
    """From now on the document is searched."""
    return advance_document(
        session, document_id, attempt, lease_s=0, status=DocumentStatus.READY, stage="ready", ready_at=func.now()
    )


def mark_document_failed(session: Session, document_id: uuid.UUID, attempt: int, error: dict[str, Any]) -> bool:
    """Nothing half-stored stays: chunks and text of the failed attempt go, the reason stays."""
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


def delete_document(session: Session, document_id: uuid.UUID) -> None:
    """Remove the document with its text, file and chunks."""
    document = get_document(session, document_id)
    forget_chunks(session, document_id)
    session.delete(document)


def list_unstarted_documents(session: Session, older_than_s: float, limit: int = 100) -> list[tuple[uuid.UUID, int]]:
    """(id, tenant) of unfinished documents that nobody works on: queued for long, or with a lease that ran out."""
    return [
        (document_id, tenant_id)
        for document_id, tenant_id in session.execute(
            select(Document.id, Document.tenant_id)
            .where(
                Document.status.in_([DocumentStatus.QUEUED, DocumentStatus.PROCESSING]),
                or_(Document.lease_until.is_(None), Document.lease_until < func.now()),
                Document.progress_at < func.now() - timedelta(seconds=older_than_s),
            )
            .order_by(Document.progress_at)
            .limit(limit)
        )
    ]


def touch_documents(session: Session, document_ids: Sequence[uuid.UUID]) -> None:
    """Note that these were published again just now, so that the next look leaves them alone for a while."""
    session.execute(update(Document).where(Document.id.in_(document_ids)).values(progress_at=func.now()))
