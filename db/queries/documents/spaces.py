"""Embedding spaces, and the vectors of chunks in them: stored, reused for identical texts, filled in for another
space, deleted.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.orm import Session

from db.models import Chunk, ChunkVector, EmbeddingSpace, Workspace
from domain.errors.missing import WorkspaceNotFound
from domain.errors.service import EmbeddingRejected

MAX_DIMENSION = 4000
"""Limit of an HNSW index on half-precision vectors."""


@dataclass(frozen=True, slots=True)
class Space:
    """Vectors of one model."""

    id: int
    model: str
    dimension: int


def get_or_add_space(session: Session, model: str, dimension: int) -> Space:
    """Return the space of these vectors, created if missing; safe under concurrent first use. Raises
    EmbeddingRejected."""
    if dimension > MAX_DIMENSION:
        raise EmbeddingRejected(
            f"{model} makes vectors of {dimension} components, and no more than {MAX_DIMENSION} can be indexed; "
            "set embeddings.dimension if the model can shorten them, or use another model."
        )
    space = _find(session, model, dimension)
    if space is None:
        session.execute(insert(EmbeddingSpace).values(model=model, dimension=dimension).on_conflict_do_nothing())
        space = _find(session, model, dimension)
    if space is None:
        raise LookupError(model)
    return space


def space_of(session: Session, workspace_id: int) -> Space | None:
    """Return the space that the workspace is searched in; None before its first document. Raises WorkspaceNotFound.

    Code that stores vectors in it locks the workspace first (workspaces.lock_workspace), which keeps it from changing.
    """
    columns = (EmbeddingSpace.id, EmbeddingSpace.model, EmbeddingSpace.dimension)
    spaces = select(*columns).select_from(Workspace).outerjoin(EmbeddingSpace, EmbeddingSpace.id == Workspace.space_id)
    row = session.execute(spaces.where(Workspace.id == workspace_id)).one_or_none()
    if row is None:
        raise WorkspaceNotFound
    return None if row.id is None else Space(*row)


def find_space(session: Session, workspace_id: int) -> Space | None:
    try:
        return space_of(session, workspace_id)
    except WorkspaceNotFound:
        return None


def count_workspaces(session: Session) -> list[tuple[Space, int]]:
    """Return the spaces that workspaces are searched in, and the number of workspaces of each."""
    columns = (EmbeddingSpace.id, EmbeddingSpace.model, EmbeddingSpace.dimension)
    counted = select(*columns, func.count()).join(Workspace, Workspace.space_id == EmbeddingSpace.id)
    rows = session.execute(counted.group_by(*columns).order_by(EmbeddingSpace.id))
    return [(Space(*row[:3]), row[3]) for row in rows]


def assign_space(session: Session, workspace_id: int, space: Space) -> Space:
    """Return the workspace's space, set to `space` if it had none."""
    session.execute(
        update(Workspace).where(Workspace.id == workspace_id, Workspace.space_id.is_(None)).values(space_id=space.id)
    )
    return space_of(session, workspace_id) or space


def switch_space(session: Session, workspace_id: int, space: Space) -> None:
    session.execute(update(Workspace).where(Workspace.id == workspace_id).values(space_id=space.id))


def _find(session: Session, model: str, dimension: int) -> Space | None:
    row = session.scalar(
        select(EmbeddingSpace).where(EmbeddingSpace.model == model, EmbeddingSpace.dimension == dimension)
    )
    return row and Space(row.id, row.model, row.dimension)


def text_digest(text: str) -> bytes:
    """Return the key under which vectors are reused: the SHA-256 of exactly the embedded text."""
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
