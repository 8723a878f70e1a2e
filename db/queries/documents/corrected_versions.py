"""Makes the corrected version of a document: a copy of the version before, with all offsets moved to the new text."""

import uuid
from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, or_, select, text, update
from sqlalchemy.orm import Session, undefer

from citewell_documents.boxes import PageBoxes, Recognised
from citewell_documents.document import TextChunk, embedded_text
from db.models import Chunk, Document, DocumentPage, DocumentStatus
from db.queries.access.workspaces import allocate_document_number
from db.queries.documents.boxes import store_boxes
from db.queries.documents.ingestion import add_chunks, chunk_row
from db.queries.documents.spaces import Space, add_vectors
from domain.documents.corrections import Replacement, moved_blocks, moved_boxes, moved_spans
from domain.documents.renaming import CorrectedSections, Renaming
from domain.documents.text_marks import CorrectedSpan

_NO_END = 2**31 - 1


def get_whole_document(session: Session, document_id: uuid.UUID) -> Document:
    """Return the document with its text, pages, sections, blocks and figures."""
    marks = (Document.sections, Document.blocks, Document.figures, Document.corrections)
    wanted = select(Document).options(*map(undefer, (Document.text, *marks))).where(Document.id == document_id)
    return session.execute(wanted.execution_options(populate_existing=True)).scalar_one()


def add_corrected_version(
    session: Session,
    old: Document,
    change: Replacement,
    corrections: Sequence[CorrectedSpan],
    *,
    version: int,
    traceparent: str | None,
) -> Document:
    """Store the next version, without chunks and not yet in force, in place of `old`, which the caller has locked.

    The new version has the same file, so uploading that file again changes nothing.
    """
    # At most one version of a content is not superseded, so the old one ends first.
    ended = {"status": DocumentStatus.SUPERSEDED, "stage": "superseded"}
    session.execute(update(Document).where(Document.id == old.id).values(ended))
    before = old.text or ""
    after = change.applied(before)
    sections = None if old.sections is None else CorrectedSections.of(old.sections, before, after, change).sections
    moved: dict[str, Any] = {
        "text": after,
        "pages": moved_spans(old.pages, change),
        "sections": sections,
        "blocks": moved_blocks(old.blocks, change),
        "figures": moved_spans(old.figures, change),
        "corrections": [list(correction) for correction in corrections] or None,
    }
    new = Document(
        id=uuid.uuid4(),
        workspace_id=old.workspace_id,
        number=allocate_document_number(session, old.workspace_id),
        filename=old.filename,
        source=old.source,
        details=old.details,
        sha256=old.sha256,
        size_bytes=old.size_bytes,
        version=version,
        status=DocumentStatus.PROCESSING,
        stage="embedding",
        attempt=1,
        chunks_done=old.chunks_done,
        chunks_total=old.chunks_total,
        corrected_from=old.id,
        traceparent=traceparent,
        **moved,
    )
    session.add(new)
    session.flush()
    for copying in (_COPY_FILE, _COPY_OBJECT):
        session.execute(copying, {"old": old.id, "new": new.id})
    _copy_pages(session, old.id, new.id, change)
    session.execute(_SUPERSEDE, {"old": old.id, "new": new.id})
    return new


_COPY_FILE = text("""
    INSERT INTO document_files (document_id, content)
    SELECT :new, content FROM document_files WHERE document_id = :old
""")
_COPY_OBJECT = text("""
    INSERT INTO document_objects (document_id, place, sha256)
    SELECT :new, place, sha256 FROM document_objects WHERE document_id = :old
""")
_SUPERSEDE = text("UPDATE documents SET superseded_by = :new, superseded_at = now() WHERE id = :old")


def _copy_pages(session: Session, old: uuid.UUID, new: uuid.UUID, change: Replacement) -> None:
    columns = (undefer(DocumentPage.words), undefer(DocumentPage.recognised))
    rows = session.scalars(select(DocumentPage).options(*columns).where(DocumentPage.document_id == old))
    pages = [
        PageBoxes(
            row.number, row.width, row.height, row.words, tuple(Recognised(*values) for values in row.recognised or ())
        )
        for row in rows
    ]
    store_boxes(session, new, [moved_boxes(page, change) for page in pages])


# Chunks are copied within the database, with their lexemes and vectors, because a long document has thousands.
_COPY_CHUNKS = text("""
    WITH copied AS (
        INSERT INTO chunks (workspace_id, document_id, chunk_id, chunk_index, page, section, start_index, end_index,
            text, sha256, context, length, search, corrected)
        SELECT workspace_id, :new, :prefix || chunk_index, chunk_index, page, section,
            start_index + CASE WHEN start_index >= :end THEN :growth ELSE 0 END,
            end_index + CASE WHEN start_index >= :end THEN :growth ELSE 0 END,
            text, sha256, context, length, search, corrected
        FROM chunks WHERE document_id = :old AND NOT chunk_index = ANY(:touched)
        RETURNING id, chunk_index, workspace_id, length, search
    ), vectors AS (
        INSERT INTO chunk_vectors (chunk_id, space_id, workspace_id, document_id, sha256, embedding)
        SELECT copied.id, held.space_id, held.workspace_id, :new, held.sha256, held.embedding
        FROM copied
        JOIN chunks AS before ON before.document_id = :old AND before.chunk_index = copied.chunk_index
        JOIN chunk_vectors AS held ON held.chunk_id = before.id
    ), counted AS (
        INSERT INTO lexemes (workspace_id, lexeme, chunks)
        SELECT copied.workspace_id, held.lexeme, count(*) FROM copied CROSS JOIN LATERAL unnest(copied.search) AS held
        GROUP BY copied.workspace_id, held.lexeme ORDER BY held.lexeme
        ON CONFLICT (workspace_id, lexeme) DO UPDATE SET chunks = lexemes.chunks + excluded.chunks
    )
    UPDATE workspaces SET chunk_count = chunk_count + (SELECT count(*) FROM copied),
        lexeme_count = lexeme_count + (SELECT coalesce(sum(length), 0) FROM copied)
    WHERE id = (SELECT workspace_id FROM documents WHERE id = :old)
""")


def copy_chunks(session: Session, old: Document, new: Document, change: Replacement, touched: Sequence[int]) -> None:
    """Store the chunks of `old` that the change does not touch as chunks of `new`, with their vectors."""
    values = {
        "old": old.id,
        "new": new.id,
        "prefix": f"{new.doc_id}::chunk_",
        "end": change.end,
        "growth": change.growth,
        "touched": list(touched),
    }
    session.execute(_COPY_CHUNKS, values)


def add_corrected_chunks(
    session: Session,
    new: Document,
    chunks: Sequence[tuple[TextChunk, Sequence[float], bool]],
    name: str,
    space: Space,
) -> None:
    """Store the chunks that the change touches, as (chunk, vector, whether people corrected it)."""
    rows = [{**chunk_row(new.id, new.doc_id, chunk), "corrected": is_corrected} for chunk, _, is_corrected in chunks]
    keys = add_chunks(session, new.workspace_id, rows, name)
    vectors = [(key, embedded_text(chunk), vector) for key, (chunk, vector, _) in zip(keys, chunks, strict=True)]
    add_vectors(session, space, vectors)


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
