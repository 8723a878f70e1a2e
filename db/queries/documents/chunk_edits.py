"""Chunks for the people who look after them: listed, excluded from the search and put back; and the history of these
changes."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, func, insert, or_, select, text, update
from sqlalchemy.orm import Session

from db.models import Chunk, ChunkVector, Document, DocumentEdit, DocumentStatus, EditKind
from db.queries.access.workspaces import lock_workspace
from db.queries.documents.documents import get_document
from db.queries.documents.versions import Version, lock_versions
from domain.errors.missing import ChunkNotFound
from domain.errors.state import DocumentNotInForce

_MOST_EDITS = 1000


@dataclass(frozen=True, slots=True)
class Edit:
    """The author of a change to a chunk, and the reason. `made_by` is the id of a key, None without keys."""

    made_by: str | None = None
    reason: str | None = None


def lock_version_in_force(session: Session, document_id: uuid.UUID) -> tuple[Document, list[Version]]:
    """Return the document and all versions of its name, locked. Raises DocumentNotFound, DocumentNotInForce."""
    document = get_document(session, document_id)
    lock_workspace(session, document.workspace_id)
    versions = lock_versions(session, document.workspace_id, document.filename)
    session.refresh(document)
    return get_version_in_force(session, document_id), versions


def get_version_in_force(session: Session, document_id: uuid.UUID) -> Document:
    document = get_document(session, document_id)
    if document.status == DocumentStatus.SUPERSEDED and document.superseded_by is None:
        raise DocumentNotInForce(
            "The version that took its place was deleted, and none is in force; send the file again."
        )
    if document.status == DocumentStatus.SUPERSEDED:
        raise DocumentNotInForce(
            f"Another version has taken its place, perhaps just now: {document.superseded_by}. Look at that one, and "
            "change it there."
        )
    if document.status != DocumentStatus.READY:
        raise DocumentNotInForce(
            f"The document's status is {document.status!r}; only the version in force, which is ready, can be changed."
        )
    return document


def get_chunk(session: Session, document_id: uuid.UUID, chunk_index: int) -> Chunk:
    wanted = select(Chunk).where(Chunk.document_id == document_id, Chunk.chunk_index == chunk_index)
    if (chunk := session.scalar(wanted)) is None:
        raise ChunkNotFound(f"Document {document_id} has no chunk {chunk_index}.")
    return chunk


@dataclass(frozen=True, slots=True)
class ChunkFilter:
    """A filter for the chunks of a document; None leaves a property open. `contains` is searched for literally,
    ignoring case."""

    excluded: bool | None = None
    corrected: bool | None = None
    contains: str | None = None

    @property
    def conditions(self) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = [
            column.is_(wanted)
            for column, wanted in ((Chunk.excluded, self.excluded), (Chunk.corrected, self.corrected))
            if wanted is not None
        ]
        return [*conditions, Chunk.text.icontains(self.contains, autoescape=True)] if self.contains else conditions


def list_chunks(
    session: Session, document_id: uuid.UUID, wanted: ChunkFilter, *, first: int, limit: int
) -> list[Chunk]:
    chunks = select(Chunk).where(Chunk.document_id == document_id, Chunk.chunk_index >= first, *wanted.conditions)
    return list(session.scalars(chunks.order_by(Chunk.chunk_index).limit(limit)))


def mark_excluded(session: Session, document: Document, chunk: Chunk, edit: Edit, *, excluded: bool) -> bool:
    """Take a chunk of a locked document out of the search, or put it back; False if there was nothing to change."""
    changed = session.scalar(
        update(Chunk)
        .where(Chunk.id == chunk.id, Chunk.excluded.is_not(excluded))
        .values(excluded=excluded)
        .returning(Chunk.id)
    )
    if changed is None:
        return False
    session.execute(update(ChunkVector).where(ChunkVector.chunk_id == chunk.id).values(excluded=excluded))
    more = Document.chunks_excluded + (1 if excluded else -1)
    session.execute(update(Document).where(Document.id == document.id).values(chunks_excluded=more))
    add_edit(session, document, EditKind.EXCLUDED if excluded else EditKind.INCLUDED, chunk, edit)
    session.refresh(chunk)
    session.refresh(document)
    return True


def add_edit(session: Session, document: Document, kind: EditKind, chunk: Chunk, edit: Edit, **more: Any) -> None:
    """Record a change to `chunk` in the history of `document`."""
    values: dict[str, Any] = {
        "workspace_id": document.workspace_id,
        "document_id": document.id,
        "kind": kind,
        "chunk_index": chunk.chunk_index,
        "start_index": chunk.start_index,
        "end_index": chunk.end_index,
        "before": chunk.text,
        "reason": edit.reason,
        "made_by": edit.made_by,
    }
    session.execute(insert(DocumentEdit).values(values | more))


# Only chunks with the same text are excluded again, because the reason need not apply to another text. When a text
# occurs several times, its occurrences correspond in order.
_PAIRED = """
    WITH old AS (
        SELECT chunks.*, row_number() OVER (PARTITION BY document_id, chunks.sha256 ORDER BY chunk_index) AS place
        FROM chunks JOIN documents ON documents.id = document_id
        WHERE superseded_by = :new AND chunks_excluded > 0
    ), new AS (
        SELECT id, sha256, row_number() OVER (PARTITION BY sha256 ORDER BY chunk_index) AS place
        FROM chunks WHERE document_id = :new
    )
"""
_KEEP = """
    , kept AS (
        UPDATE chunks SET excluded = true FROM old JOIN new USING (sha256, place)
        WHERE chunks.id = new.id AND old.excluded AND NOT chunks.excluded
        RETURNING chunks.*, old.document_id AS from_document
    ), searched AS (
        UPDATE chunk_vectors SET excluded = true FROM kept WHERE chunk_vectors.chunk_id = kept.id
    ), noted AS (
        INSERT INTO document_edits
            (workspace_id, document_id, from_document, kind, chunk_index, start_index, end_index, before)
        SELECT workspace_id, document_id, from_document, 'exclusion_kept', chunk_index, start_index, end_index, text
        FROM kept ORDER BY chunk_index
    )
    UPDATE documents SET chunks_excluded = chunks_excluded + (SELECT count(*) FROM kept) WHERE id = :new
"""
_END = """
    INSERT INTO document_edits
        (workspace_id, document_id, from_document, kind, chunk_index, start_index, end_index, before)
    SELECT workspace_id, :new, document_id, 'exclusion_ended', chunk_index, start_index, end_index, text
    FROM old LEFT JOIN new USING (sha256, place) WHERE old.excluded AND new.id IS NULL ORDER BY chunk_index
"""


# A corrected text that the new version contains as well is now correct in the file.
_LOST = text("""
    INSERT INTO document_edits
        (workspace_id, document_id, from_document, kind, chunk_index, start_index, end_index, before)
    SELECT old.workspace_id, :new, old.document_id, 'correction_ended', chunk_index, start_index, end_index, old.text
    FROM chunks AS old JOIN documents ON documents.id = old.document_id
    WHERE superseded_by = :new AND documents.corrected_from IS NOT NULL AND old.corrected
        AND NOT EXISTS (SELECT FROM documents WHERE id = :new AND corrected_from IS NOT NULL)
        AND NOT EXISTS (SELECT FROM chunks AS same WHERE same.document_id = :new AND same.sha256 = old.sha256)
    ORDER BY chunk_index
""")


def carry_edits(session: Session, new: uuid.UUID) -> None:
    """Exclude in the version `new` the chunks whose text was excluded in the version that it replaced. Record these
    exclusions, those whose text is gone, and the corrections that ended because another file came."""
    is_changed = or_(Document.chunks_excluded > 0, Document.corrected_from.is_not(None))
    of_old = select(Document.id).where(Document.superseded_by == new, is_changed)
    if session.scalar(select(of_old.exists())):
        for statement in (text(_PAIRED + _KEEP), text(_PAIRED + _END), _LOST):
            session.execute(statement, {"new": new})


def has_excluded(session: Session, workspace_ids: Sequence[int]) -> bool:
    """Return whether any chunk of these workspaces is excluded from the search."""
    wanted = select(Document.id).where(
        Document.workspace_id.in_(workspace_ids), Document.status == DocumentStatus.READY, Document.chunks_excluded > 0
    )
    return session.scalar(select(wanted.exists())) or False


def count_document_chunks(session: Session, document_id: uuid.UUID, wanted: ChunkFilter | None = None) -> int:
    conditions = wanted.conditions if wanted else []
    return session.execute(select(func.count()).where(Chunk.document_id == document_id, *conditions)).scalar_one()


def list_edits(session: Session, document: Document) -> list[tuple[DocumentEdit, int]]:
    """Return the changes of all versions of this name, with the numbers of the versions, newest first."""
    rows = session.execute(
        select(DocumentEdit, Document.version)
        .join(Document, Document.id == DocumentEdit.document_id)
        .where(Document.workspace_id == document.workspace_id, Document.filename == document.filename)
        .order_by(DocumentEdit.id.desc())
        .limit(_MOST_EDITS)
    )
    return [(edit, version) for edit, version in rows]
