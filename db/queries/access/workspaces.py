"""Workspaces: found by name, created on first use, counted, deleted in portions."""

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import RowMapping, delete, exists, func, select, true, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from db.base import OWN_TENANT
from db.models import (
    Batch,
    Document,
    DocumentStatus,
    EmbeddingSpace,
    Import,
    Query,
    QueryKind,
    Source,
    Tenant,
    Workspace,
)
from db.session import is_limited, may_create_workspaces
from domain.errors.access import WorkspaceForbidden
from domain.errors.missing import WorkspaceNotFound
from domain.errors.state import WorkspaceDeleting
from domain.query.options import workspace_name


def get_workspace(session: Session, name: str) -> Workspace:
    """Return the workspace. Raises WorkspaceNotFound when there is none of that name; WorkspaceForbidden when the
    transaction is limited to others, whether or not it exists."""
    workspace = _find(session, name)
    if workspace is not None:
        return workspace
    if is_limited():
        names = ", ".join(workspace.name for workspace in list_workspaces(session)) or "none that still exists"
        raise WorkspaceForbidden(f"The workspace {name!r} is not open to you for this; these are: {names}.")
    raise WorkspaceNotFound(f"There is no workspace {name!r}; create it, or ingest a document into it.")


def require_access(session: Session, names: Iterable[str]) -> None:
    """Raise WorkspaceForbidden for a name that the transaction may not use; a missing workspace is no error.

    For requests that are answered without the work that would check it, such as repeated ones.
    """
    if is_limited():
        for name in names:
            get_workspace(session, name)


def workspace_name_of(session: Session, row: Document | Import | Query | Source) -> str:
    return session.get_one(Workspace, row.workspace_id).name


def get_open_workspace(session: Session, name: str) -> Workspace:
    """Like `get_workspace`, for work that is to begin in the workspace. Also raises WorkspaceDeleting."""
    return _open(get_workspace(session, name))


def existing_workspaces(session: Session, ids: Sequence[int]) -> list[int]:
    existing = set(session.scalars(select(Workspace.id).where(Workspace.id.in_(ids))))
    return [id_ for id_ in ids if id_ in existing]


def require_open_workspace(session: Session, workspace_id: int) -> None:
    _open(session.get_one(Workspace, workspace_id))


def _open(workspace: Workspace) -> Workspace:
    if workspace.deleting_at is not None:
        raise WorkspaceDeleting(f"The workspace {workspace.name!r} is being deleted; it accepts nothing any more.")
    return workspace


def _find(session: Session, name: str) -> Workspace | None:
    return session.scalar(select(Workspace).where(Workspace.name == name))


def list_workspaces(session: Session) -> list[Workspace]:
    return list(session.scalars(select(Workspace).where(Workspace.deleting_at.is_(None)).order_by(Workspace.name)))


def list_workspaces_of(session: Session, tenant: str | None, name: str | None) -> list[Workspace]:
    statement = select(Workspace).join(Tenant, Tenant.id == Workspace.tenant_id)
    if tenant is not None:
        statement = statement.where(Tenant.name == tenant)
    if name is not None:
        statement = statement.where(Workspace.name == name)
    return list(session.scalars(statement.order_by(Tenant.name, Workspace.name)))


def get_or_add_workspace(session: Session, name: str) -> Workspace:
    """Return the workspace `name`, created if missing; safe under concurrent first use.

    Raises WorkspaceNameInvalid for a new one, WorkspaceDeleting, WorkspaceForbidden.
    """
    if _find(session, name) is None and may_create_workspaces():
        session.execute(insert(Workspace).values(name=workspace_name(name)).on_conflict_do_nothing())
    return get_open_workspace(session, name)


def get_or_add_workspaces(session: Session, names: Iterable[str]) -> dict[str, int]:
    """Return the ids of workspaces by name, created if missing. Raises the errors of `get_or_add_workspace`.

    For a short transaction of its own: others that create one of them wait until it ends.
    """
    # All creators use the same order, so that two with overlapping names do not deadlock.
    return {name: get_or_add_workspace(session, name).id for name in sorted(set(names))}


def add_workspace(session: Session, name: str, **values: object) -> bool:
    """Add a workspace with `values` of its columns; False when there is one of that name."""
    adding = insert(Workspace).values(name=name, **values).on_conflict_do_nothing().returning(Workspace.id)
    return session.scalar(adding) is not None


def change_workspace(session: Session, workspace_id: int, *, name: str, **values: object) -> bool:
    """Set the name and other columns; False when another workspace has the name."""
    try:
        with session.begin_nested():
            session.execute(update(Workspace).where(Workspace.id == workspace_id).values(name=name, **values))
    except IntegrityError:
        return False
    return True


def delete_workspace(session: Session, name: str) -> None:
    session.execute(delete(Workspace).where(Workspace.name == name))


def allocate_document_number(session: Session, workspace_id: int) -> int:
    following = session.scalar(
        update(Workspace)
        .where(Workspace.id == workspace_id)
        .values(next_document_number=Workspace.next_document_number + 1)
        .returning(Workspace.next_document_number)
    )
    if following is None:
        raise WorkspaceNotFound
    return following - 1


def lock_workspace(session: Session, workspace_id: int) -> None:
    """Keep others from accepting, storing or deleting documents of the workspace until the transaction ends.

    Every change of its documents, passages or lexicon takes this lock first, which prevents deadlocks.
    """
    session.execute(select(Workspace.id).where(Workspace.id == workspace_id).with_for_update(key_share=True))


class Contents(NamedTuple):
    """The content of a workspace: `documents` counts all versions by status, `size_bytes` are their files. `used_at` is
    when its latest document, question or verification was accepted."""

    workspace: Workspace
    documents: dict[str, int]
    size_bytes: int
    used_at: datetime | None
    embedding: tuple[str, int] | None

    @property
    def is_empty(self) -> bool:
        return self.used_at is None


def list_contents(
    session: Session, names: Sequence[str] | None = None, *, after: str = "", limit: int
) -> list[Contents]:
    counted = (
        select(
            *(func.count().filter(Document.status == status).label(status.value) for status in DocumentStatus),
            func.coalesce(func.sum(Document.size_bytes), 0).label("size_bytes"),
            func.max(Document.created_at).label("used_at"),
        )
        .where(Document.workspace_id == Workspace.id)
        .lateral("counted")
    )
    # With one subquery per kind, the index on (workspace_id, kind, created_at) gives the newest at once.
    last_accepted = [
        select(func.max(Query.created_at))
        .where(Query.workspace_id == Workspace.id, Query.kind == kind)
        .correlate(Workspace)
        .scalar_subquery()
        for kind in QueryKind
    ]
    used_at = func.greatest(counted.c.used_at, *last_accepted)
    statement = (
        select(Workspace, EmbeddingSpace.model, EmbeddingSpace.dimension, counted, used_at.label("last"))
        .select_from(Workspace)
        .join(counted, true())
        .outerjoin(EmbeddingSpace, EmbeddingSpace.id == Workspace.space_id)
        .where(Workspace.tenant_id == OWN_TENANT, Workspace.name > after)
        .order_by(Workspace.name)
        .limit(limit)
    )
    if names is not None:
        statement = statement.where(Workspace.name.in_(names))
    return [_contents(row) for row in session.execute(statement).mappings()]


def _contents(row: RowMapping) -> Contents:
    return Contents(
        row["Workspace"],
        {status.value: row[status.value] for status in DocumentStatus},
        int(row["size_bytes"]),
        row["last"],
        None if row["model"] is None else (row["model"], row["dimension"]),
    )


TOLD_WITHIN = timedelta(seconds=30)
"""The time for which ended queries stay, so that callers who wait for them, and receivers of webhooks, can still read
them."""


def mark_deleting(session: Session, workspace_id: int) -> None:
    """Mark the workspace as being deleted; repeating it changes nothing."""
    first = func.coalesce(Workspace.deleting_at, func.now())
    session.execute(update(Workspace).where(Workspace.id == workspace_id).values(deleting_at=first))


def list_deleting(session: Session) -> Sequence[tuple[int, int]]:
    """Return (workspace, tenant) of those that are being deleted, the oldest first."""
    deleting = select(Workspace.id, Workspace.tenant_id).where(Workspace.deleting_at.is_not(None))
    return [(id_, tenant) for id_, tenant in session.execute(deleting.order_by(Workspace.deleting_at))]


def unfinished_queries(session: Session, workspace_id: int, limit: int) -> list[uuid.UUID]:
    open_ = select(Query.id).where(Query.workspace_id == workspace_id, Query.finished_at.is_(None))
    return list(session.scalars(open_.order_by(Query.created_at).limit(limit)))


def some_documents(session: Session, workspace_id: int, limit: int) -> list[uuid.UUID]:
    return list(session.scalars(select(Document.id).where(Document.workspace_id == workspace_id).limit(limit)))


def delete_documents(session: Session, ids: Sequence[uuid.UUID]) -> None:
    """Delete the documents with everything that belongs to them. The workspace's statistics keep counting them, because
    it is not searched any more."""
    session.execute(delete(Document).where(Document.id.in_(ids)))


def delete_import(session: Session, workspace_id: int) -> bool:
    some_import = select(Import.id).where(Import.workspace_id == workspace_id).limit(1).scalar_subquery()
    return session.scalar(delete(Import).where(Import.id == some_import).returning(Import.id)) is not None


def delete_ended_queries(session: Session, workspace_id: int, limit: int) -> bool:
    ended = select(Query.id).where(Query.workspace_id == workspace_id, Query.finished_at < func.now() - TOLD_WITHIN)
    gone = session.execute(delete(Query).where(Query.id.in_(ended.limit(limit))).returning(Query.batch_id)).all()
    if batches := {batch for (batch,) in gone if batch is not None}:
        empty = ~exists().where(Query.batch_id == Batch.id)
        session.execute(delete(Batch).where(Batch.id.in_(batches), empty))
    return bool(gone)


def delete_if_empty(session: Session, workspace_id: int) -> bool:
    contents = (exists().where(table.workspace_id == workspace_id) for table in (Document, Query, Import))
    session.execute(delete(Workspace).where(Workspace.id == workspace_id, *(~content for content in contents)))
    return session.scalar(select(Workspace.id).where(Workspace.id == workspace_id)) is None
