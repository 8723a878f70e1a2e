"""Vector search (S1.1): through the index of the workspace's space, or exactly where few chunks are candidates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import ColumnElement, cast, func, literal_column, select, text
from sqlalchemy.orm import Session

from db.models import ChunkVector, Document, DocumentStatus
from db.queries.documents.spaces import Space, space_of
from domain.errors.state import EmbeddingMismatch

EXACT_UP_TO = 10_000
"""Up to this many chunks are compared one by one, with full recall (measured: docs/internals/retrieval.md)."""
EF_SEARCH = 100
OVERFETCH = 4
"""A filtered scan returns matches only roughly in order: of four times `k`, the best `k` are nearly the nearest."""
_CHUNKS_OF_A_DOCUMENT = 10

Conditions = Sequence[ColumnElement[bool]]

_SCAN = {
    "hnsw.iterative_scan": "relaxed_order",
    "hnsw.max_scan_tuples": "200000",
    "hnsw.scan_mem_multiplier": "16",
    # The index is used regardless of statistics: a sort would mean reading and comparing all candidates.
    "enable_sort": "off",
}
_SET = text("""
    SELECT set_config(name, value, true)
    FROM unnest(CAST(:names AS text[]), CAST(:values AS text[])) AS given (name, value)
""")


@dataclass(frozen=True, slots=True)
class Candidates:
    """The chunks to search: those of a workspace's ready documents for which `where` holds; with `excluded` those that
    people took out of the search instead.
    """

    space: Space
    workspace_id: int
    where: Conditions = ()
    excluded: bool = False

    @property
    def conditions(self) -> tuple[ColumnElement[bool], ...]:
        return Document.workspace_id == self.workspace_id, Document.status == DocumentStatus.READY, *self.where


def search_vector(
    session: Session,
    workspace_id: int,
    embedding: Sequence[float],
    k: int,
    *,
    where: Conditions = (),
    space: Space | None = None,
    excluded: bool = False,
) -> list[tuple[int, float]]:
    """The `k` nearest chunks of ready documents as (chunk id, cosine similarity), the nearest first.

    `where` holds conditions on Document. `space` is the vector's space, by default the workspace's; without one the
    result is empty. Raises EmbeddingMismatch when the vector does not have the dimension of the space.
    """
    space = space or space_of(session, workspace_id)
    if space is None:
        return []
    if len(embedding) != space.dimension:
        raise EmbeddingMismatch(
            f"The workspace holds vectors of {space.model} ({space.dimension} components), "
            f"which one of {len(embedding)} cannot be compared with."
        )
    chosen = Candidates(space, workspace_id, where, excluded)
    # Few are excluded, if any, and an index scan would read all others before it found them.
    if excluded or _at_most(session, EXACT_UP_TO, chosen):
        return exactly(session, chosen, embedding, k)
    hits = through_index(session, chosen, embedding, k)
    # There are more than `k` candidates. Fewer results mean that the scan hit its limit among rows that do not match.
    return hits if len(hits) >= k else exactly(session, chosen, embedding, k)


def exactly(session: Session, chosen: Candidates, embedding: Sequence[float], k: int) -> list[tuple[int, float]]:
    """Like `search_vector`, comparing every candidate, at any cost."""
    # The index is on the vector cast to its dimension; this expression has none.
    return _nearest(session, chosen, ChunkVector.embedding, embedding, k)


def through_index(
    session: Session, chosen: Candidates, embedding: Sequence[float], k: int, *, ef_search: int = EF_SEARCH
) -> list[tuple[int, float]]:
    """Like `search_vector`, through the index: fast unless candidates are rare among all vectors."""
    # A filtered scan continues until enough rows match or these limits are reached.
    _set(session, {**_SCAN, "hnsw.ef_search": str(ef_search)})
    halved = cast(ChunkVector.embedding, HALFVEC(chosen.space.dimension))
    hits = _nearest(session, chosen, halved, embedding, k * OVERFETCH)[:k]
    # Other statements of this transaction may sort.
    _set(session, {"enable_sort": "on"})
    return hits


def _set(session: Session, settings: Mapping[str, str]) -> None:
    session.execute(_SET, {"names": list(settings), "values": list(settings.values())})


def _nearest(
    session: Session, chosen: Candidates, vector: Any, embedding: Sequence[float], k: int
) -> list[tuple[int, float]]:
    distance = vector.cosine_distance(embedding)
    rows = session.execute(
        select(ChunkVector.chunk_id, distance)
        .join(Document, Document.id == ChunkVector.document_id)
        .where(
            # The space is a literal: a parameter would not tell the planner which partial index holds the rows.
            ChunkVector.space_id == literal_column(str(chosen.space.id)),
            ChunkVector.workspace_id == chosen.workspace_id,
            ChunkVector.excluded if chosen.excluded else ~ChunkVector.excluded,
            *chosen.conditions,
        )
        .order_by(distance)
        .limit(k)
    )
    hits = [(chunk_id, 1.0 - float(value)) for chunk_id, value in rows]
    return sorted(hits, key=lambda hit: -hit[1])


def _at_most(session: Session, limit: int, chosen: Candidates) -> bool:
    """Whether the candidates are at most this many. It counts documents, not chunks: there are far fewer, and each has
    at least one chunk. Usually the first pass decides.
    """
    for most in (limit // _CHUNKS_OF_A_DOCUMENT, limit):
        looked_at = select(Document.chunks_done).where(*chosen.conditions).limit(most).subquery()
        chunks = func.coalesce(func.sum(looked_at.c.chunks_done), 0)
        documents, count = session.execute(select(func.count(), chunks).select_from(looked_at)).one()
        if count > limit:
            return False
        if documents < most:
            return True
    return True
