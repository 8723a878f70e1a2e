"""Ingestion: reads, splits, embeds and stores a document, in batches that show its progress."""

import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import PurePath
from threading import Event
from typing import Any

import structlog
from opentelemetry.trace import Span
from sqlalchemy.orm import Session

from clients.embeddings import Embedder
from clients.parsing.language import with_findings
from clients.telemetry import families, tracing
from clients.telemetry.meter import METER
from config.settings import IngestionSettings
from db.models import DocumentStatus
from db.queries.access.workspaces import lock_workspace
from db.queries.documents import documents as rows
from db.queries.documents import reingestions
from db.queries.documents.chunk_edits import carry_exclusions
from db.queries.documents.graph_jobs import queue_graph
from db.queries.documents.recognised import forget
from db.queries.documents.reingestions import Replaced
from db.queries.documents.spaces import space_of
from db.queries.documents.vectors import add_vectors
from db.queries.documents.versions import mark_document_ready
from db.queries.verifications.answer_validity import record_new_version
from db.session import after_commit, reading, transaction
from domain.documents.chunks import split_document
from domain.documents.documents import ParsedDocument, TextChunk, embedded_text
from domain.documents.fingerprints import Fingerprint, fingerprint
from domain.errors import (
    CitewellError,
    DatabaseUnavailable,
    DocumentEmpty,
    EmbeddingUnavailable,
    OriginalNotFound,
    OriginalUnavailable,
)
from domain.text.lengths import count_tokens
from services.core import embedding_spaces
from services.documents.files import read_file
from services.documents.near_duplicates import mark_near_duplicate
from services.documents.recognition import FileToRead, LeaseLost, read_text
from services.webhooks.outbox import announce_document


def put_in_force(session: Session, document_id: uuid.UUID, attempt: int, prints: Fingerprint | None = None) -> bool:
    """Search this version in place of the previous one from now on; False when another worker took over.

    If a newer version was ready first, this one is kept as history and not announced.
    """
    # Of two near-duplicates that come into force at once, one sees the other.
    rows.lock_workspace_of(session, document_id)
    status = mark_document_ready(session, document_id, attempt)
    again = reingestions.find_replaced(session, document_id) if status else None
    if again and again.of_document:
        reingestions.complete(session, document_id, again.of_document, in_force=status is DocumentStatus.READY)
    if status is DocumentStatus.READY:
        carry_exclusions(session, document_id)
        if prints:
            mark_near_duplicate(session, rows.get_document(session, document_id), prints)
        record_new_version(session, document_id)
        announce_document(session, document_id)
    return status is not None


log = structlog.get_logger()

LEASE_S = 10.0
MAX_ATTEMPTS = 3
MOST_NAME = 200  # characters of a document's name, which each of its passages is found by


@dataclass(frozen=True, slots=True)
class _Job:
    document_id: uuid.UUID
    attempt: int
    idle: int
    lease_s: float
    workspace_id: int
    doc_id: str
    filename: str
    title: str
    again: Replaced | None
    traceparent: str | None
    lost: Event = field(default_factory=Event)
    """Set by a renewal that found the document taken over."""


Hold = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""Calls the given renewal repeatedly for the length of a block (workers.processes.leases)."""


def ingest(
    document_id: uuid.UUID,
    embedder: Embedder,
    limits: IngestionSettings,
    hold: Hold,
    *,
    graph: bool = False,
    lease_s: float = LEASE_S,
    price: float = 0.0,
) -> bool:
    """Ingest an accepted document; False when there was nothing to do. A document that cannot be used ends as failed.

    When its process dies it is retried after `lease_s`; until then no other worker gets it. `graph` also queues its
    knowledge graph, which is built later (services.documents.graph_building). `price` is that of a million embedded
    tokens in US dollars.
    Raises DatabaseUnavailable, EmbeddingUnavailable, OriginalUnavailable (try again later).
    """
    job = _claim(document_id, lease_s)
    if job is None:
        return False
    attributes = {"citewell.document_id": str(document_id), "citewell.attempt": job.attempt}
    with tracing.following(job.traceparent, document_id), tracing.span("ingest", attributes) as span:
        _attempt(job, embedder, limits, hold, span, graph=graph, price=price)
    return True


def _attempt(
    job: _Job, embedder: Embedder, limits: IngestionSettings, hold: Hold, span: Span, *, graph: bool, price: float
) -> None:
    began = time.perf_counter()
    try:
        # Reading a long PDF takes longer than a lease lasts.
        with hold(lambda: _renew(job)):
            if _ingest(job, embedder, limits, graph=graph, price=price):
                METER.count(families.DOCUMENTS_ENDED, "ready")
    except LeaseLost:
        log.info("ingestion_superseded", document_id=str(job.document_id))
    except (DatabaseUnavailable, EmbeddingUnavailable, OriginalUnavailable):
        # Not the document's fault. If even this cannot be stored, its lease expires.
        with suppress(DatabaseUnavailable), transaction() as session:
            rows.release_document(session, job.document_id, job.attempt)
        raise
    except CitewellError as error:
        tracing.fail(span, error.code)
        _fail(job, error.code, error.message)
    except Exception as error:
        # Its lease expires and it is retried, MAX_ATTEMPTS times without progress: some faults pass, and what takes
        # longer than one attempt continues where it was.
        log.exception("ingestion_broke", document_id=str(job.document_id), attempt=job.attempt)
        tracing.fail(span, type(error).__name__)
        if _is_idle(job):
            _fail(job, "ingestion_broke", f"{job.filename} could not be ingested ({type(error).__name__}).")
    finally:
        METER.observe(families.DOCUMENT_SECONDS, time.perf_counter() - began)


def _claim(document_id: uuid.UUID, lease_s: float) -> _Job | None:
    with transaction() as session:
        claim = rows.claim_document(session, document_id, lease_s)
        if claim is None:
            return None
        document = rows.get_document(session, document_id)
        again = reingestions.find_replaced(session, document_id)
        given = document.details.get("title")
        title = given if isinstance(given, str) else ""
        job = _Job(
            document_id,
            *claim,
            lease_s,
            document.workspace_id,
            document.doc_id,
            document.filename,
            title,
            again,
            document.traceparent,
        )
    if claim.idle > MAX_ATTEMPTS:
        _fail(job, "ingestion_gave_up", f"{job.filename} ended {MAX_ATTEMPTS} workers; it will not be tried again.")
        return None
    return job


def _is_idle(job: _Job) -> bool:
    """Whether this was the last of MAX_ATTEMPTS attempts that stored nothing."""
    with reading() as session:
        return rows.get_document(session, job.document_id).idle >= MAX_ATTEMPTS


def _ingest(job: _Job, embedder: Embedder, limits: IngestionSettings, *, graph: bool, price: float) -> bool:
    """False when another task goes on with it."""
    began = time.perf_counter()
    # Before anything is read: without an embedder the work would be in vain.
    embedding_spaces.embedder_for(embedding_spaces.ensure_space(job.workspace_id, embedder), job.workspace_id, embedder)
    with tracing.span("read"):
        parsed = _read(job, limits)
    if parsed is None:
        with transaction() as session:
            rows.hand_back_document(session, job.document_id, job.attempt)
        return False
    parsed = with_findings(parsed, job.filename)
    chunks = split_document(parsed, chunk_tokens=limits.chunk_tokens, overlap_tokens=limits.overlap_tokens)
    name = searched_name(job.title, parsed.found, job.filename)
    if not chunks:
        raise DocumentEmpty
    made = [rows.chunk_row(job.document_id, job.doc_id, chunk) for chunk in chunks]
    if job.again and _is_unchanged(job, job.again, parsed, made):
        return True
    with transaction() as session:
        kept = rows.store_parsed(session, job.document_id, job.attempt, parsed, made, lease_s=job.lease_s)
    if kept is None:
        raise LeaseLost
    for first in range(kept, len(chunks), limits.batch):
        with tracing.span("embed and store", {"citewell.item_count": min(limits.batch, len(chunks) - first)}):
            _store_batch(job, name, embedder, chunks[first : first + limits.batch])
    prints = fingerprint(parsed.text)
    spent = {"read_s": time.perf_counter() - began, "read_usd": _cost(chunks[kept:], price)}
    with transaction() as session:
        # First, as all do who change documents.
        lock_workspace(session, job.workspace_id)
        rows.advance_document(session, job.document_id, job.attempt, lease_s=job.lease_s, **spent)
        if not put_in_force(session, job.document_id, job.attempt, prints):
            raise LeaseLost
        forget(session, job.document_id)
        if graph:
            queue_graph(session, job.document_id, job.workspace_id)
    return True


def _read(job: _Job, limits: IngestionSettings) -> ParsedDocument | None:
    def advance(session: Session, done: int, count: int) -> None:
        pages = {"stage": "recognising", "pages_recognised": done, "pages_to_recognise": count, "idle": 0}
        if not rows.advance_document(session, job.document_id, job.attempt, lease_s=job.lease_s, **pages):
            raise LeaseLost

    return read_text(FileToRead(job.document_id, _content(job), job.filename, advance, job.lost), limits)


def _content(job: _Job) -> bytes:
    # One that is read again has no file of its own yet.
    content = read_file(job.again.of_document if job.again and job.again.of_document else job.document_id)
    if content is None:
        raise OriginalNotFound
    return content


def _is_unchanged(job: _Job, again: Replaced, parsed: ParsedDocument, made: list[dict[str, Any]]) -> bool:
    """Whether the file, read again, gives the stored text and passages: then only its layout is stored anew."""
    with transaction() as session:
        lock_workspace(session, job.workspace_id)
        of = again.of_document
        if of is None or not rows.is_same(session, of, parsed.text, made):
            return False
        if not rows.advance_document(session, job.document_id, job.attempt, lease_s=job.lease_s):
            raise LeaseLost
        rows.store_layout(session, of, parsed)
        reingestions.discard(session, job.document_id, again.reingestion_id)
        return True


def _cost(embedded: list[TextChunk], price: float) -> float | None:
    return sum(count_tokens(embedded_text(chunk)) for chunk in embedded) * price / 1e6 if price else None


def searched_name(title: str, found: Mapping[str, str], filename: str) -> str:
    """What each passage of a document is found by: its title, given or of its own, else the name of its file."""
    return (title or found.get("title") or readable_name(filename))[:MOST_NAME]


def readable_name(filename: str) -> str:
    # `AAPL_10-K_2023.pdf` says what the document is, and is found by it.
    return PurePath(filename).stem.replace("_", " ")


def _store_batch(job: _Job, name: str, embedder: Embedder, chunks: list[TextChunk]) -> None:
    # Again when `citewell reembed` moved the workspace to another space meanwhile.
    while not _stored(job, name, embedder, chunks):
        log.info("embedding_space_changed", document_id=str(job.document_id))


def _stored(job: _Job, name: str, embedder: Embedder, chunks: list[TextChunk]) -> bool:
    if job.lost.is_set():
        # Vectors that will not be stored may cost money.
        raise LeaseLost
    texts = [embedded_text(chunk) for chunk in chunks]
    space = embedding_spaces.ensure_space(job.workspace_id, embedder)
    vectors = embedding_spaces.embed(space, embedding_spaces.embedder_for(space, job.workspace_id, embedder), texts)
    done = chunks[-1].index + 1
    with transaction() as session:
        lock_workspace(session, job.workspace_id)
        if space_of(session, job.workspace_id) != space:
            return False
        if not rows.advance_document(
            session, job.document_id, job.attempt, lease_s=job.lease_s, chunks_done=done, idle=0
        ):
            raise LeaseLost
        keys = rows.add_chunks(
            session, job.workspace_id, [rows.chunk_row(job.document_id, job.doc_id, chunk) for chunk in chunks], name
        )
        add_vectors(session, space, list(zip(keys, texts, vectors, strict=True)))
    return True


def _renew(job: _Job) -> None:
    with transaction() as session:
        if not rows.advance_document(session, job.document_id, job.attempt, lease_s=job.lease_s):
            job.lost.set()


def _fail(job: _Job, code: str, message: str) -> None:
    error = {"code": code, "message": message}
    with transaction() as session:
        if rows.mark_document_failed(session, job.document_id, job.attempt, error):
            after_commit(session, _count_failed)
            announce_document(session, job.document_id, error)


def _count_failed() -> None:
    METER.count(families.DOCUMENTS_ENDED, "failed")
