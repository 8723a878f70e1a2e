"""Deletes a workspace with everything in it: at once if that is quick, otherwise in the background."""

import time
import uuid
from collections.abc import Callable

from db.models import QueryStatus
from db.queries.access import workspaces as rows
from db.queries.access.workspaces import Contents, get_workspace, list_contents, lock_workspace
from db.queries.verifications.answer_validity import record_deletion
from db.session import transaction
from domain.errors.state import WorkspaceNotEmpty
from services.finishing.completion import finish

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
