"""Workspaces as objects: listed, created, changed, and deleted with everything in them."""

import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from config.settings import Settings
from db.models import QueryStatus
from db.queries.access import workspaces as rows
from db.queries.access.workspaces import Contents, get_workspace, list_contents, lock_workspace
from db.queries.verifications.answer_validity import record_deletion
from db.session import is_limited, may_create_workspaces, reading, transaction
from domain.errors.access import KeyLimited, WorkspaceForbidden
from domain.errors.state import WorkspaceNameTaken, WorkspaceNotEmpty
from domain.query.options import WorkspaceSettings, workspace_name
from services.finishing.completion import finish
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


_DOCUMENTS, _QUERIES = 20, 100

Ended = Callable[[uuid.UUID], None]
"""A function that is called with each cancelled query, after the commit."""


def remove_workspace(name: str, confirmed: str | None, seconds: float, on_end: Ended) -> bool:
    """Begin to delete the workspace, and continue for this many seconds; True if it is gone by then.

    From now on the workspace accepts nothing; its unfinished queries are cancelled. The deletion of a workspace with
    contents must be confirmed by its name. `remove_more` continues. Raises WorkspaceNotFound, WorkspaceForbidden,
    WorkspaceNotEmpty.
    """
    with transaction() as session:
        workspace = get_workspace(session, name)
        lock_workspace(session, workspace.id)
        (contents,) = list_contents(session, [name], limit=1)
        if confirmed != name and not contents.is_empty:
            raise WorkspaceNotEmpty(_what_would_go(contents))
        rows.mark_deleting(session, workspace.id)
    return remove_more(workspace.id, seconds, on_end)


def remove_more(workspace_id: int, seconds: float, on_end: Ended) -> bool:
    """Delete more of a workspace that is being deleted, for about this many seconds; True if it is gone."""
    until = time.monotonic() + seconds
    while _remove_portion(workspace_id, on_end):
        if time.monotonic() >= until:
            return False
    with transaction() as session:
        return rows.delete_if_empty(session, workspace_id)


def _remove_portion(workspace_id: int, on_end: Ended) -> bool:
    with transaction() as session:
        ended = rows.unfinished_queries(session, workspace_id, _QUERIES)
        for query_id in ended:
            finish(session, query_id, QueryStatus.CANCELLED)
    for query_id in ended:
        on_end(query_id)
    with transaction() as session:
        lock_workspace(session, workspace_id)
        documents = rows.some_documents(session, workspace_id, _DOCUMENTS)
        # Answers to questions about several workspaces stay, and may cite these documents.
        record_deletion(session, documents)
        rows.delete_documents(session, documents)
    with transaction() as session:
        more = rows.delete_import(session, workspace_id), rows.delete_ended_queries(session, workspace_id, _QUERIES)
    return bool(ended or documents or any(more))


def _what_would_go(contents: Contents) -> str:
    name, documents = contents.workspace.name, sum(contents.documents.values())
    return (
        f"The workspace {name!r} has {documents:,} document{'' if documents == 1 else 's'}, and its questions with "
        f"their history go with it; to delete all of that, repeat the request with confirm={name}."
    )
