"""Deletes a workspace in portions, each in a short transaction of its own."""

import uuid
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.orm import Session

from db.models import Batch, Document, Import, Query, Workspace

TOLD_WITHIN = timedelta(seconds=30)
"""What has just ended stays for this long: those who wait for it, and receivers of its webhook, still read it."""


def mark_deleting(session: Session, workspace_id: int) -> None:
    """Mark the workspace as being deleted; repeating it changes nothing."""
    first = func.coalesce(Workspace.deleting_at, func.now())
    session.execute(update(Workspace).where(Workspace.id == workspace_id).values(deleting_at=first))


def list_deleting(session: Session) -> Sequence[tuple[int, int]]:
    """(workspace, tenant) of those that are being deleted, the oldest first."""
    deleting = select(Workspace.id, Workspace.tenant_id).where(Workspace.deleting_at.is_not(None))
    return [(id_, tenant) for id_, tenant in session.execute(deleting.order_by(Workspace.deleting_at))]


def unfinished_queries(session: Session, workspace_id: int, limit: int) -> list[uuid.UUID]:
    open_ = select(Query.id).where(Query.workspace_id == workspace_id, Query.finished_at.is_(None))
    return list(session.scalars(open_.order_by(Query.created_at).limit(limit)))


def some_documents(session: Session, workspace_id: int, limit: int) -> list[uuid.UUID]:
    return list(session.scalars(select(Document.id).where(Document.workspace_id == workspace_id).limit(limit)))


def delete_documents(session: Session, ids: Sequence[uuid.UUID]) -> None:
    """Delete the documents with all that belongs to them. The workspace's statistics keep counting them: it is not
    searched any more.
    """
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
