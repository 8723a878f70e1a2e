"""Indexes a document that was read: stores its passages and vectors in batches, then puts its version in force."""

import uuid
from dataclasses import dataclass
from typing import Any

import structlog
from sqlalchemy.orm import Session

from citewell_documents.document import ParsedDocument, TextChunk, embedded_text
from citewell_verify.embeddings.protocol import Embedder
from clients.telemetry import tracing
from db.models import Document, DocumentStatus
from db.queries.access.workspaces import lock_workspace
from db.queries.documents import fingerprints, reingestions
from db.queries.documents import ingestion as rows
from db.queries.documents.chunk_edits import carry_edits
from db.queries.documents.documents import get_document, lock_workspace_of
from db.queries.documents.reingestions import Replaced
from db.queries.documents.spaces import add_vectors, space_of
from db.queries.documents.versions import mark_document_ready
from db.queries.verifications.answer_validity import record_new_version
from db.session import transaction
from domain.documents.fingerprints import NEAR, Fingerprint, similarity
from services.core import model_choice
from services.documents.leases import Lease, LeaseLost
from services.documents.turns import Turn
from services.webhooks.outbox import announce_document

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ClaimedDocument:
    """A document that this worker ingests; `attempt` is the fencing number, `again` the version that it replaces if it
    is read again."""

    id: uuid.UUID
    attempt: int
    idle: int
    lease: Lease
    workspace_id: int
    doc_id: str
    filename: str
    size_bytes: int
    details: dict[str, Any]
    again: Replaced | None
    traceparent: str | None


def store_text(document: ClaimedDocument, parsed: ParsedDocument, chunks: list[TextChunk]) -> int:
    """Store the text; return the number of leading chunks that an earlier attempt already stored. Raises LeaseLost."""
    made = _chunk_rows(document, chunks)
    with transaction() as session:
        lease_s = document.lease.lease_s
        kept = rows.store_parsed(session, document.id, document.attempt, parsed, made, lease_s=lease_s)
    if kept is None:
        raise LeaseLost
    return kept


def store_chunks(
    document: ClaimedDocument, name: str, embedder: Embedder, chunks: list[TextChunk], turn: Turn, *, batch: int
) -> bool:
    """Embed and store chunks, `batch` at a time; searches also find each of them by `name`, the document's. False when
    the turn ended before the last chunk.

    Raises LeaseLost, EmbeddingUnavailable, EmbeddingRejected, EmbeddingMismatch.
    """
    for first in range(0, len(chunks), batch):
        turn.note_left(len(chunks) - first)
        turn.give_way()
        if first and turn.is_over():
            return False
        some = chunks[first : first + batch]
        with tracing.span("embed and store", {"citewell.item_count": len(some)}):
            # Repeated when `citewell reembed` moved the workspace to another space meanwhile.
            while not _stored(document, name, embedder, some):
                log.info("embedding_space_changed", document_id=str(document.id))
    return True


def _stored(document: ClaimedDocument, name: str, embedder: Embedder, chunks: list[TextChunk]) -> bool:
    document.lease.check()
    texts = [embedded_text(chunk) for chunk in chunks]
    space = model_choice.ensure_space(document.workspace_id, embedder)
    own = model_choice.embedder_for(space, document.workspace_id, embedder)
    vectors = model_choice.embed(space, own, texts)
    with transaction() as session:
        lock_workspace(session, document.workspace_id)
        if space_of(session, document.workspace_id) != space:
            return False
        document.lease.advance(session, chunks_done=chunks[-1].index + 1, idle=0, error=None)
        keys = rows.add_chunks(session, document.workspace_id, _chunk_rows(document, chunks), name)
        add_vectors(session, space, list(zip(keys, texts, vectors, strict=True)))
    return True


def keep_as_it_was(document: ClaimedDocument, parsed: ParsedDocument, chunks: list[TextChunk]) -> bool:
    """Return whether a file that is read again gives the stored text and chunks; in that case store only its layout."""
    if document.again is None or document.again.of_document is None:
        return False
    of = document.again.of_document
    with transaction() as session:
        lock_workspace(session, document.workspace_id)
        if not rows.is_same(session, of, parsed.text, _chunk_rows(document, chunks)):
            return False
        document.lease.advance(session)
        rows.store_layout(session, of, parsed)
        reingestions.discard(session, document.id, document.again.reingestion_id)
        return True


def put_in_force(
    session: Session, document_id: uuid.UUID, attempt: int, prints: Fingerprint | None = None, **values: object
) -> bool:
    """Search this version in place of the previous one from now on; False when another worker took over.

    If a newer version was ready first, this one is kept as history and not announced.
    """
    # The lock makes sure that the second of two near-duplicates that come into force together sees the first.
    lock_workspace_of(session, document_id)
    status = mark_document_ready(session, document_id, attempt, **values)
    again = reingestions.find_replaced(session, document_id) if status else None
    if again and again.of_document:
        reingestions.complete(session, document_id, again.of_document, in_force=status is DocumentStatus.READY)
    if status is DocumentStatus.READY:
        carry_edits(session, document_id)
        if prints:
            _mark_near_duplicate(session, get_document(session, document_id), prints)
        record_new_version(session, document_id)
        announce_document(session, document_id)
    return status is not None


def _mark_near_duplicate(session: Session, document: Document, prints: Fingerprint) -> None:
    """Store the document's fingerprint, and the document of its workspace that it is most similar to."""
    sharing = fingerprints.list_sharing(session, document.workspace_id, document.filename, prints.bands)
    likeness, nearest = max(
        ((similarity(prints.minima, minima), document_id) for document_id, minima in sharing), default=(0.0, None)
    )
    near = (nearest, likeness) if nearest and likeness >= NEAR else None
    fingerprints.store_fingerprint(session, document.workspace_id, document.id, prints.minima, prints.bands, near)


def _chunk_rows(document: ClaimedDocument, chunks: list[TextChunk]) -> list[dict[str, Any]]:
    return [rows.chunk_row(document.id, document.doc_id, chunk) for chunk in chunks]
