"""Archives of documents: accepted here, unpacked by workers."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from api.http.capacity import ROOM_FOR_A_DOCUMENT
from api.http.paging import After, next_cursor
from api.http.uploads import IMPORT_BODY, IncomingImport
from api.schemas.documents.imports import ImportAccepted, ImportLinks, ImportList, ImportRead, ImportState
from api.schemas.texts import WorkspaceName
from services.documents.imports import accept_import, read_import, read_imports
from workers.starting.launch import launch_import, launcher

router = APIRouter(prefix="/v1/imports", tags=["documents"])


@router.post(
    "",
    name="create_import",
    status_code=202,
    openapi_extra=IMPORT_BODY,
    dependencies=[ROOM_FOR_A_DOCUMENT],
    responses={200: {"model": ImportAccepted, "description": "This very archive is under way already."}},
)
def add_import(new: IncomingImport, response: Response) -> ImportAccepted:
    """Store a .zip archive and have each file in it read as a document, named by its path in the archive.

    Hidden files are skipped; a file that cannot become a document is reported with the reason and does not stop the
    others.
    """
    accepted = accept_import(new)
    if accepted.created:
        launcher().hint(launch_import, accepted.import_id)
    else:
        response.status_code = 200
    here = f"{router.prefix}/{accepted.import_id}"
    response.headers["Location"] = here
    status = read_import(accepted.import_id)["status"]
    return ImportAccepted(id=accepted.import_id, status=status, created=accepted.created, links=ImportLinks(self=here))


@router.get("", response_model=ImportList)
def list_imports(
    after: After,
    workspace: Annotated[WorkspaceName | None, Query(description="Only imports into this workspace.")] = None,
    status: Annotated[ImportState | None, Query(description="Only imports in this state.")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> object:
    """The newest imports first, without their documents; `next_cursor` leads to the next page."""
    imports = read_imports(workspace, status, after=after, limit=limit)
    return {"imports": imports, "next_cursor": next_cursor(imports, limit)}


@router.get("/{import_id}", response_model=ImportRead)
def get_import(import_id: UUID) -> object:
    """The progress of an import, with a reason for each file that was skipped and each document that failed."""
    return read_import(import_id)
