"""Reads documents in force again, to find in their files what an earlier version of the program did not find."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from citewell_documents.formats import SUFFIXES, listed
from citewell_verify.errors import BadInput
from config.settings import settings
from db.base import row_json
from db.models import DocumentStatus
from db.queries.access.workspaces import get_open_workspace, get_workspace
from db.queries.documents import reingestions as rows
from db.queries.documents.documents import count_unread
from db.queries.documents.reingestions import ReingestionFilter
from db.session import reading, transaction


@dataclass(frozen=True, slots=True)
class Wanted:
    """A filter for the documents in force of a workspace that are read again; None leaves a property open.

    `kind` is a file type such as `pdf`; `before` limits when they were last read.
    """

    workspace: str
    kind: str | None = None
    before: datetime | None = None
    name_contains: str | None = None

    def as_json(self) -> dict[str, Any]:
        before = self.before.isoformat() if self.before else None
        return {"kind": self.kind, "before": before, "name_contains": self.name_contains}


def count_reingested(wanted: Wanted) -> int:
    """Return the number of documents that would be read again. Raises WorkspaceNotFound, BadInput."""
    with reading() as session:
        workspace_id = get_workspace(session, wanted.workspace).id
        return rows.count_matching(session, _filter(wanted, workspace_id))


def count_left_out(wanted: Wanted) -> int:
    """Return the number of documents that match but are left out, because people corrected them and their files do not
    contain the corrections."""
    with reading() as session:
        return rows.count_corrected(session, _filter(wanted, get_workspace(session, wanted.workspace).id))


def reingest(wanted: Wanted) -> tuple[uuid.UUID, int]:
    """Queue the documents, except for those that are queued already; return the id of the run and the number of
    matching documents.

    The caller then publishes them. Raises WorkspaceNotFound, WorkspaceDeleting, BadInput.
    """
    most = settings().admission.max_documents_queued // 2
    with transaction() as session:
        workspace_id = get_open_workspace(session, wanted.workspace).id
        chosen = _filter(wanted, workspace_id)
        matched = rows.count_matching(session, chosen)
        if matched + count_unread(session, [workspace_id]) > most:
            raise BadInput(
                f"{matched:,} documents match, and at most {most:,} of a tenant may wait; narrow the filter, for "
                "example by `kind` or `before`."
            )
        reingestion_id, _ = rows.add_reingestion(session, chosen, wanted.as_json())
        return reingestion_id, matched


def read_reingestion(reingestion_id: uuid.UUID) -> dict[str, Any]:
    with reading() as session:
        run, workspace = rows.get_reingestion(session, reingestion_id)
        states = rows.count_states(session, reingestion_id)
    waiting = {name: states[name] for name in (DocumentStatus.QUEUED, DocumentStatus.PROCESSING)}
    return {
        **row_json(run, "id filter total unchanged created_at"),
        "workspace": workspace,
        "status": "running" if any(waiting.values()) else "finished",
        **{name.value: count for name, count in waiting.items()},
        "changed": states[DocumentStatus.READY] + states[DocumentStatus.SUPERSEDED],
        "failed": states[DocumentStatus.FAILED],
    }


def _filter(wanted: Wanted, workspace_id: int) -> ReingestionFilter:
    suffix = wanted.kind and "." + wanted.kind.lower().removeprefix(".")
    if suffix is not None and suffix not in SUFFIXES:
        raise BadInput(f"{wanted.kind} is no file type that is read; those are {listed()}.")
    return ReingestionFilter(workspace_id, suffix, wanted.before, wanted.name_contains)
