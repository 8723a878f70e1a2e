"""The ingestion of a document: claimed by a worker, its text and chunks stored, ended or handed back."""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, func, insert, literal, select, update
from sqlalchemy.orm import Session

from citewell_documents import blocks, figures
from citewell_documents.document import ParsedDocument, TextChunk
from citewell_verify.text.windows import indexed_text
from db.models import Chunk, Document, DocumentStatus
from db.queries.documents.boxes import store_boxes
from db.queries.documents.documents import lock_workspace_of
from db.queries.leases import extend_lease, is_free, lease_end
from db.queries.search.passages import as_tsvector, count_chunks, uncount_chunks
from domain.retrieval.lexemes import lexemes


class DocumentClaim(NamedTuple):
    """A worker's claim: `attempt` fences this worker; `idle` counts the attempts, including this one, since something
    was last stored."""

    attempt: int
    idle: int


def claim_document(session: Session, document_id: uuid.UUID, lease_s: float) -> DocumentClaim | None:
    row = session.execute(
        update(Document)
        .where(
            Document.id == document_id,
            Document.status.in_([DocumentStatus.QUEUED, DocumentStatus.PROCESSING]),
            is_free(Document),
        )
        .values(
            status=DocumentStatus.PROCESSING,
            stage="reading",
            attempt=Document.attempt + 1,
            idle=Document.idle + 1,
            lease_until=lease_end(lease_s),
            progress_at=func.now(),
        )
        .returning(Document.attempt, Document.idle)
    ).one_or_none()
    return None if row is None else DocumentClaim(*row)


def advance_document(
    session: Session, document_id: uuid.UUID, attempt: int, *, lease_s: float, **values: object
) -> bool:
    return extend_lease(session, Document, _held(document_id, attempt), lease_s, progress_at=func.now(), **values)


def _held(document_id: uuid.UUID, attempt: int) -> list[ColumnElement[bool]]:
    return [Document.id == document_id, Document.attempt == attempt, Document.status == DocumentStatus.PROCESSING]


def store_parsed(
    session: Session,
    document_id: uuid.UUID,
    attempt: int,
    parsed: ParsedDocument,
    chunks: Sequence[Mapping[str, Any]],
    *,
    lease_s: float,
) -> int | None:
    """Store the text with its pages and sections; return how many leading `chunks` an earlier attempt already stored.

    None when another worker took over. Chunks of an earlier attempt are deleted unless they are identical: a document
    that takes longer than one attempt, or than a worker's life, resumes where it stopped. Metadata found in the
    document fills keys that the user left open.
    """
    lock_workspace_of(session, document_id)
    kept = _count_kept(session, document_id, chunks)
    if not kept:
        uncount_chunks(session, document_id)
    held = advance_document(
        session,
        document_id,
        attempt,
        lease_s=lease_s,
        stage="embedding",
        text=parsed.text,
        pages=[[page.number, page.start, page.end] for page in parsed.pages],
        sections=[[section.title, section.start, section.end] for section in parsed.sections],
        blocks=blocks.stored(parsed.blocks),
        figures=figures.stored(parsed.figures),
        details=literal(dict(parsed.found), Document.details.type).op("||")(Document.details),
        chunks_done=kept,
        chunks_total=len(chunks),
    )
    if held:
        store_boxes(session, document_id, parsed.boxes)
    return kept if held else None


def store_layout(session: Session, document_id: uuid.UUID, parsed: ParsedDocument) -> None:
    """Store the word boxes, blocks and figures of a document that was read again; its stored text does not change."""
    values = {Document.blocks: blocks.stored(parsed.blocks), Document.figures: figures.stored(parsed.figures)}
    session.execute(update(Document).where(Document.id == document_id).values(values))
    store_boxes(session, document_id, parsed.boxes)


def is_same(session: Session, document_id: uuid.UUID, text: str, chunks: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the document has exactly this text in these chunks."""
    stored = session.scalar(select(func.count()).where(Chunk.document_id == document_id))
    same = stored == len(chunks) == _count_kept(session, document_id, chunks)
    return same and session.scalar(select(Document.text).where(Document.id == document_id)) == text


_SAME = ("chunk_index", "start_index", "end_index", "page", "section", "context", "sha256")


def _count_kept(session: Session, document_id: uuid.UUID, chunks: Sequence[Mapping[str, Any]]) -> int:
    columns = [getattr(Chunk, name) for name in _SAME]
    stored = session.execute(select(*columns).where(Chunk.document_id == document_id).order_by(Chunk.chunk_index))
    rows = [tuple(row) for row in stored]
    return len(rows) if rows == [tuple(chunk[name] for name in _SAME) for chunk in chunks[: len(rows)]] else 0


def chunk_row(document_id: uuid.UUID, doc_id: str, chunk: TextChunk) -> dict[str, Any]:
    return {
        "document_id": document_id,
        "chunk_id": f"{doc_id}::chunk_{chunk.index}",
        "chunk_index": chunk.index,
        "page": chunk.page,
        "section": chunk.section,
        "start_index": chunk.start,
        "end_index": chunk.end,
        "text": chunk.text,
        "context": chunk.context,
        "sha256": hashlib.sha256(chunk.text.encode()).hexdigest(),
    }


def add_chunks(session: Session, workspace_id: int, chunks: Sequence[dict[str, Any]], name: str = "") -> list[int]:
    """Insert chunk rows with their lexical index; return their keys in the same order.

    `name` is how readers refer to the document: every chunk can be found by it. It is not embedded, so the same text in
    another document shares its vector.
    """
    named = lexemes(name)
    held = [[*named, *lexemes(indexed_text(chunk["text"], chunk["context"]))] for chunk in chunks]
    indexed = [
        {**chunk, "workspace_id": workspace_id, "search": as_tsvector(lexemes), "length": len(lexemes)}
        for chunk, lexemes in zip(chunks, held, strict=True)
    ]
    adding = insert(Chunk).returning(Chunk.id, sort_by_parameter_order=True)
    keys = list(session.scalars(adding, indexed))
    count_chunks(session, workspace_id, held)
    return keys


def mark_document_failed(session: Session, document_id: uuid.UUID, attempt: int, error: dict[str, Any]) -> bool:
    """Delete the chunks and the text of the failed attempt, and keep its reason."""
    lock_workspace_of(session, document_id)
    failed = advance_document(
        session, document_id, attempt, lease_s=0, status=DocumentStatus.FAILED, stage="failed", error=error, text=None
    )
    if failed:
        uncount_chunks(session, document_id)
    return failed


def release_document(session: Session, document_id: uuid.UUID, attempt: int, reason: dict[str, Any]) -> None:
    """Release the claim on a document that cannot be read at the moment because something outside of it prevents that:
    the attempt does not count as idle, and readers see what the document waits for."""
    session.execute(
        update(Document)
        .where(*_held(document_id, attempt))
        .values(
            status=DocumentStatus.QUEUED,
            lease_until=None,
            idle=Document.idle - 1,
            progress_at=func.now(),
            error=reason,
        )
    )


def hand_back_document(session: Session, document_id: uuid.UUID, attempt: int) -> None:
    """Return a document that was making progress to the queue, behind the documents of other tenants."""
    session.execute(
        update(Document)
        .where(*_held(document_id, attempt))
        .values(status=DocumentStatus.QUEUED, lease_until=None, launched_at=None, idle=0, progress_at=func.now())
    )
