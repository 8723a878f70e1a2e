"""Jobs that build the graph of a document: queued, claimed by a worker, finished (S5.1)."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from db.models import (
    Chunk,
    Document,
    DocumentGraph,
    DocumentStatus,
    EntityChunk,
    GraphChunk,
    GraphStatus,
    RelationChunk,
)
from db.queries.leases import extend_lease, is_free, lease_end

_UNFINISHED = (GraphStatus.QUEUED, GraphStatus.BUILDING)


@dataclass(frozen=True, slots=True)
class GraphClaim:
    """A worker's claim: `attempt` fences this worker; `idle` counts the attempts, including this one, since a chunk was
    last stored."""

    document_id: uuid.UUID
    workspace_id: int
    attempt: int
    idle: int
    reason: str | None


def queue_graph(session: Session, document_id: uuid.UUID, workspace_id: int) -> None:
    statement = insert(DocumentGraph).values(document_id=document_id, workspace_id=workspace_id)
    again = {"status": GraphStatus.QUEUED, "idle": 0, "reason": None, "lease_until": None, "progress_at": func.now()}
    session.execute(
        statement.on_conflict_do_update(
            index_elements=[DocumentGraph.document_id], set_=again, where=DocumentGraph.status == GraphStatus.FAILED
        )
    )


def claim_graph(session: Session, document_id: uuid.UUID, lease_s: float) -> GraphClaim | None:
    ready = select(Document.id).where(Document.id == document_id, Document.status == DocumentStatus.READY)
    row = session.execute(
        update(DocumentGraph)
        .where(
            DocumentGraph.document_id.in_(ready),
            DocumentGraph.status.in_(_UNFINISHED),
            is_free(DocumentGraph),
        )
        .values(
            status=GraphStatus.BUILDING,
            attempt=DocumentGraph.attempt + 1,
            idle=DocumentGraph.idle + 1,
            lease_until=lease_end(lease_s),
            progress_at=func.now(),
        )
        .returning(DocumentGraph.workspace_id, DocumentGraph.attempt, DocumentGraph.idle, DocumentGraph.reason)
    ).one_or_none()
    return None if row is None else GraphClaim(document_id, *row)


def unread_chunks(session: Session, document_id: uuid.UUID, max_chunks: int) -> list[int]:
    return list(
        session.scalars(
            select(Chunk.id)
            .outerjoin(GraphChunk, GraphChunk.chunk_id == Chunk.id)
            .where(Chunk.document_id == document_id, Chunk.chunk_index < max_chunks, GraphChunk.chunk_id.is_(None))
            .order_by(Chunk.chunk_index)
        )
    )


def advance_graph(session: Session, claim: GraphClaim, *, lease_s: float, **values: object) -> bool:
    held = (
        DocumentGraph.document_id == claim.document_id,
        DocumentGraph.attempt == claim.attempt,
        DocumentGraph.status == GraphStatus.BUILDING,
    )
    return extend_lease(session, DocumentGraph, held, lease_s, progress_at=func.now(), **values)


def one_more_chunk(error: str | None) -> dict[str, Any]:
    """Return the values of a graph of which one more chunk was read, or has failed with `error`."""
    failed = {"failed": DocumentGraph.failed + 1, "reason": error} if error else {}
    return {"done": DocumentGraph.done + 1, "idle": 0, **failed}


def add_graph_usage(
    session: Session, document_id: uuid.UUID, *, calls: int, prompt_tokens: int, completion_tokens: int, cost: Decimal
) -> None:
    # Tokens count even if another worker holds the claim by now, because they were paid for.
    session.execute(
        update(DocumentGraph)
        .where(DocumentGraph.document_id == document_id)
        .values(
            llm_calls=DocumentGraph.llm_calls + calls,
            prompt_tokens=DocumentGraph.prompt_tokens + prompt_tokens,
            completion_tokens=DocumentGraph.completion_tokens + completion_tokens,
            cost_usd=DocumentGraph.cost_usd + cost,
        )
    )


def list_waiting_graphs(
    session: Session, in_flight: int, older_than_s: float | None = None
) -> list[tuple[uuid.UUID, int]]:
    """Return (document, tenant) of unfinished graphs without a live claim, the oldest documents first; only as many as
    keep `in_flight` graphs of all tenants in progress.

    With `older_than_s` only graphs without progress for that long; their publication now is recorded as progress.
    """
    held = DocumentGraph.lease_until > func.now()
    building = session.scalar(select(func.count()).where(DocumentGraph.status == GraphStatus.BUILDING, held)) or 0
    waiting = (
        select(DocumentGraph.document_id, DocumentGraph.tenant_id)
        .join(Document, Document.id == DocumentGraph.document_id)
        .where(
            DocumentGraph.status.in_(_UNFINISHED),
            is_free(DocumentGraph),
            Document.status == DocumentStatus.READY,
        )
        # The same graphs are returned until they are claimed: more of them would take the threads that questions need.
        .order_by(Document.created_at, Document.id)
        .limit(max(0, in_flight - building))
    )
    if older_than_s is not None:
        waiting = waiting.where(DocumentGraph.progress_at < func.now() - timedelta(seconds=older_than_s))
    jobs = [(document_id, tenant_id) for document_id, tenant_id in session.execute(waiting)]
    if older_than_s is not None:
        published = update(DocumentGraph).where(DocumentGraph.document_id.in_([document_id for document_id, _ in jobs]))
        session.execute(published.values(progress_at=func.now()))
    return jobs


@dataclass(frozen=True, slots=True)
class GraphState:
    """The progress of a document's graph, and the number of entities and relations that its chunks mention."""

    row: DocumentGraph
    entities: int
    relations: int


def graph_states(session: Session, document_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, GraphState]:
    wanted = list(document_ids)
    rows = session.scalars(select(DocumentGraph).where(DocumentGraph.document_id.in_(wanted))).all()
    entities = _counts(session, EntityChunk.entity_id, EntityChunk.chunk_id, wanted)
    relations = _counts(session, RelationChunk.relation_id, RelationChunk.chunk_id, wanted)
    return {
        row.document_id: GraphState(row, entities.get(row.document_id, 0), relations.get(row.document_id, 0))
        for row in rows
    }


def _counts(session: Session, counted: Any, chunk: Any, document_ids: list[uuid.UUID]) -> dict[uuid.UUID, int]:
    rows = session.execute(
        select(Chunk.document_id, func.count(counted.distinct()))
        .join(Chunk, Chunk.id == chunk)
        .where(Chunk.document_id.in_(document_ids))
        .group_by(Chunk.document_id)
    )
    return dict(rows.all())
