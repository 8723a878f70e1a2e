"""Corrections of chunks. Searches and citations use the stored text, and old answers cite it.

So a correction leaves the stored text unchanged and creates the next version of the document, in one transaction: the
version is in force at once, and the checks of old answers follow it.
"""

import uuid
from collections.abc import Sequence

from sqlalchemy.orm import Session

from citewell_documents.document import TextChunk, embedded_text
from citewell_documents.metadata import searched_name
from citewell_verify.embeddings.protocol import Embedder
from clients.telemetry import tracing
from db.models import Chunk, Document, DocumentStatus, EditKind
from db.queries.access.workspaces import lock_workspace
from db.queries.documents import chunk_edits as edits
from db.queries.documents import corrected_versions as versions
from db.queries.documents.chunk_edits import Edit
from db.queries.documents.corrected_versions import list_renamed_chunks, list_touched_chunks
from db.queries.documents.graph_jobs import queue_graph
from db.queries.documents.spaces import Space, space_of
from db.queries.documents.versions import next_version
from db.session import reading, transaction
from domain.documents.corrections import Replacement, corrected_text, moved_chunk, replacement
from domain.documents.renaming import CorrectedSections, Renaming, renamed_heads
from domain.documents.text_marks import CorrectedSpan, is_corrected, restored, with_correction
from domain.errors.requests import CorrectionInvalid
from domain.errors.state import DocumentNotInForce
from services.core import model_choice
from services.documents.indexing import put_in_force

_UNFINISHED = (DocumentStatus.QUEUED, DocumentStatus.PROCESSING)
_MOST_COPIED = 20_000
"""The number of passages that are copied, with their vectors, while a person waits and the workspace is locked."""
_MOST_RENAMED = 1_000
"""The number of passages below a heading that are embedded again while a person waits."""


def correct_chunk(
    document_id: uuid.UUID, chunk_index: int, sent: str, edit: Edit, embedder: Embedder, *, graph: bool = False
) -> uuid.UUID:
    """Create the next version of the document, in which this chunk has the text that was `sent`, put it in force, and
    return its id.

    Raises DocumentNotFound, DocumentNotInForce, ChunkNotFound, CorrectionInvalid, EmbeddingUnavailable,
    EmbeddingRejected, EmbeddingMismatch; then nothing is stored.
    """
    # Repeated when `citewell reembed` moved the workspace to another space meanwhile.
    while (new := _corrected(document_id, chunk_index, sent, edit, embedder, graph=graph)) is None:
        pass
    return new


def _corrected(
    document_id: uuid.UUID, chunk_index: int, sent: str, edit: Edit, embedder: Embedder, *, graph: bool
) -> uuid.UUID | None:
    with reading() as session:
        old = edits.get_version_in_force(session, document_id)
        if (count := old.chunks_total or 0) > _MOST_COPIED:
            raise CorrectionInvalid(
                f"The document has {count:,} passages; those of up to {_MOST_COPIED:,} can be corrected here. "
                "Correct it in the file, and send that again."
            )
        chunk = edits.get_chunk(session, document_id, chunk_index)
        right = corrected_text(sent, chunk.text)
        change = replacement(chunk.start_index, chunk.text, right)
        whole = versions.get_whole_document(session, document_id)
        text = change.applied(whole.text or "")
        renamings = _renamings(whole, text, change)
        touched = _touched(session, document_id, change, renamings)
        spans = with_correction(restored(whole.corrections), chunk.start_index, chunk.text, right)
    chunks = [_corrected_chunk(part, text, change, renamings) for part in touched]
    space = model_choice.ensure_space(old.workspace_id, embedder)
    own = model_choice.embedder_for(space, old.workspace_id, embedder)
    vectors = model_choice.embed(space, own, [embedded_text(part) for part in chunks])
    made = [
        (part, vector, is_corrected(spans, part.start, part.end)) for part, vector in zip(chunks, vectors, strict=True)
    ]
    return _stored(document_id, chunk, change, spans, made, space, edit, graph=graph)


def _renamings(old: Document, text: str, change: Replacement) -> list[Renaming]:
    before = old.text or ""
    titles = CorrectedSections.of(old.sections, before, text, change).renamings
    if not (heads := renamed_heads(before, text, change)):
        return titles
    # A later heading may have the same name.
    until = next((title.until for title in titles if title.old == heads.old), None)
    return [*titles, heads._replace(until=until)]


def _touched(
    session: Session, document_id: uuid.UUID, change: Replacement, renamings: Sequence[Renaming]
) -> list[Chunk]:
    """Return the chunks whose text, section or context contains replaced words, in order."""
    touched = {chunk.chunk_index: chunk for chunk in list_touched_chunks(session, document_id, change)}
    for renaming in renamings:
        # The database also finds a short name inside a longer word.
        candidates = list_renamed_chunks(session, document_id, renaming)
        named = [chunk for chunk in candidates if renaming.applied(_as_slice(chunk)) != _as_slice(chunk)]
        if len(named) > _MOST_RENAMED:
            raise CorrectionInvalid(
                f"“{renaming.old}” stands above more than {_MOST_RENAMED:,} passages; correct it in the file, and send "
                "that again."
            )
        touched |= {chunk.chunk_index: chunk for chunk in named}
    return [touched[index] for index in sorted(touched)]


def _corrected_chunk(chunk: Chunk, text: str, change: Replacement, renamings: Sequence[Renaming]) -> TextChunk:
    moved = moved_chunk(_as_slice(chunk), text, change)
    for renaming in renamings:
        if chunk.end_index > renaming.start and (renaming.until is None or chunk.start_index < renaming.until):
            moved = renaming.applied(moved)
    return moved


def _stored(
    document_id: uuid.UUID,
    chunk: Chunk,
    change: Replacement,
    spans: Sequence[CorrectedSpan],
    made: Sequence[tuple[TextChunk, Sequence[float], bool]],
    space: Space,
    edit: Edit,
    *,
    graph: bool,
) -> uuid.UUID | None:
    with transaction() as session:
        lock_workspace(session, chunk.workspace_id)
        if space_of(session, chunk.workspace_id) != space:
            return None
        _, others = edits.lock_version_in_force(session, document_id)
        if any(version.status in _UNFINISHED for version in others):
            # The correction was accepted first, and would be superseded as soon as that version is read.
            raise DocumentNotInForce(
                "A newer version of the document is being read; correct that one when it is ready."
            )
        old = versions.get_whole_document(session, document_id)
        new = versions.add_corrected_version(
            session, old, change, spans, version=next_version(others), traceparent=tracing.traceparent()
        )
        versions.copy_chunks(session, old, new, change, [part.index for part, _, _ in made])
        versions.add_corrected_chunks(session, new, made, searched_name(old.filename, old.details), space)
        after = next(part for part, _, _ in made if part.index == chunk.chunk_index)
        edits.add_edit(session, new, EditKind.CORRECTED, chunk, edit, from_document=old.id, after=after.text)
        put_in_force(session, new.id, new.attempt)
        if graph:
            queue_graph(session, new.id, new.workspace_id)
        return new.id


def _as_slice(chunk: Chunk) -> TextChunk:
    return TextChunk(
        chunk.chunk_index, chunk.start_index, chunk.end_index, chunk.text, chunk.page, chunk.section, chunk.context
    )
