"""Builds the knowledge graph of a ready document: no question and no ingestion waits for it (S5.1).

The result of every chunk is stored as soon as the chunk is read, under its own key: a worker that dies loses only what
was in progress, and no paid call is repeated.
"""

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

import structlog

from citewell_verify.embeddings.protocol import Embedder
from citewell_verify.errors import CitewellError
from citewell_verify.evidence.passages import Passage
from citewell_verify.judging.statement import Failure
from citewell_verify.prompting.judgements import EXTRACT_GRAPH
from clients.llm.calling.request import cost_usd
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog, Terms
from clients.telemetry import tracing
from config.models import ModelInfo
from config.settings import GraphSettings
from db.models import GraphStatus
from db.queries.documents import graph_jobs as jobs
from db.queries.documents.chunks import get_passages
from db.queries.documents.graph_jobs import GraphClaim
from db.queries.documents.graph_storing import lock_graph, store_passage_graph
from db.session import reading, transaction
from domain.documents.graph import PassageGraph, grounded
from domain.documents.graph_extraction import read_graph
from domain.errors.service import DatabaseUnavailable
from services.core.call_ledger import report_calls
from services.documents.ingestion import Hold
from services.documents.leases import Lease, LeaseLost
from services.graph.merging import merge_document

log = structlog.get_logger()

LEASE_S = 30.0
MAX_IDLE = 8
"""The number of consecutive attempts without a stored result after which the graph is given up."""
_FIRST_PAUSE_S = 15.0
_LONGEST_PAUSE_S = 1800.0
NOTHING = PassageGraph((), ())
# Failures that say nothing about the passage: a later attempt may succeed.
_PASSING = frozenset({"unavailable", "rate_limited", "deadline", "gone"})


@dataclass(frozen=True, slots=True)
class Extraction:
    """`error`: the passage could not be read; `passing`: for a reason that says nothing about the passage."""

    graph: PassageGraph
    log: CallLog
    error: str | None = None
    passing: bool = False


async def extract(passage: Passage, models: ModelGateway | None) -> Extraction:
    """Read one passage; without `models` by its names and sentences alone. Entities and relations that the passage does
    not contain are dropped."""
    # No person waits for a graph.
    log, text = CallLog(terms=Terms(is_batch=True)), passage.readable
    if models is None:
        return Extraction(await asyncio.to_thread(lambda: grounded(read_graph(text), text)), log)
    reply = await models.ask(EXTRACT_GRAPH, {"chunk": text}, log=log, item=str(passage.key))
    if isinstance(reply, Failure):
        return Extraction(NOTHING, log, reply.reason, reply.kind in _PASSING)
    return Extraction(await asyncio.to_thread(grounded, reply, text), log)


class Postponed(Exception):
    """No model is available at the moment; the message says why."""


@dataclass(frozen=True, slots=True)
class Builder:
    """The tools for building graphs. Without `models`, documents are read by their names and sentences alone.

    `run` waits for a coroutine; `prices` are the costs of calls.
    """

    models: ModelGateway | None
    embedder: Embedder
    settings: GraphSettings
    prices: Mapping[str, ModelInfo]
    run: Callable[[Coroutine[Any, Any, None]], None]
    concurrency: int = 4
    """The number of passages of one document that are read at a time."""


def build_graph(document_id: uuid.UUID, builder: Builder | CitewellError, hold: Hold) -> bool:
    """Build the graph of a ready document, or continue building it; False when there was nothing to do. If `builder` is
    an error, for example because a model's key cannot be read, the graph is postponed with that error as the reason.

    Raises DatabaseUnavailable (try again later).
    """
    with transaction() as session:
        claim = jobs.claim_graph(session, document_id, LEASE_S)
    if claim is None:
        return False
    if claim.idle > MAX_IDLE:
        _end(claim, GraphStatus.FAILED, claim.reason or f"{MAX_IDLE} workers ended while they read it.")
        return True
    if isinstance(builder, CitewellError):
        _postpone(claim, str(builder))
        return True
    attributes = {"citewell.document_id": str(document_id), "citewell.attempt": claim.attempt}
    with tracing.following(None, document_id), tracing.span("build graph", attributes):
        _attempt(claim, builder, hold)
    return True


def _attempt(claim: GraphClaim, builder: Builder, hold: Hold) -> None:
    document_id = claim.document_id
    lease = Lease(partial(jobs.advance_graph, claim=claim), LEASE_S)
    try:
        with hold(lease.renew):
            _build(claim, builder, lease)
    except LeaseLost:
        log.info("graph_superseded", document_id=str(document_id))
    except Postponed as error:
        _postpone(claim, str(error))
    except DatabaseUnavailable:
        raise
    except Exception as error:
        # The graph is retried MAX_IDLE times, because some faults pass.
        log.exception("graph_broke", document_id=str(document_id), attempt=claim.attempt)
        _postpone(claim, f"internal error ({type(error).__name__})")


def _build(claim: GraphClaim, builder: Builder, lease: Lease) -> None:
    with reading() as session:
        unread = jobs.unread_chunks(session, claim.document_id, builder.settings.max_chunks)
    builder.run(_read_all(claim, unread, builder, lease))

    def renew() -> None:
        lease.renew()
        lease.check()

    lease.check()
    merge_document(claim.workspace_id, claim.document_id, builder.embedder, renew)
    with reading() as session:
        state = jobs.graph_states(session, [claim.document_id]).get(claim.document_id)
    if state is not None:
        nothing_read = 0 < state.row.done == state.row.failed
        _end(claim, GraphStatus.FAILED if nothing_read else GraphStatus.READY, state.row.reason)


async def _read_all(claim: GraphClaim, unread: Sequence[int], builder: Builder, lease: Lease) -> None:
    waiting = iter(unread)

    async def work() -> None:
        for key in waiting:
            lease.check()
            passage = await asyncio.to_thread(_passage, key)
            extraction = await extract(passage, builder.models)
            await asyncio.to_thread(_store, claim, key, extraction, builder.prices, lease)

    # Each of them ends at its first failure: a lasting fault soon ends all of them, and no finished call is lost.
    ended = await asyncio.gather(*(work() for _ in range(builder.concurrency)), return_exceptions=True)
    for failure in ended:
        if failure is not None:
            raise failure


def _passage(key: int) -> Passage:
    with reading() as session:
        passages = get_passages(session, [key])
    if not passages:
        raise LeaseLost
    return passages[0]


def _store(claim: GraphClaim, key: int, extraction: Extraction, prices: Mapping[str, ModelInfo], lease: Lease) -> None:
    if extraction.log.records:
        _note_usage(claim, extraction.log, prices)
    if extraction.passing:
        raise Postponed(extraction.error)
    with transaction() as session:
        lock_graph(session, claim.workspace_id)
        lease.advance(session, **jobs.one_more_chunk(extraction.error))
        store_passage_graph(session, claim.workspace_id, claim.document_id, key, extraction.graph, extraction.error)


def _note_usage(claim: GraphClaim, made: CallLog, prices: Mapping[str, ModelInfo]) -> None:
    usages = [(call.model, call.usage) for call in made.records if not call.kept]
    with transaction() as session:
        jobs.add_graph_usage(
            session,
            claim.document_id,
            calls=len(usages),
            prompt_tokens=sum(usage.prompt_tokens for _, usage in usages),
            completion_tokens=sum(usage.completion_tokens for _, usage in usages),
            cost=sum((cost_usd(model, usage, prices) for model, usage in usages), Decimal()),
        )
    report_calls(made.records, prices)


def _postpone(claim: GraphClaim, reason: str) -> None:
    pause = min(_FIRST_PAUSE_S * 2 ** (claim.idle - 1), _LONGEST_PAUSE_S)
    log.warning("graph_postponed", document_id=str(claim.document_id), seconds=pause)
    with transaction() as session:
        jobs.advance_graph(session, claim, lease_s=pause, status=GraphStatus.QUEUED, reason=reason)


def _end(claim: GraphClaim, status: GraphStatus, reason: str | None) -> None:
    with transaction() as session:
        jobs.advance_graph(session, claim, lease_s=0, status=status, reason=reason)
