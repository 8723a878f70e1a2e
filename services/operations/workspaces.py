"""Workspaces as objects: listed, created, changed. services.operations.workspace_removal deletes them."""

from collections.abc import Mapping
from typing import Any

from config.settings import Settings
from db.queries.access import workspaces as rows
from db.queries.access.workspaces import Contents, list_contents
from db.session import is_limited, may_create_workspaces, reading, transaction
from domain.errors.access import KeyLimited, WorkspaceForbidden
from domain.errors.state import WorkspaceNameTaken
from domain.query.options import WorkspaceSettings, workspace_name
from services.queries.submission import check_answer_schema, check_models

DEFAULT = "default"
"""The workspace of requests that name none."""


def read_workspaces(*, after: str, limit: int) -> list[dict[str, Any]]:
    with reading() as session:
        return [_as_json(contents) for contents in list_contents(session, after=after, limit=limit)]


def read_workspace(name: str) -> dict[str, Any]:
    """Return a workspace. Raises WorkspaceNotFound, WorkspaceForbidden."""
    with reading() as session:
        rows.get_workspace(session, name)
        (contents,) = list_contents(session, [name], limit=1)
        return _as_json(contents)


def workspace_to_work_in(named: str | None) -> str:
    """Return the workspace for work that need not name one: `named`, else `default`; for a caller who may not use
    `default`, the only workspace that is open to them.

    Raises WorkspaceForbidden, which says which workspaces are open; WorkspaceNotFound where naming a workspace does not
    create it.
    """
    if may_create_workspaces():
        return named or DEFAULT
    with reading() as session:
        opened = [workspace.name for workspace in rows.list_workspaces(session)]
        if named is None and is_limited() and len(opened) == 1:
            return opened[0]
        return rows.get_open_workspace(session, named or DEFAULT).name


def create_workspace(name: str, title: str | None, wanted: WorkspaceSettings, settings: Settings) -> dict[str, Any]:
    """Create an empty workspace. Raises WorkspaceNameInvalid, WorkspaceNameTaken, ModelNotAllowed, KeyLimited."""
    if is_limited():
        raise KeyLimited
    checked = workspace_name(name)
    _check(wanted, settings)
    with transaction() as session:
        if not rows.add_workspace(session, checked, title=title, settings=wanted.model_dump(mode="json")):
            raise WorkspaceNameTaken(f"There is a workspace {checked!r} already.")
    return read_workspace(checked)


def change_workspace(
    name: str, columns: Mapping[str, str | None], change: WorkspaceSettings, settings: Settings
) -> dict[str, Any]:
    """Set `columns` and the settings in `change`; the content of the workspace stays, also under a new name.

    Raises WorkspaceNotFound, WorkspaceForbidden, WorkspaceDeleting, WorkspaceNameInvalid, WorkspaceNameTaken,
    ModelNotAllowed.
    """
    new = workspace_name(columns.get("name") or name) if "name" in columns else name
    _check_renaming(name, new, settings)
    _check(change, settings)
    with transaction() as session:
        workspace = rows.get_open_workspace(session, name)
        # Two concurrent changes must not lose one another's settings.
        rows.lock_workspace(session, workspace.id)
        session.refresh(workspace)
        values: dict[str, Any] = {**columns, "name": new}
        if change.model_fields_set:
            changed = WorkspaceSettings.stored(workspace.settings).changed(change)
            values["settings"] = changed.model_dump(mode="json")
        if not rows.change_workspace(session, workspace.id, **values):
            raise WorkspaceNameTaken(f"There is a workspace {new!r} already.")
    return read_workspace(new)


def _check_renaming(name: str, new: str, settings: Settings) -> None:
    """Keep owners of single workspaces from using names in the rules for groups. Raises WorkspaceForbidden."""
    ruled = {workspace for rule in settings.access.oidc.groups for workspace in rule.workspaces}
    if name != new and is_limited() and ruled & {name, new}:
        raise WorkspaceForbidden("Groups have roles in the workspace of this name; only an administrator changes it.")


def _check(wanted: WorkspaceSettings, settings: Settings) -> None:
    check_models((wanted.models.main, wanted.models.fast), settings)
    check_answer_schema(wanted.answer_schema, settings)


def _as_json(contents: Contents) -> dict[str, Any]:
    workspace = contents.workspace
    return {
        "name": workspace.name,
        "title": workspace.title,
        "status": "deleting" if workspace.deleting_at else "active",
        "documents": contents.documents,
        "size_bytes": contents.size_bytes,
        "passages": workspace.chunk_count,
        "settings": WorkspaceSettings.stored(workspace.settings).model_dump(mode="json"),
        "embedding": dict(zip(("model", "dimension"), contents.embedding, strict=True)) if contents.embedding else None,
        "created_at": workspace.created_at.isoformat(),
        "used_at": contents.used_at.isoformat() if contents.used_at else None,
    }
