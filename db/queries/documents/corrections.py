"""What corrections concern: the chunks that have the words, those that have them in their context, and earlier ones."""

import uuid

from sqlalchemy import func, or_, select, text
from sqlalchemy.orm import Session

from db.models import Chunk
from domain.documents.corrected_spans import CorrectedSpan, corrected_spans
from domain.documents.corrections import Replacement
from domain.documents.renaming import Renaming

_NO_END = 2**31 - 1


def list_touched_chunks(session: Session, document_id: uuid.UUID, change: Replacement) -> list[Chunk]:
    """The chunks that share a character with what is replaced; neighbours repeat the sentences at their edges."""
    touching = (Chunk.start_index < change.end, Chunk.end_index > change.start)
    return list(
        session.scalars(select(Chunk).where(Chunk.document_id == document_id, *touching).order_by(Chunk.chunk_index))
    )


_CORRECTIONS = text("""
    WITH RECURSIVE line AS (
        SELECT id, corrected_from, 0 AS depth FROM documents WHERE id = :document
        UNION ALL
        SELECT earlier.id, earlier.corrected_from, depth + 1
        FROM line JOIN documents AS earlier ON earlier.id = line.corrected_from
    )
    SELECT start_index, before, after FROM line JOIN document_edits ON document_id = line.id AND kind = 'corrected'
    ORDER BY depth DESC
""")


def list_corrected_spans(session: Session, document_id: uuid.UUID) -> list[CorrectedSpan]:
    """Where this version differs from its file."""
    rows = session.execute(_CORRECTIONS, {"document": document_id})
    return corrected_spans((start, before, after) for start, before, after in rows)


def list_renamed_chunks(session: Session, document_id: uuid.UUID, renaming: Renaming, limit: int) -> list[Chunk]:
    """The chunks whose section or context has the old name: up to its end, and those behind as long as they name it."""
    named = or_(Chunk.section == renaming.old, Chunk.context.contains(renaming.old, autoescape=True))
    below = select(func.min(Chunk.chunk_index)).where(
        Chunk.document_id == document_id,
        Chunk.start_index >= renaming.end,
        ~func.coalesce(named, False),
        ~Chunk.text.contains(renaming.old, autoescape=True),
    )
    wanted = select(Chunk).where(
        Chunk.document_id == document_id,
        Chunk.end_index > renaming.start,
        named,
        Chunk.chunk_index < func.coalesce(below.scalar_subquery(), _NO_END),
        Chunk.start_index < (_NO_END if renaming.until is None else renaming.until),
    )
    return list(session.scalars(wanted.order_by(Chunk.chunk_index).limit(limit)))
