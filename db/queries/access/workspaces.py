"""Workspaces: found by name, created on first use."""

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from db.models import Tenant, Workspace
from db.session import is_limited, may_create_workspaces
from domain.errors import WorkspaceDeleting, WorkspaceForbidden, WorkspaceNotFound
from domain.query.workspaces import workspace_name


def get_workspace(session: Session, name: str) -> Workspace:
    """Raise WorkspaceNotFound when there is none of that name; WorkspaceForbidden when the transaction is limited to
    others, whether or not there is one."""
    workspace = _find(session, name)
    if workspace is not None:
        return workspace
    if is_limited():
        names = ", ".join(workspace.name for workspace in list_workspaces(session)) or "none that still exists"
        raise WorkspaceForbidden(f"The workspace {name!r} is not open to you for this; these are: {names}.")
    raise WorkspaceNotFound(f"There is no workspace {name!r}; create it, or ingest a document into it.")


def require_access(session: Session, names: Iterable[str]) -> None:
    """Raise WorkspaceForbidden for a name that the transaction may not use, and nothing for one that is missing.

    For requests that are answered without the work that would check it, such as repeated ones.
    """
    if is_limited():
        for name in names:
            get_workspace(session, name)


def get_open_workspace(session: Session, name: str) -> Workspace:
    """Like `get_workspace`, for work that is to begin in it. Also raises WorkspaceDeleting."""
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
    """The workspace `name`, created if missing; safe under concurrent first use.

    Raises WorkspaceNameInvalid for a new one, WorkspaceDeleting, WorkspaceForbidden.
    """
    if _find(session, name) is None and may_create_workspaces():
        session.execute(insert(Workspace).values(name=workspace_name(name)).on_conflict_do_nothing())
    return get_open_workspace(session, name)


def get_or_add_workspaces(session: Session, names: Iterable[str]) -> dict[str, int]:
    """The ids of workspaces by name, created if missing. Raises as `get_or_add_workspace`.

    For a short transaction of its own: others that create one of them wait until it ends.
    """
    # One order for all creators, so that two with overlapping names do not deadlock.
    return {name: get_or_add_workspace(session, name).id for name in sorted(set(names))}


def add_workspace(session: Session, name: str, **values: object) -> bool:
    """Add a workspace with `values` of its columns; False when there is one of that name."""
    adding = insert(Workspace).values(name=name, **values).on_conflict_do_nothing().returning(Workspace.id)
    return session.scalar(adding) is not None


def change_workspace(session: Session, workspace_id: int, *, name: str, **values: object) -> bool:
    """Set the name and other columns; False when another one has the name."""
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
