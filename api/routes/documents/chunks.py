"""Routes for the people who look after chunks: to view them, exclude them from the search, and correct them."""

import unicodedata
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Request

from api.http.accepted_requests import require_json
from api.schemas.documents.chunks import (
    ChunkCorrected,
    ChunkList,
    ChunkRead,
    ChunkUpdate,
    CorrectionCreate,
    DocumentEdits,
)
from clients.embeddings.factory import configured_embedder
from config.settings import settings
from db.queries.documents.chunk_edits import ChunkFilter, Edit
from services.documents.chunk_corrections import correct_chunk
from services.documents.chunks import read_chunk, read_chunks, read_edits, set_excluded
from services.documents.documents import read_document
from workers.starting.launch import launch_graphs

router = APIRouter(prefix="/v1/documents", tags=["documents"])

_JSON = [Depends(require_json)]
Index = Annotated[int, Path(ge=0, le=10**9, description="The chunk's place in the document, from 0.")]


@router.get("/{document_id}/chunks", name="list_document_chunks", response_model=ChunkList)
def list_chunks(
    document_id: UUID,
    excluded: Annotated[
        bool | None, Query(description="Only chunks that are, or are not, excluded from the search.")
    ] = None,
    corrected: Annotated[
        bool | None, Query(description="Only chunks that people have, or have not, corrected.")
    ] = None,
    contains: Annotated[str | None, Query(max_length=200, description="Only chunks with this text.")] = None,
    first: Annotated[int, Query(ge=0, le=10**9, description="Only chunks from this `chunk_index` on.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> object:
    """The chunks of a document in order, including the excluded ones; `next_first` leads to the next page."""
    # In the same form as stored texts, so that Korean that was typed in decomposed form is found as well.
    sought = unicodedata.normalize("NFC", contains).replace("\0", "") if contains else None
    return read_chunks(document_id, ChunkFilter(excluded, corrected, sought), first=first, limit=limit)


@router.patch(
    "/{document_id}/chunks/{chunk_index}",
    name="update_document_chunk",
    response_model=ChunkRead,
    dependencies=_JSON,
)
def update_chunk(document_id: UUID, chunk_index: Index, wanted: ChunkUpdate, request: Request) -> object:
    """Take a chunk out of every search, or put it back. Answers that cite it stay as they are.

    A new version of the document keeps the exclusion where it has the same text.
    """
    return set_excluded(document_id, chunk_index, _edit(request, wanted.reason), excluded=wanted.excluded)


@router.post(
    "/{document_id}/chunks/{chunk_index}/corrections",
    name="correct_document_chunk",
    status_code=201,
    response_model=ChunkCorrected,
    dependencies=_JSON,
)
def add_correction(document_id: UUID, chunk_index: Index, wanted: CorrectionCreate, request: Request) -> object:
    """Correct the text of a chunk: the correction becomes the next version of the document, which is in force at once.

    The version before stays unchanged, so answers that cite it still prove what they say; they are checked as after any
    new version. The file is not changed, and uploading it again keeps the correction in force.
    """
    # Computed in this process, as for a search: the vectors of one or a few passages take milliseconds.
    graph = settings().graph_extractor != "off"
    edit = _edit(request, wanted.reason)
    made = correct_chunk(document_id, chunk_index, wanted.text, edit, configured_embedder(), graph=graph)
    if graph:
        launch_graphs()
    return {"document": read_document(made), "chunk": read_chunk(made, chunk_index)}


@router.get("/{document_id}/edits", name="list_document_edits", response_model=DocumentEdits)
def list_edits(document_id: UUID) -> object:
    """The history of exclusions, inclusions and corrections of chunks in all versions of the document: who, when and
    why."""
    return {"edits": read_edits(document_id)}


def _edit(request: Request, reason: str | None) -> Edit:
    return Edit(getattr(request.state, "key_id", None), reason)
