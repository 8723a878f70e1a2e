"""Nearest vectors (S1.1): through the index of the workspace's space, or exactly where few chunks are left."""

from collections.abc import Sequence
from typing import Any

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import ColumnElement, cast, func, literal_column, select, text
from sqlalchemy.orm import Session

from db.models import ChunkVector, Document, DocumentStatus
from db.queries.spaces import Space, space_of
from domain.errors import EmbeddingMismatch

EXACT_UP_TO = 5_000
"""So many chunks are compared one by one, which misses none. Measured, like the rest: docs/decisions/0018."""
EF_SEARCH = 100
MAX_SCAN_TUPLES = 200_000
SCAN_MEM_MULTIPLIER = 16

Conditions = Sequence[ColumnElement[bool]]


def search_vector(
    session: Session, workspace_id: int, embedding: Sequence[float], k: int, *, where: Conditions = ()
) -> list[tuple[int, float]]:
    """The `k` nearest chunks of ready documents as (chunk id, cosine similarity), the nearest first.

    `where` are conditions on Document. Empty as long as the workspace has no vectors. Raises EmbeddingMismatch when the
    vector does not have the dimension of the workspace's.
    """
    space = space_of(session, workspace_id)
    if space is None:
        return []
    if len(embedding) != space.dimension:
        raise EmbeddingMismatch(
            f"The workspace holds vectors of {space.model} ({space.dimension} components), "
            f"which one of {len(embedding)} cannot be compared with."
        )
    conditions = (Document.workspace_id == workspace_id, Document.status == DocumentStatus.READY, *where)
    exact = _at_most(session, EXACT_UP_TO, conditions)
    if not exact:
        _use_index(session)
    return nearest(session, space, workspace_id, embedding, k, conditions, exact=exact)


def nearest(
    session: Session,
    space: Space,
    workspace_id: int,
    embedding: Sequence[float],
    k: int,
    conditions: Conditions,
    *,
    exact: bool,
) -> list[tuple[int, float]]:
    """The same, with the way to find them chosen."""
    # The index is on exactly this expression; without the cast there is none, and every row is compared.
    vector: Any = ChunkVector.embedding if exact else cast(ChunkVector.embedding, HALFVEC(space.dimension))
    distance = vector.cosine_distance(embedding)
    rows = session.execute(
        select(ChunkVector.chunk_id, distance)
        .join(Document, Document.id == ChunkVector.document_id)
        .where(
            # As a literal: a parameter would not tell the planner which partial index holds the rows.
            ChunkVector.space_id == literal_column(str(space.id)),
            ChunkVector.workspace_id == workspace_id,
            *conditions,
        )
        .order_by(distance)
        .limit(k)
    )
    found = [(chunk_id, 1.0 - float(value)) for chunk_id, value in rows]
    return sorted(found, key=lambda each: -each[1])


def _at_most(session: Session, limit: int, conditions: Conditions) -> bool:
    """Whether the documents that come into question have at most `limit` chunks together."""
    # Of documents, not of chunks: there are far fewer of them, and each has at least one.
    chunks = select(Document.chunks_done).where(*conditions).limit(limit + 1).subquery()
    return (session.scalar(select(func.sum(chunks.c.chunks_done))) or 0) <= limit


def _use_index(session: Session) -> None:
    # A filtered scan goes on until enough rows match, or these limits are reached.
    session.execute(
        text(
            "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), "
            f"set_config('hnsw.ef_search', '{EF_SEARCH}', true), "
            f"set_config('hnsw.max_scan_tuples', '{MAX_SCAN_TUPLES}', true), "
            f"set_config('hnsw.scan_mem_multiplier', '{SCAN_MEM_MULTIPLIER}', true), "
            "set_config('enable_sort', 'off', true)"
        )
    )
