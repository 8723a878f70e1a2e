"""Documents: accepted here, read and embedded by workers."""

from pathlib import PurePosixPath
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import PlainTextResponse

from api.http.capacity import ROOM_FOR_A_DOCUMENT
from api.http.downloads import DOWNLOAD, download
from api.http.paging import After, next_cursor
from api.http.uploads import DOCUMENT_BODY, IncomingDocument
from api.schemas.documents.documents import (
    DocumentAccepted,
    DocumentLayout,
    DocumentLinks,
    DocumentList,
    DocumentRead,
    DocumentState,
    DocumentVersions,
)
from api.schemas.questions.search import PassageList
from api.schemas.texts import Filename, PlainText, WorkspaceName
from citewell_documents.formats import media_type
from citewell_verify.errors import BadInput
from config.settings import settings
from db.queries.documents.documents import DocumentFilter
from domain.errors.state import DocumentNotRead
from services.documents.documents import (
    accept_document,
    read_document,
    read_document_layout,
    read_document_text,
    read_documents,
    read_original,
    read_versions,
    remove_document,
    retry_document,
)
from services.queries.passage_search import read_passages
from workers.starting.launch import launcher

router = APIRouter(prefix="/v1/documents", tags=["documents"])


@router.post(
    "",
    name="create_document",
    status_code=202,
    openapi_extra=DOCUMENT_BODY,
    dependencies=[ROOM_FOR_A_DOCUMENT],
    responses={200: {"model": DocumentAccepted, "description": "The workspace has this very file already."}},
)
def add_document(new: IncomingDocument, response: Response) -> DocumentAccepted:
    """Store a document and have it read. The same bytes under the same name are the same document.

    Other bytes under the name of a document become its next version, which replaces it when it is ready.
    """
    accepted = accept_document(new, settings())
    if accepted.needs_work:
        launcher().documents()
    else:
        response.status_code = 200
    here = f"{router.prefix}/{accepted.document_id}"
    response.headers["Location"] = here
    return DocumentAccepted(
        id=accepted.document_id,
        status=read_document(accepted.document_id)["status"],
        created=accepted.created,
        same_as=accepted.same_as,
        links=DocumentLinks(self=here, text=f"{here}/text"),
    )


def _metadata_of(request: Request) -> dict[str, str]:
    prefix = "metadata."
    return {name.removeprefix(prefix): value for name, value in request.query_params.items() if name.startswith(prefix)}


@router.get("", response_model=DocumentList)
def list_documents(
    after: After,
    metadata: Annotated[dict[str, str], Depends(_metadata_of)],
    workspace: Annotated[WorkspaceName | None, Query(description="Only documents of this workspace.")] = None,
    status: Annotated[DocumentState | None, Query(description="Only documents in this state.")] = None,
    filename: Annotated[Filename | None, Query(description="Only documents with exactly this name.")] = None,
    name_contains: Annotated[
        Filename | None, Query(description="Only documents with this text in their name, ignoring case.")
    ] = None,
    sha256: Annotated[
        str | None, Query(pattern="^[0-9a-f]{64}$", description="Only documents whose file has this SHA-256.")
    ] = None,
    versions: Annotated[
        Literal["current", "all"], Query(description="`all` includes superseded versions.")
    ] = "current",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> object:
    """The newest documents first; `next_cursor` leads to the next page.

    `metadata.year=2026` keeps documents with that metadata, for any key; values are compared as text.
    """
    wanted = DocumentFilter(
        workspace, status, filename, name_contains, sha256, metadata, all_versions=versions == "all"
    )
    listed, total = read_documents(wanted, after=after, limit=limit)
    return {"documents": listed, "total": total, "next_cursor": next_cursor(listed, limit)}


@router.get("/{document_id}/versions", name="list_document_versions", response_model=DocumentVersions)
def get_versions(document_id: UUID) -> object:
    """All versions accepted under this document's name, newest first."""
    return {"documents": read_versions(document_id)}


@router.get("/{document_id}", response_model=DocumentRead)
def get_document(document_id: UUID) -> object:
    """A document's status and progress."""
    return read_document(document_id)


@router.get("/{document_id}/text", response_class=PlainTextResponse)
def get_document_text(
    document_id: UUID,
    start: Annotated[int, Query(ge=0, description="Where the slice starts, in code points from 0.")] = 0,
    end: Annotated[int | None, Query(ge=0, description="Where the slice ends, in code points, exclusive.")] = None,
) -> str:
    """The stored text that `source_start` and `source_end` point into, or the slice from `start` to `end`."""
    text = read_document_text(document_id)
    if text is None:
        raise DocumentNotRead
    stop = len(text) if end is None else end
    if not start <= stop <= len(text):
        raise BadInput(f"The document has {len(text)} characters; {start} to {stop} is no part of them.")
    return text[start:stop]


@router.get("/{document_id}/original", name="get_document_original", response_class=Response, responses=DOWNLOAD)
def get_original(document_id: UUID) -> Response:
    """The file as it was sent, byte for byte, as a download: a browser does not display it."""
    filename, content = read_original(document_id)
    return download(content, PurePosixPath(filename).name, media_type(filename))


@router.get("/{document_id}/passages", name="list_document_passages", response_model=PassageList)
def get_passages(
    document_id: UUID,
    page: Annotated[int | None, Query(ge=0, le=10**9, description="Only passages of this page.")] = None,
    chunk_id: Annotated[PlainText | None, Query(max_length=100, description="Only the passage with this id.")] = None,
    first: Annotated[int, Query(ge=0, le=10**9, description="Only passages from this `chunk_index` on.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> object:
    """The passages of a document in order: the units of search and citation."""
    return {"passages": read_passages(document_id, page=page, chunk_id=chunk_id, first=first, limit=limit)}


@router.get("/{document_id}/layout", response_model=DocumentLayout)
def get_document_layout(document_id: UUID) -> object:
    """The offsets of the pages, sections and corrected places in the stored text."""
    layout = read_document_layout(document_id)
    if layout is None:
        raise DocumentNotRead
    return layout


@router.post(
    "/{document_id}/retry",
    name="retry_document",
    status_code=202,
    response_model=DocumentRead,
    dependencies=[ROOM_FOR_A_DOCUMENT],
)
def retry(document_id: UUID) -> object:
    """Retry a failed document from its stored file: what was missing may be available now."""
    retry_document(document_id)
    launcher().documents()
    return read_document(document_id)


@router.delete("/{document_id}", status_code=204)
def delete_document(
    document_id: UUID,
    all_versions: Annotated[
        bool, Query(description="Delete all versions that were accepted under the document's name.")
    ] = False,
) -> None:
    """Delete a document with its file and its passages; answers keep their copies of the words that they cite.

    Older versions stay as history and are not searched again.
    """
    remove_document(document_id, all_versions=all_versions)
