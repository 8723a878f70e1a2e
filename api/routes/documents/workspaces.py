"""Workspaces: the collections that documents and questions belong to."""

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Query, Response

from api.http.accepted_requests import require_json
from api.http.paging import AfterName, next_name_cursor
from api.schemas.documents.workspaces import WorkspaceChange, WorkspaceCreate, WorkspaceList, WorkspaceRead
from api.schemas.texts import WorkspaceName
from clients.notifications import notify_end
from services.core.model_choice import settings_without_model
from services.operations import workspaces
from services.operations.workspaces import remove_workspace

router = APIRouter(prefix="/v1/workspaces", tags=["workspaces"])

_AT_ONCE_S = 1.0
_JSON = [Depends(require_json)]
_DELETED: dict[int | str, dict[str, Any]] = {
    202: {"model": WorkspaceRead, "description": "It is being deleted, and accepts nothing any more."},
    204: {"description": "It is gone."},
}

Named = Annotated[WorkspaceName, Path(description="The name of the workspace.", examples=["finance"])]


@router.get("", response_model=WorkspaceList)
def list_workspaces(after: AfterName, limit: Annotated[int, Query(ge=1, le=500)] = 100) -> object:
    """The workspaces by name, each with how much it contains; `next_cursor` leads to the next page."""
    listed = workspaces.read_workspaces(after=after, limit=limit)
    return {"workspaces": listed, "next_cursor": next_name_cursor(listed, limit)}


@router.post("", status_code=201, response_model=WorkspaceRead, dependencies=_JSON)
def create_workspace(new: WorkspaceCreate, response: Response) -> object:
    """Create an empty workspace. Adding a document to a new name creates one, too."""
    created = workspaces.create_workspace(new.name, new.title, new.settings, settings_without_model())
    response.headers["Location"] = f"{router.prefix}/{quote(created['name'])}"
    return created


@router.get("/{workspace:path}", response_model=WorkspaceRead)
def get_workspace(workspace: Named) -> object:
    """One workspace, and how much it contains."""
    return workspaces.read_workspace(workspace)


@router.patch("/{workspace:path}", name="update_workspace", response_model=WorkspaceRead, dependencies=_JSON)
def change_workspace(workspace: Named, change: WorkspaceChange) -> object:
    """Rename a workspace, or change its title or settings. Its documents, its questions with their history, and the
    keys that are limited to it stay with it; messages that were sent before keep the old name. Questions keep the
    settings that they were asked with."""
    return workspaces.change_workspace(workspace, change.columns, change.settings, settings_without_model())


@router.delete("/{workspace:path}", status_code=204, responses=_DELETED)
def delete_workspace(
    workspace: Named,
    confirm: Annotated[
        WorkspaceName | None, Query(description="The name again, required for a workspace that is not empty.")
    ] = None,
) -> Response:
    """Delete a workspace with its documents, and its questions with their history. Unfinished questions are cancelled.

    A long deletion continues in the background; then the response is 202, and the workspace is listed as `deleting`
    until it is gone.
    """
    if remove_workspace(workspace, confirm, _AT_ONCE_S, notify_end):
        return Response(status_code=204)
    left = WorkspaceRead.model_validate(workspaces.read_workspace(workspace))
    return Response(left.model_dump_json(), status_code=202, media_type="application/json")
