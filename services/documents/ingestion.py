"""Ingestion: claims, reads, splits and indexes a document, and decides how an attempt ends."""

import time
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import partial

import structlog
from opentelemetry.trace import Span

from citewell_documents.chunking import split_document
from citewell_documents.document import ParsedDocument, TextChunk, embedded_text
from citewell_documents.errors import DocumentEmpty
from citewell_documents.metadata import described, searched_name
from citewell_documents.parsing.language import with_findings
from citewell_verify.embeddings.protocol import Embedder
from citewell_verify.errors import CitewellError
from citewell_verify.text.windows import count_tokens
from clients.telemetry import meter, tracing
from clients.telemetry.meter import METER
from config.settings import IngestionSettings
from db.queries.access.workspaces import lock_workspace
from db.queries.documents import boxes, reingestions
from db.queries.documents import ingestion as rows
from db.queries.documents.documents import get_document
from db.queries.documents.graph_jobs import queue_graph
from db.session import after_commit, reading, transaction
from domain.documents.fingerprints import Fingerprint, fingerprint
from domain.errors.missing import OriginalNotFound
from domain.errors.service import DatabaseUnavailable, EmbeddingUnavailable, OriginalUnavailable
from services.core import model_choice
from services.documents.files import read_file
from services.documents.indexing import ClaimedDocument, keep_as_it_was, put_in_force, store_chunks, store_text
from services.documents.leases import Lease, LeaseLost
from services.documents.recognition import FileToRead, read_text
from services.documents.turns import Turn
from services.webhooks.outbox import announce_document

log = structlog.get_logger()

LEASE_S = 10.0
MAX_ATTEMPTS = 3
BATCH = 64
"""The number of passages that are embedded and stored per transaction."""

Hold = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""A function that calls the given renewal repeatedly for the length of a block (workers.processes.runtime)."""


def ingest(
    document_id: uuid.UUID,
    embedder: Embedder,
    limits: IngestionSettings,
    hold: Hold,
    *,
    graph: bool = False,
    lease_s: float = LEASE_S,
    price: float = 0.0,
    turn: Turn | None = None,
) -> bool:
    """Ingest an accepted document; False when there was nothing to do. A document that cannot be used ends as failed.

    When its process dies it is retried after `lease_s`; until then no other worker gets it. `graph` also queues its
    knowledge graph, which is built later (services.documents.graph_building). `price` is the price of a million
    embedded tokens in US dollars. `turn` is given for a document that goes before another one. Raises
    DatabaseUnavailable, EmbeddingUnavailable, OriginalUnavailable (try again later).
    """

    def in_turn(document_id: uuid.UUID, turn: Turn) -> bool:
        return ingest(document_id, embedder, limits, hold, graph=graph, lease_s=lease_s, price=price, turn=turn)

    document = _claim(document_id, lease_s)
    if document is None:
        return False
    attributes = {"citewell.document_id": str(document_id), "citewell.attempt": document.attempt}
    with tracing.following(document.traceparent, document_id), tracing.span("ingest", attributes) as span:
        turn = turn or Turn(document_id, document.size_bytes, in_turn)
        _attempt(document, embedder, limits, hold, span, turn, graph=graph, price=price)
    return True


def _claim(document_id: uuid.UUID, lease_s: float) -> ClaimedDocument | None:
    with transaction() as session:
        claim = rows.claim_document(session, document_id, lease_s)
        if claim is None:
            return None
        row = get_document(session, document_id)
        extend = partial(rows.advance_document, document_id=document_id, attempt=claim.attempt)
        document = ClaimedDocument(
            document_id,
            claim.attempt,
            claim.idle,
            Lease(extend, lease_s),
            row.workspace_id,
            row.doc_id,
            row.filename,
            row.size_bytes,
            row.details,
            reingestions.find_replaced(session, document_id),
            row.traceparent,
        )
    if document.idle > MAX_ATTEMPTS:
        reason = f"{document.filename} ended {MAX_ATTEMPTS} workers; it will not be tried again."
        _fail(document, "ingestion_gave_up", reason)
        return None
    return document


def _attempt(
    document: ClaimedDocument,
    embedder: Embedder,
    limits: IngestionSettings,
    hold: Hold,
    span: Span,
    turn: Turn,
    *,
    graph: bool,
    price: float,
) -> None:
    began = time.perf_counter()
    try:
        # Reading a long PDF takes longer than a lease lasts.
        with hold(document.lease.renew):
            if _ingest(document, embedder, limits, turn, graph=graph, price=price):
                METER.count(meter.DOCUMENTS_ENDED, "ready")
    except LeaseLost:
        log.info("ingestion_superseded", document_id=str(document.id))
    except (DatabaseUnavailable, EmbeddingUnavailable, OriginalUnavailable) as error:
        # This is not the document's fault. If even this cannot be stored, the document's lease expires.
        with suppress(DatabaseUnavailable), transaction() as session:
            reason = {"code": error.code, "message": error.message}
            rows.release_document(session, document.id, document.attempt, reason)
        raise
    except CitewellError as error:
        tracing.fail(span, error.code)
        _fail(document, error.code, error.message)
    except Exception as error:
        # The lease expires and the document is retried, MAX_ATTEMPTS times without progress: some faults pass, and work
        # that takes longer than one attempt continues where it stopped.
        log.exception("ingestion_broke", document_id=str(document.id), attempt=document.attempt)
        tracing.fail(span, type(error).__name__)
        with reading() as session:
            is_last = get_document(session, document.id).idle >= MAX_ATTEMPTS
        if is_last:
            _fail(document, "ingestion_broke", f"{document.filename} could not be ingested ({type(error).__name__}).")
    finally:
        METER.observe(meter.DOCUMENT_SECONDS, time.perf_counter() - began - turn.given_s)


def _ingest(
    document: ClaimedDocument, embedder: Embedder, limits: IngestionSettings, turn: Turn, *, graph: bool, price: float
) -> bool:
    """Read, split and index the document; False when another task continues with it."""
    began = time.perf_counter()
    # Checked before anything is read, because without an embedder the work would be in vain.
    space = model_choice.ensure_space(document.workspace_id, embedder)
    model_choice.embedder_for(space, document.workspace_id, embedder)
    with tracing.span("read"):
        read = turn.beside(lambda: _split(document, limits, turn))
    if read is None:
        return _hand_back(document)
    parsed, chunks = read
    if not chunks:
        raise DocumentEmpty
    if keep_as_it_was(document, parsed, chunks):
        return True
    new = chunks[store_text(document, parsed, chunks) :]
    turn.note_left(len(new))
    name = searched_name(document.filename, described(document.details, parsed.found))
    if turn.is_too_long or not store_chunks(document, name, embedder, new, turn, batch=BATCH):
        return _hand_back(document)
    prints = fingerprint(parsed.text)
    cost = sum(count_tokens(embedded_text(chunk)) for chunk in new) * price / 1e6 if price else None
    spent = {"read_s": time.perf_counter() - began - turn.given_s, "read_usd": cost}
    _finish(document, prints, spent, graph=graph)
    return True


def _hand_back(document: ClaimedDocument) -> bool:
    with transaction() as session:
        rows.hand_back_document(session, document.id, document.attempt)
    return False


def _split(
    document: ClaimedDocument, limits: IngestionSettings, turn: Turn
) -> tuple[ParsedDocument, list[TextChunk]] | None:
    """Return the text and its chunks; None when pages are left for another task."""
    parsed = _read(document, limits, turn)
    if parsed is None:
        return None
    parsed = with_findings(parsed, document.filename)
    return parsed, split_document(parsed, chunk_tokens=limits.chunk_tokens, overlap_tokens=limits.overlap_tokens)


def _read(document: ClaimedDocument, limits: IngestionSettings, turn: Turn) -> ParsedDocument | None:
    again = document.again
    # A document that is read again has no file of its own yet: it has the file of the document that it replaces.
    content = read_file(again.of_document if again and again.of_document else document.id)
    if content is None:
        raise OriginalNotFound
    given = document.details.get("encoding")
    encoding = given if isinstance(given, str) else ""
    file = FileToRead(document.id, content, document.filename, document.lease, encoding)
    return read_text(file, limits, recognise=turn.before is None)


def _finish(
    document: ClaimedDocument, prints: Fingerprint | None, spent: dict[str, float | None], *, graph: bool
) -> None:
    with transaction() as session:
        # The lock is taken first, as in everything that changes documents.
        lock_workspace(session, document.workspace_id)
        if not put_in_force(session, document.id, document.attempt, prints, **spent):
            raise LeaseLost
        boxes.forget(session, document.id)
        if graph:
            queue_graph(session, document.id, document.workspace_id)


def _fail(document: ClaimedDocument, code: str, message: str) -> None:
    error = {"code": code, "message": message}
    with transaction() as session:
        if rows.mark_document_failed(session, document.id, document.attempt, error):
            after_commit(session, lambda: METER.count(meter.DOCUMENTS_ENDED, "failed"))
            announce_document(session, document.id, error)
