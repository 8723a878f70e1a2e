"""Dense retrieval: the nearest vectors."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, select, text
from sqlalchemy.orm import Session

from db.models import Chunk, Document, DocumentStatus


def search_vector(
    session: Session, workspace_id: int, embedding: Sequence[float], k: int, where: Sequence[ColumnElement[bool]] = ()
) -> list[tuple[int, float]]:
    """The `k` nearest chunks of ready documents as (chunk id, cosine similarity), the nearest first (S1.1); `where` are
    conditions on their documents."""
    # Filtered approximate search returns too few rows unless the index scan goes on until enough of them match.
    session.execute(text("SET LOCAL hnsw.iterative_scan = 'strict_order'"))
    distance = Chunk.embedding.cosine_distance(embedding)
    rows = session.execute(
        select(Chunk.id, distance)
        .join(Document, Document.id == Chunk.document_id)
        .where(Chunk.workspace_id == workspace_id, Document.status == DocumentStatus.READY, *where)
        .order_by(distance)
        .limit(k)
    )
    return [(chunk_id, 1.0 - float(value)) for chunk_id, value in rows]
