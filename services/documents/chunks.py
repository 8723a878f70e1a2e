"""The chunks of a document as people look after them: shown, taken out of the search, put back, corrected.

What is searched and cited is the stored text, and old answers cite it. So a correction leaves it as it is and makes the
next version of the document, in one transaction: it is in force at once, and standing verification follows it.
"""

import uuid
from collections.abc import Sequence
from typing import Any

from clients.embeddings import Embedder
from clients.telemetry import tracing
from db.models import Chunk, DocumentEdit, DocumentStatus, EditKind
from db.queries.access.workspaces import lock_workspace
from db.queries.documents import chunk_edits as edits
from db.queries.documents import corrected_versions as versions
from db.queries.documents.chunk_edits import Edit
from db.queries.documents.documents import get_document
from db.queries.documents.graph_jobs import queue_graph
from db.queries.documents.spaces import Space, space_of
from db.queries.documents.versions import Version, next_version
from db.session import reading, transaction
from domain.documents.corrections import Replacement, corrected_text, moved_chunk, replacement
from domain.documents.documents import TextChunk, embedded_text
from domain.documents.metadata import searched_name
from domain.errors import DocumentNotInForce, DocumentNotRead
from domain.safety.prompt_injection import without_orders
from domain.text.lengths import count_tokens
from services.core import embedding_spaces
from services.documents.indexing import put_in_force

_READ = (DocumentStatus.READY, DocumentStatus.SUPERSEDED)
_UNFINISHED = (DocumentStatus.QUEUED, DocumentStatus.PROCESSING)


def read_chunks(document_id: uuid.UUID, *, excluded: bool | None, first: int, limit: int) -> dict[str, Any]:
    """The chunks of a document in order, as JSON. Raises DocumentNotFound, DocumentNotRead."""
    with reading() as session:
        document = get_document(session, document_id)
        if document.status not in _READ:
            raise DocumentNotRead
        found = edits.list_chunks(session, document_id, excluded=excluded, first=first, limit=limit + 1)
        total = edits.count_document_chunks(session, document_id)
    more = found[limit].chunk_index if len(found) > limit else None
    return {
        "chunks": [_as_json(chunk) for chunk in found[:limit]],
        "total": total,
        "excluded": document.chunks_excluded,
        "next_first": more,
    }


def read_chunk(document_id: uuid.UUID, chunk_index: int) -> dict[str, Any]:
    with reading() as session:
        return _as_json(edits.get_chunk(session, document_id, chunk_index))


def read_edits(document_id: uuid.UUID) -> list[dict[str, Any]]:
    """What people changed in all versions of this name, the newest first. Raises DocumentNotFound."""
    with reading() as session:
        found = edits.list_edits(session, get_document(session, document_id))
    return [_edit_as_json(edit, version) for edit, version in found]


def set_excluded(document_id: uuid.UUID, chunk_index: int, edit: Edit, *, excluded: bool) -> dict[str, Any]:
    """Take a chunk out of every search, or put it back; the chunk as JSON.

    Raises DocumentNotFound, DocumentNotInForce, ChunkNotFound.
    """
    with transaction() as session:
        document, _ = edits.lock_version_in_force(session, document_id)
        chunk = edits.get_chunk(session, document_id, chunk_index)
        edits.mark_excluded(session, document, chunk, edit, excluded=excluded)
    return _as_json(chunk)


def correct_chunk(
    document_id: uuid.UUID, chunk_index: int, sent: str, edit: Edit, embedder: Embedder, *, graph: bool = False
) -> uuid.UUID:
    """Put the next version of the document in force, in which this chunk has the text that was `sent`; its id.

    Raises DocumentNotFound, DocumentNotInForce, ChunkNotFound, CorrectionInvalid, EmbeddingUnavailable,
    EmbeddingRejected, EmbeddingMismatch; then nothing is stored.
    """
    # Again when `citewell reembed` moved the workspace to another space meanwhile.
    while (new := _corrected(document_id, chunk_index, sent, edit, embedder, graph=graph)) is None:
        pass
    return new


def _corrected(
    document_id: uuid.UUID, chunk_index: int, sent: str, edit: Edit, embedder: Embedder, *, graph: bool
) -> uuid.UUID | None:
    with reading() as session:
        old = edits.get_version_in_force(session, document_id)
        chunk = edits.get_chunk(session, document_id, chunk_index)
        change = replacement(chunk.start_index, chunk.text, corrected_text(sent, chunk.text))
        touched = versions.list_touched_chunks(session, document_id, change)
        text = change.applied(versions.get_whole_document(session, document_id).text or "")
    were_corrected = {each.chunk_index for each in touched if each.corrected} | {chunk_index}
    chunks = [moved_chunk(_as_slice(each), text, change) for each in touched]
    space = embedding_spaces.ensure_space(old.workspace_id, embedder)
    own = embedding_spaces.embedder_for(space, old.workspace_id, embedder)
    vectors = embedding_spaces.embed(space, own, [embedded_text(each) for each in chunks])
    made = [(each, vector, each.index in were_corrected) for each, vector in zip(chunks, vectors, strict=True)]
    return _stored(document_id, chunk, change, made, space, edit, graph=graph)


def _stored(
    document_id: uuid.UUID,
    chunk: Chunk,
    change: Replacement,
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
        _check_none_is_read(others)
        old = versions.get_whole_document(session, document_id)
        new = versions.add_corrected_version(
            session, old, change, version=next_version(others), traceparent=tracing.traceparent()
        )
        versions.copy_chunks(session, old, new, change, [each.index for each, _, _ in made])
        versions.add_corrected_chunks(session, new, made, searched_name(old.filename, old.details), space)
        after = next(each for each, _, _ in made if each.index == chunk.chunk_index)
        edits.add_edit(session, new, EditKind.CORRECTED, chunk, edit, from_document=old.id, after=after.text)
        put_in_force(session, new.id, new.attempt)
        if graph:
            queue_graph(session, new.id, new.workspace_id)
        return new.id


def _check_none_is_read(others: Sequence[Version]) -> None:
    if any(each.status in _UNFINISHED for each in others):
        # It was accepted first, and would be history as soon as it is read.
        raise DocumentNotInForce("A newer version of the document is being read; correct that one when it is ready.")


def _as_slice(chunk: Chunk) -> TextChunk:
    return TextChunk(
        chunk.chunk_index, chunk.start_index, chunk.end_index, chunk.text, chunk.page, chunk.section, chunk.context
    )


def _as_json(chunk: Chunk) -> dict[str, Any]:
    return {
        "chunk_id": chunk.chunk_id,
        "chunk_index": chunk.chunk_index,
        "page_number": chunk.page,
        "section": chunk.section,
        "context": chunk.context,
        "source_start": chunk.start_index,
        "source_end": chunk.end_index,
        "text": chunk.text,
        "tokens": count_tokens(chunk.text),
        "excluded": chunk.excluded,
        "corrected": chunk.corrected,
        "has_hidden_orders": without_orders(chunk.text) != chunk.text,
    }


def _edit_as_json(edit: DocumentEdit, version: int) -> dict[str, Any]:
    return {
        "kind": edit.kind,
        "document_id": str(edit.document_id),
        "version": version,
        "from_document": str(edit.from_document) if edit.from_document else None,
        "chunk_index": edit.chunk_index,
        "source_start": edit.start_index,
        "source_end": edit.end_index,
        "before": edit.before,
        "after": edit.after,
        "reason": edit.reason,
        "made_by": edit.made_by,
        "created_at": edit.created_at.isoformat(),
    }
