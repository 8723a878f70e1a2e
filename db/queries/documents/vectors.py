"""Vectors of chunks: stored, reused for identical texts, filled in for another space, deleted."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, exists, func, select
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.orm import Session

from db.models import Chunk, ChunkVector
from db.queries.documents.spaces import Space


def text_digest(text: str) -> bytes:
    """The key under which vectors are reused: the SHA-256 of exactly the embedded text."""
    return hashlib.sha256(text.encode()).digest()


def known_vectors(session: Session, space: Space, texts: Sequence[str]) -> dict[bytes, list[float]]:
    rows = session.execute(
        select(ChunkVector.sha256, ChunkVector.embedding)
        .ext(distinct_on(ChunkVector.sha256))
        .where(ChunkVector.space_id == space.id, ChunkVector.sha256.in_({text_digest(text) for text in texts}))
    )
    return {digest: _floats(embedding) for digest, embedding in rows}


def add_vectors(session: Session, space: Space, vectors: Sequence[tuple[int, str, Sequence[float]]]) -> None:
    """Store (chunk id, embedded text, vector); existing vectors stay, and deleted chunks get none."""
    by_chunk = {chunk_id: (text, vector) for chunk_id, text, vector in vectors}
    # The lock keeps a chunk from being deleted before its vector is stored.
    owners = session.execute(
        select(Chunk.id, Chunk.workspace_id, Chunk.document_id, Chunk.excluded)
        .where(Chunk.id.in_(by_chunk))
        .with_for_update(read=True, key_share=True)
    ).all()
    rows: list[dict[str, Any]] = [
        {
            "chunk_id": owner.id,
            "space_id": space.id,
            "workspace_id": owner.workspace_id,
            "document_id": owner.document_id,
            "excluded": owner.excluded,
            "sha256": text_digest(by_chunk[owner.id][0]),
            "embedding": by_chunk[owner.id][1],
        }
        for owner in owners
    ]
    if rows:
        session.execute(insert(ChunkVector).on_conflict_do_nothing(), rows)


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """The parts of a chunk that its vector is computed from."""

    id: int
    text: str
    context: str | None


def chunks_without_vector(
    session: Session, workspace_id: int, space: Space, *, after: int = 0, limit: int
) -> list[StoredChunk]:
    rows = session.execute(
        select(Chunk.id, Chunk.text, Chunk.context)
        .where(Chunk.workspace_id == workspace_id, Chunk.id > after, _lacking(space))
        .order_by(Chunk.id)
        .limit(limit)
    )
    return [StoredChunk(*row) for row in rows]


def count_chunks(session: Session, workspace_id: int, *, without: Space | None = None) -> int:
    statement = select(func.count()).select_from(Chunk).where(Chunk.workspace_id == workspace_id)
    return session.scalar(statement if without is None else statement.where(_lacking(without))) or 0


def delete_other_vectors(session: Session, workspace_id: int, space: Space, limit: int) -> int:
    chosen = (
        select(ChunkVector.chunk_id, ChunkVector.space_id)
        .where(ChunkVector.workspace_id == workspace_id, ChunkVector.space_id != space.id)
        .limit(limit)
        .subquery()
    )
    removed = session.scalars(
        delete(ChunkVector)
        .where(ChunkVector.chunk_id == chosen.c.chunk_id, ChunkVector.space_id == chosen.c.space_id)
        .returning(ChunkVector.chunk_id)
    )
    return len(removed.all())


def _lacking(space: Space) -> Any:
    return ~exists().where(ChunkVector.chunk_id == Chunk.id, ChunkVector.space_id == space.id)


def _floats(embedding: Any) -> list[float]:
    return embedding.to_list() if hasattr(embedding, "to_list") else list(embedding)
