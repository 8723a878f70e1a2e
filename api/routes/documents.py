"""Documents: accepted here, read and embedded by workers."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response
from fastapi.responses import PlainTextResponse

from api.schemas.documents import DocumentAccepted, DocumentLinks, DocumentList, DocumentRead
from api.schemas.texts import WorkspaceName
from api.uploads import DOCUMENT_BODY, IncomingDocument
from config.settings import settings
from domain.errors import BadInput, DocumentNotRead
from services.documents import accept_document, read_document, read_document_text, read_documents, remove_document
from workers.launch import launch_ingestion

router = APIRouter(prefix="/v1/documents", tags=["documents"])


@router.post(
    "",
    status_code=202,
    openapi_extra=DOCUMENT_BODY,
    responses={200: {"model": DocumentAccepted, "description": "The workspace has this very file already."}},
)
def add_document(new: IncomingDocument, response: Response) -> DocumentAccepted:
    """Store a document and have it read. The same bytes under the same name are the same document."""
    accepted = accept_document(new, settings())
    if accepted.needs_work:
        launch_ingestion(accepted.document_id)
    else:
        response.status_code = 200
    here = f"{router.prefix}/{accepted.document_id}"
    response.headers["Location"] = here
    return DocumentAccepted(
        id=accepted.document_id,
        status=read_document(accepted.document_id)["status"],
        created=accepted.created,
        links=DocumentLinks(self=here, text=f"{here}/text"),
    )


@router.get("", response_model=DocumentList)
def list_documents(
    workspace: Annotated[WorkspaceName | None, Query(description="Only of this workspace.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> object:
    """The newest documents first."""
    return {"documents": read_documents(workspace, limit)}


@router.get("/{document_id}", response_model=DocumentRead)
def get_document(document_id: UUID) -> object:
    """A document's status and progress."""
    return read_document(document_id)


@router.get("/{document_id}/text", response_class=PlainTextResponse)
def get_document_text(
    document_id: UUID,
    start: Annotated[int, Query(ge=0, description="In code points, from 0.")] = 0,
    end: Annotated[int | None, Query(ge=0, description="In code points; the first one that is left out.")] = None,
) -> str:
    """The stored text that `source_start` and `source_end` point into, or the slice from `start` to `end`."""
    text = read_document_text(document_id)
    if text is None:
        raise DocumentNotRead
    stop = len(text) if end is None else end
    if not start <= stop <= len(text):
        raise BadInput(f"The document has {len(text)} characters; {start} to {stop} is no part of them.")
    return text[start:stop]


@router.delete("/{document_id}", status_code=204)
def delete_document(document_id: UUID) -> None:
    """Delete a document with its file and its passages; answers keep their copies of what they cite."""
    remove_document(document_id)
