"""Workspaces as objects: listed, created, changed. services.operations.workspace_removal deletes them."""

from collections.abc import Mapping
from typing import Any

from db.queries.access import workspaces as rows
from db.queries.access.workspace_overview import Contents, list_contents
from db.session import is_limited, reading, transaction
from domain.errors import KeyLimited, WorkspaceNameTaken
from domain.query.workspaces import workspace_name


def read_workspaces(*, after: str, limit: int) -> list[dict[str, Any]]:
    """The workspaces behind the name `after`, by name."""
    with reading() as session:
        return [_as_json(each) for each in list_contents(session, after=after, limit=limit)]


def read_workspace(name: str) -> dict[str, Any]:
    """Raises WorkspaceNotFound, WorkspaceForbidden."""
    with reading() as session:
        rows.get_workspace(session, name)
        (found,) = list_contents(session, [name], limit=1)
        return _as_json(found)


def create_workspace(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Create it with `values` of its columns. Raises WorkspaceNameInvalid, WorkspaceNameTaken, KeyLimited."""
    if is_limited():
        raise KeyLimited
    checked = workspace_name(name)
    with transaction() as session:
        if not rows.add_workspace(session, checked, **values):
            raise WorkspaceNameTaken(f"There is a workspace {checked!r} already.")
    return read_workspace(checked)


def change_workspace(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Set `values` of its columns; everything in it stays, also under a new name.

    Raises WorkspaceNotFound, WorkspaceForbidden, WorkspaceDeleting, WorkspaceNameInvalid, WorkspaceNameTaken.
    """
    new = workspace_name(values["name"]) if "name" in values else name
    with transaction() as session:
        workspace = rows.get_open_workspace(session, name)
        if not rows.change_workspace(session, workspace.id, **{**values, "name": new}):
            raise WorkspaceNameTaken(f"There is a workspace {new!r} already.")
    return read_workspace(new)


def _as_json(found: Contents) -> dict[str, Any]:
    workspace = found.workspace
    return {
        "name": workspace.name,
        "title": workspace.title,
        "status": "deleting" if workspace.deleting_at else "active",
        "documents": found.documents,
        "size_bytes": found.size_bytes,
        "passages": workspace.chunk_count,
        "embedding": dict(zip(("model", "dimension"), found.embedding, strict=True)) if found.embedding else None,
        "created_at": workspace.created_at.isoformat(),
        "used_at": found.used_at.isoformat() if found.used_at else None,
    }
