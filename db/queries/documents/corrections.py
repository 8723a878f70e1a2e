"""The chunks that a correction changes: those that contain the corrected words, and those that name them in their
context.
"""

import uuid

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from db.models import Chunk
from domain.documents.corrections import Replacement
from domain.documents.renaming import Renaming

_NO_END = 2**31 - 1


def list_touched_chunks(session: Session, document_id: uuid.UUID, change: Replacement) -> list[Chunk]:
    """Return the chunks that share a character with the replaced text; neighbours repeat the sentences at their
    edges."""
    touching = (Chunk.start_index < change.end, Chunk.end_index > change.start)
    return list(
        session.scalars(select(Chunk).where(Chunk.document_id == document_id, *touching).order_by(Chunk.chunk_index))
    )


def list_renamed_chunks(session: Session, document_id: uuid.UUID, renaming: Renaming) -> list[Chunk]:
    """Return the chunks whose section or context has the old name: the chunks of the section, and those after it as
    long as they name it."""
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
    return list(session.scalars(wanted.order_by(Chunk.chunk_index)))
