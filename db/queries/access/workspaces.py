"""Workspaces: found by name, created on first use."""

from collections.abc import Iterable

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from db.models import Tenant, Workspace
from domain.errors import WorkspaceNotFound


def get_workspace(session: Session, name: str) -> Workspace:
    """Raise WorkspaceNotFound when nothing was ever ingested under that name."""
    workspace = session.scalar(select(Workspace).where(Workspace.name == name))
    if workspace is None:
        raise WorkspaceNotFound(f"There is no workspace {name!r}; ingest a document into it first.")
    return workspace


def list_workspaces(session: Session) -> list[Workspace]:
    return list(session.scalars(select(Workspace).order_by(Workspace.name)))


def list_workspaces_of(session: Session, tenant: str | None, name: str | None) -> list[Workspace]:
    """The workspaces visible to the transaction, by tenant and name; optionally those of one tenant or name."""
    statement = select(Workspace).join(Tenant, Tenant.id == Workspace.tenant_id)
    if tenant is not None:
        statement = statement.where(Tenant.name == tenant)
    if name is not None:
        statement = statement.where(Workspace.name == name)
    return list(session.scalars(statement.order_by(Tenant.name, Workspace.name)))


def get_or_add_workspace(session: Session, name: str) -> Workspace:
    """The workspace `name`, created if missing; safe under concurrent first use."""
    session.execute(insert(Workspace).values(name=name).on_conflict_do_nothing())
    return get_workspace(session, name)


def get_or_add_workspaces(session: Session, names: Iterable[str]) -> dict[str, int]:
    """The ids of workspaces by name, created if missing.

    For a short transaction of its own: others that create one of them wait until it ends.
    """
    # One order for all creators, so that two with overlapping names do not deadlock.
    wanted = sorted(set(names))
    session.execute(insert(Workspace).on_conflict_do_nothing(), [{"name": name} for name in wanted])
    rows = session.execute(select(Workspace.name, Workspace.id).where(Workspace.name.in_(wanted)))
    return dict(rows.all())


def delete_workspace(session: Session, name: str) -> None:
    """Delete the workspace with its documents and queries; does nothing when there is none."""
    session.execute(delete(Workspace).where(Workspace.name == name))


def allocate_document_number(session: Session, workspace_id: int) -> int:
    """The next number for a document of this workspace: 0, 1, …"""
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
