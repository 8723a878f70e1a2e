"""The chunks of a document, for the people who look after them: shown, excluded from the search and put back."""

import uuid
from typing import Any

from citewell_verify.safety.prompt_injection import without_orders
from citewell_verify.text.windows import count_tokens
from db.base import row_json
from db.models import Chunk, DocumentEdit, DocumentStatus
from db.queries.documents import chunk_edits as edits
from db.queries.documents.chunk_edits import ChunkFilter, Edit
from db.queries.documents.documents import get_document
from db.session import reading, transaction
from domain.errors.state import DocumentNotRead

_READ = (DocumentStatus.READY, DocumentStatus.SUPERSEDED)


def read_chunks(document_id: uuid.UUID, wanted: ChunkFilter, *, first: int, limit: int) -> dict[str, Any]:
    """Return the chunks of a document in order, as JSON. Raises DocumentNotFound, DocumentNotRead."""
    with reading() as session:
        document = get_document(session, document_id)
        if document.status not in _READ:
            raise DocumentNotRead
        chunks = edits.list_chunks(session, document_id, wanted, first=first, limit=limit + 1)
        total = edits.count_document_chunks(session, document_id)
        matching = edits.count_document_chunks(session, document_id, wanted) if wanted != ChunkFilter() else total
    more = chunks[limit].chunk_index if len(chunks) > limit else None
    return {
        "chunks": [_as_json(chunk) for chunk in chunks[:limit]],
        "total": total,
        "matching": matching,
        "excluded": document.chunks_excluded,
        "next_first": more,
    }


def read_chunk(document_id: uuid.UUID, chunk_index: int) -> dict[str, Any]:
    with reading() as session:
        return _as_json(edits.get_chunk(session, document_id, chunk_index))


def read_edits(document_id: uuid.UUID) -> list[dict[str, Any]]:
    """Return the changes by people in all versions of this name, newest first. Raises DocumentNotFound."""
    with reading() as session:
        rows = edits.list_edits(session, get_document(session, document_id))
    return [_edit_as_json(edit, version) for edit, version in rows]


def set_excluded(document_id: uuid.UUID, chunk_index: int, edit: Edit, *, excluded: bool) -> dict[str, Any]:
    """Take a chunk out of every search, or put it back; return the chunk as JSON.

    Raises DocumentNotFound, DocumentNotInForce, ChunkNotFound.
    """
    with transaction() as session:
        document, _ = edits.lock_version_in_force(session, document_id)
        chunk = edits.get_chunk(session, document_id, chunk_index)
        edits.mark_excluded(session, document, chunk, edit, excluded=excluded)
    return _as_json(chunk)


def _as_json(chunk: Chunk) -> dict[str, Any]:
    return {
        **row_json(chunk, "chunk_id chunk_index section context text excluded corrected"),
        "page_number": chunk.page,
        "source_start": chunk.start_index,
        "source_end": chunk.end_index,
        "tokens": count_tokens(chunk.text),
        "has_hidden_orders": without_orders(chunk.text) != chunk.text,
    }


def _edit_as_json(edit: DocumentEdit, version: int) -> dict[str, Any]:
    return {
        **row_json(edit, "kind document_id from_document chunk_index before after reason made_by created_at"),
        "version": version,
        "source_start": edit.start_index,
        "source_end": edit.end_index,
    }
