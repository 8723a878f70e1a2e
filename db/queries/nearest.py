"""Nearest vectors (S1.1): through the index of the workspace's space, or exactly where few chunks are left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import ColumnElement, cast, func, literal_column, select, text
from sqlalchemy.orm import Session

from db.models import ChunkVector, Document, DocumentStatus
from db.queries.spaces import Space, space_of
from domain.errors import EmbeddingMismatch

EXACT_UP_TO = 10_000
"""So many chunks are compared one by one, which misses none. Measured, like the rest: docs/internals/retrieval.md."""
EF_SEARCH = 100
OVERFETCH = 4
"""A filtered scan gives matches in about the right order: of four times `k`, the best `k` are nearly the nearest."""
_CHUNKS_OF_A_DOCUMENT = 10

Conditions = Sequence[ColumnElement[bool]]

_SCAN = {
    "hnsw.iterative_scan": "relaxed_order",
    "hnsw.max_scan_tuples": "200000",
    "hnsw.scan_mem_multiplier": "16",
    # Whatever the statistics say: a sort would mean to read and compare all candidates.
    "enable_sort": "off",
}
_SET = text("""
    SELECT set_config(name, value, true)
    FROM unnest(CAST(:names AS text[]), CAST(:values AS text[])) AS given (name, value)
""")


@dataclass(frozen=True, slots=True)
class Candidates:
    """Which chunks come into question: those of ready documents of a workspace for which `where` holds."""

    space: Space
    workspace_id: int
    where: Conditions = ()

    @property
    def conditions(self) -> tuple[ColumnElement[bool], ...]:
        """The same on Document."""
        return Document.workspace_id == self.workspace_id, Document.status == DocumentStatus.READY, *self.where


def search_vector(
    session: Session,
    workspace_id: int,
    embedding: Sequence[float],
    k: int,
    *,
    where: Conditions = (),
    space: Space | None = None,
) -> list[tuple[int, float]]:
    """The `k` nearest chunks of ready documents as (chunk id, cosine similarity), the nearest first.

    `where` are conditions on Document; `space` is the one that the vector is of, or else that of the workspace, and
    without any nothing is found. Raises EmbeddingMismatch when the vector does not have the dimension of the space.
    """
    space = space or space_of(session, workspace_id)
    if space is None:
        return []
    if len(embedding) != space.dimension:
        raise EmbeddingMismatch(
            f"The workspace holds vectors of {space.model} ({space.dimension} components), "
            f"which one of {len(embedding)} cannot be compared with."
        )
    chosen = Candidates(space, workspace_id, where)
    if _at_most(session, EXACT_UP_TO, chosen):
        return exactly(session, chosen, embedding, k)
    found = through_index(session, chosen, embedding, k)
    # There are more than `k` candidates: with fewer, the scan met its limit among deleted rows or those of others.
    return found if len(found) >= k else exactly(session, chosen, embedding, k)


def exactly(session: Session, chosen: Candidates, embedding: Sequence[float], k: int) -> list[tuple[int, float]]:
    """The same with every candidate compared, whatever that takes."""
    # The index is on the vector cast to its dimension; for this expression there is none.
    return _nearest(session, chosen, ChunkVector.embedding, embedding, k)


def through_index(
    session: Session, chosen: Candidates, embedding: Sequence[float], k: int, *, ef_search: int = EF_SEARCH
) -> list[tuple[int, float]]:
    """The same through the index: fast as long as candidates are not rare among all vectors."""
    # A filtered scan goes on until enough rows match, or these limits are reached.
    _set(session, {**_SCAN, "hnsw.ef_search": str(ef_search)})
    halved = cast(ChunkVector.embedding, HALFVEC(chosen.space.dimension))
    found = _nearest(session, chosen, halved, embedding, k * OVERFETCH)[:k]
    # What else is asked in this transaction may sort.
    _set(session, {"enable_sort": "on"})
    return found


def _set(session: Session, settings: Mapping[str, str]) -> None:
    """Until the transaction ends."""
    session.execute(_SET, {"names": list(settings), "values": list(settings.values())})


def _nearest(
    session: Session, chosen: Candidates, vector: Any, embedding: Sequence[float], k: int
) -> list[tuple[int, float]]:
    distance = vector.cosine_distance(embedding)
    rows = session.execute(
        select(ChunkVector.chunk_id, distance)
        .join(Document, Document.id == ChunkVector.document_id)
        .where(
            # As a literal: a parameter would not tell the planner which partial index holds the rows.
            ChunkVector.space_id == literal_column(str(chosen.space.id)),
            ChunkVector.workspace_id == chosen.workspace_id,
            *chosen.conditions,
        )
        .order_by(distance)
        .limit(k)
    )
    found = [(chunk_id, 1.0 - float(value)) for chunk_id, value in rows]
    return sorted(found, key=lambda each: -each[1])


def _at_most(session: Session, limit: int, chosen: Candidates) -> bool:
    """Whether the documents that come into question have at most `limit` chunks together."""
    # Of documents, not of chunks: there are far fewer of them, and each has at least one. Mostly the first look tells.
    for most in (limit // _CHUNKS_OF_A_DOCUMENT, limit):
        looked_at = select(Document.chunks_done).where(*chosen.conditions).limit(most).subquery()
        chunks = func.coalesce(func.sum(looked_at.c.chunks_done), 0)
        documents, count = session.execute(select(func.count(), chunks).select_from(looked_at)).one()
        if count > limit:
            return False
        if documents < most:
            return True
    return True
