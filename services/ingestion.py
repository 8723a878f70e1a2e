"""Ingestion: read, split, embed and store a document, in batches that show its progress."""

import hashlib
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import structlog

from clients.embeddings import Embedder
from clients.parsing import ParseLimits, parse
from config.settings import IngestionSettings
from db.queries import documents as rows
from db.queries.graph_jobs import queue_graph
from db.queries.workspaces import claim_embedding_model
from db.session import transaction
from domain.chunks import split_document
from domain.documents import TextChunk
from domain.errors import CitewellError, DatabaseUnavailable, DocumentEmpty
from services.webhooks import announce_document

log = structlog.get_logger()

LEASE_S = 20.0
MAX_ATTEMPTS = 3


class TakenOver(Exception):
    """Another worker claimed the document meanwhile; this one stops and stores nothing more."""


@dataclass(frozen=True, slots=True)
class _Job:
    document_id: uuid.UUID
    attempt: int
    workspace_id: int
    doc_id: str
    filename: str
    content: bytes


Hold = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""Calls the given renewal again and again for the length of a block (workers.leases)."""


def ingest(
    document_id: uuid.UUID, embedder: Embedder, limits: IngestionSettings, hold: Hold, *, graph: bool = False
) -> bool:
    """Ingest an accepted document; False when there was nothing to do. A document that cannot be used ends as failed.

    `graph` asks for its knowledge graph, too, which is built later (services.graph).
    Raises DatabaseUnavailable (try again later).
    """
    job = _claim(document_id)
    if job is None:
        return False
    try:
        # Reading a long PDF takes longer than a lease lasts.
        with hold(lambda: _renew(job)):
            _ingest(job, embedder, limits, graph=graph)
    except TakenOver:
        log.info("ingestion_superseded", document_id=str(document_id))
    except DatabaseUnavailable:
        raise
    except CitewellError as error:
        _fail(job, error.code, error.message)
    except Exception as error:
        # Its lease runs out and it is tried again, MAX_ATTEMPTS times: some faults pass.
        log.exception("ingestion_broke", document_id=str(document_id), attempt=job.attempt)
        if job.attempt >= MAX_ATTEMPTS:
            _fail(job, "ingestion_broke", f"{job.filename} could not be ingested ({type(error).__name__}).")
    return True


def _claim(document_id: uuid.UUID) -> _Job | None:
    with transaction() as session:
        attempt = rows.claim_document(session, document_id, LEASE_S)
        if attempt is None:
            return None
        document = rows.get_document(session, document_id)
        content = rows.get_file(session, document_id)
        job = _Job(document_id, attempt, document.workspace_id, document.doc_id, document.filename, content)
    if attempt > MAX_ATTEMPTS:
        _fail(job, "ingestion_gave_up", f"{job.filename} ended {MAX_ATTEMPTS} workers; it will not be tried again.")
        return None
    return job


def _ingest(job: _Job, embedder: Embedder, limits: IngestionSettings, *, graph: bool) -> None:
    with transaction() as session:
        claim_embedding_model(session, job.workspace_id, embedder.name, embedder.dimension)
    parsed = parse(
        job.content,
        job.filename,
        ParseLimits(max_pages=limits.max_pages, max_chars=limits.max_chars),
    )
    chunks = split_document(parsed, chunk_chars=limits.chunk_chars, overlap_chars=limits.overlap_chars)
    if not chunks:
        raise DocumentEmpty
    with transaction() as session:
        if not rows.store_parsed(session, job.document_id, job.attempt, parsed, len(chunks), lease_s=LEASE_S):
            raise TakenOver
    for first in range(0, len(chunks), limits.batch):
        _store_batch(job, embedder, chunks[first : first + limits.batch])
    with transaction() as session:
        if not rows.mark_document_ready(session, job.document_id, job.attempt):
            raise TakenOver
        if graph:
            queue_graph(session, job.document_id, job.workspace_id)
        announce_document(session, job.document_id)


def _store_batch(job: _Job, embedder: Embedder, chunks: list[TextChunk]) -> None:
    embeddings = embedder.encode([chunk.text for chunk in chunks])
    values = [_row(job, chunk, vector.tolist()) for chunk, vector in zip(chunks, embeddings, strict=True)]
    done = chunks[-1].index + 1
    with transaction() as session:
        if not rows.advance_document(session, job.document_id, job.attempt, lease_s=LEASE_S, chunks_done=done):
            raise TakenOver
        rows.add_chunks(session, values)


def _row(job: _Job, chunk: TextChunk, embedding: list[float]) -> dict[str, Any]:
    return {
        "workspace_id": job.workspace_id,
        "document_id": job.document_id,
        "chunk_id": f"{job.doc_id}::chunk_{chunk.index}",
        "chunk_index": chunk.index,
        "page": chunk.page,
        "section": chunk.section,
        "start_index": chunk.start,
        "end_index": chunk.end,
        "text": chunk.text,
        "sha256": hashlib.sha256(chunk.text.encode()).hexdigest(),
        "embedding": embedding,
    }


def _renew(job: _Job) -> None:
    with transaction() as session:
        rows.advance_document(session, job.document_id, job.attempt, lease_s=LEASE_S)


def _fail(job: _Job, code: str, message: str) -> None:
    error = {"code": code, "message": message}
    with transaction() as session:
        if rows.mark_document_failed(session, job.document_id, job.attempt, error):
            announce_document(session, job.document_id, error)
