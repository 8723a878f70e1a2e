"""Lexical statistics of a workspace: number and length of its passages, and how many hold each lexeme.

Updated in the transaction that stores or deletes the passages.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import and_, delete, func, select, text, update
from sqlalchemy.orm import Session

from db.models import Chunk, Lexeme, Workspace
from domain.retrieval.bm25 import Collection

# Limits of a Postgres tsvector: positions per lexeme, and the largest position (14 bits).
_MOST_PLACES = 256
_LAST_PLACE = 16_383

_RECOUNT = text("""
    INSERT INTO lexemes (workspace_id, lexeme, tenant_id, chunks)
    SELECT chunks.workspace_id, held.lexeme, chunks.tenant_id, count(*)
    FROM chunks CROSS JOIN LATERAL unnest(chunks.search) AS held
    WHERE chunks.workspace_id = :workspace_id
    GROUP BY chunks.workspace_id, held.lexeme, chunks.tenant_id
""")
_HELD = text("""
    SELECT held.lexeme, count(*) FROM chunks CROSS JOIN LATERAL unnest(chunks.search) AS held
    WHERE chunks.document_id = :document_id GROUP BY held.lexeme
""")
# One statement for all: a row each would be a round trip each.
_ADD = text("""
    INSERT INTO lexemes (workspace_id, lexeme, chunks)
    SELECT :workspace_id, held.lexeme, held.chunks
    FROM unnest(CAST(:lexemes AS text[]), CAST(:chunks AS integer[])) AS held (lexeme, chunks)
    ON CONFLICT (workspace_id, lexeme) DO UPDATE SET chunks = lexemes.chunks + excluded.chunks
""")


def as_tsvector(lexemes: Sequence[str]) -> str:
    """The lexemes with their positions (from 1), in the input syntax of tsvector."""
    places: dict[str, list[int]] = {}
    for place, lexeme in enumerate(lexemes[:_LAST_PLACE], start=1):
        places.setdefault(lexeme, []).append(place)
    # No lexeme holds a quotation mark or a backslash (domain.retrieval.lexemes).
    return " ".join(f"'{lexeme}':{','.join(map(str, at[:_MOST_PLACES]))}" for lexeme, at in places.items())


def count_chunks(session: Session, workspace_id: int, chunks: Iterable[Sequence[str]]) -> None:
    counted = list(chunks)
    held = Counter(lexeme for lexemes in counted for lexeme in set(lexemes[:_LAST_PLACE]))
    _add(session, workspace_id, held, len(counted), sum(map(len, counted)))


def uncount_chunks(session: Session, document_id: uuid.UUID) -> None:
    known = session.execute(
        select(Chunk.workspace_id, func.count(), func.sum(Chunk.length))
        .where(Chunk.document_id == document_id)
        .group_by(Chunk.workspace_id)
    ).one_or_none()
    if known is None:
        return
    workspace_id, chunks, length = known
    held = {lexeme: -count for lexeme, count in session.execute(_HELD, {"document_id": document_id})}
    session.execute(delete(Chunk).where(Chunk.document_id == document_id))
    _add(session, workspace_id, held, -chunks, -length)
    # Lexemes that only the deleted document held must not remain.
    session.execute(delete(Lexeme).where(Lexeme.workspace_id == workspace_id, Lexeme.chunks <= 0))


def recount(session: Session, workspace_id: int) -> None:
    """Count the workspace's lexemes again, after passages were stored in bulk."""
    session.execute(delete(Lexeme).where(Lexeme.workspace_id == workspace_id))
    session.execute(_RECOUNT, {"workspace_id": workspace_id})
    counted = select(func.count(), func.coalesce(func.sum(Chunk.length), 0)).where(Chunk.workspace_id == workspace_id)
    chunks, length = session.execute(counted).one()
    session.execute(
        update(Workspace).where(Workspace.id == workspace_id).values(chunk_count=chunks, lexeme_count=length)
    )


def collection(session: Session, workspace_id: int, lexemes: Sequence[str]) -> Collection:
    """The workspace's statistics for these lexemes; lexemes that no passage holds are left out."""
    held = and_(Lexeme.workspace_id == Workspace.id, Lexeme.lexeme.in_(list(lexemes)), Lexeme.chunks > 0)
    counts = select(Workspace.chunk_count, Workspace.lexeme_count, Lexeme.lexeme, Lexeme.chunks).outerjoin(Lexeme, held)
    rows = session.execute(counts.where(Workspace.id == workspace_id)).all()
    if not rows or not rows[0].chunk_count:
        return Collection(0, 0.0, {})
    passages, length = rows[0].chunk_count, rows[0].lexeme_count
    return Collection(passages, length / passages, {row.lexeme: row.chunks for row in rows if row.lexeme is not None})


def _add(session: Session, workspace_id: int, held: Mapping[str, int], chunks: int, length: int) -> None:
    if held:
        # In one order, so that two writers to one workspace do not deadlock.
        names = sorted(held)
        values = {"workspace_id": workspace_id, "lexemes": names, "chunks": [held[name] for name in names]}
        session.execute(_ADD, values)
    session.execute(
        update(Workspace)
        .where(Workspace.id == workspace_id)
        .values(chunk_count=Workspace.chunk_count + chunks, lexeme_count=Workspace.lexeme_count + length)
    )
