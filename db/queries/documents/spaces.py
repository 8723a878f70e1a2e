"""Embedding spaces: vectors that can be compared, and the space that each workspace is searched in."""

from dataclasses import dataclass

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from db.models import EmbeddingSpace, Workspace
from domain.errors import EmbeddingRejected, WorkspaceNotFound

MAX_DIMENSION = 4000
"""Limit of an HNSW index on half-precision vectors."""


@dataclass(frozen=True, slots=True)
class Space:
    """Vectors of one model."""

    id: int
    model: str
    dimension: int


def get_or_add_space(session: Session, model: str, dimension: int) -> Space:
    """The space of these vectors, created if missing; safe under concurrent first use. Raises EmbeddingRejected."""
    if dimension > MAX_DIMENSION:
        raise EmbeddingRejected(
            f"{model} makes vectors of {dimension} components, and no more than {MAX_DIMENSION} can be indexed; "
            "set embeddings.dimension if the model can shorten them, or use another model."
        )
    space = _find(session, model, dimension)
    if space is None:
        session.execute(insert(EmbeddingSpace).values(model=model, dimension=dimension).on_conflict_do_nothing())
        space = _find(session, model, dimension)
    if space is None:
        raise LookupError(model)
    return space


def space_of(session: Session, workspace_id: int) -> Space | None:
    """The space that the workspace is searched in; None before its first document. Raises WorkspaceNotFound.

    Code that stores vectors in it locks the workspace first (workspaces.lock_workspace), which keeps it from changing.
    """
    columns = (EmbeddingSpace.id, EmbeddingSpace.model, EmbeddingSpace.dimension)
    spaces = select(*columns).select_from(Workspace).outerjoin(EmbeddingSpace, EmbeddingSpace.id == Workspace.space_id)
    row = session.execute(spaces.where(Workspace.id == workspace_id)).one_or_none()
    if row is None:
        raise WorkspaceNotFound
    return None if row.id is None else Space(*row)


def find_space(session: Session, workspace_id: int) -> Space | None:
    try:
        return space_of(session, workspace_id)
    except WorkspaceNotFound:
        return None


def count_workspaces(session: Session) -> list[tuple[Space, int]]:
    """The spaces that workspaces are searched in, and how many."""
    columns = (EmbeddingSpace.id, EmbeddingSpace.model, EmbeddingSpace.dimension)
    counted = select(*columns, func.count()).join(Workspace, Workspace.space_id == EmbeddingSpace.id)
    rows = session.execute(counted.group_by(*columns).order_by(EmbeddingSpace.id))
    return [(Space(*row[:3]), row[3]) for row in rows]


def assign_space(session: Session, workspace_id: int, space: Space) -> Space:
    """The workspace's space, set to `space` if it had none."""
    session.execute(
        update(Workspace).where(Workspace.id == workspace_id, Workspace.space_id.is_(None)).values(space_id=space.id)
    )
    return space_of(session, workspace_id) or space


def switch_space(session: Session, workspace_id: int, space: Space) -> None:
    session.execute(update(Workspace).where(Workspace.id == workspace_id).values(space_id=space.id))


def _find(session: Session, model: str, dimension: int) -> Space | None:
    row = session.scalar(
        select(EmbeddingSpace).where(EmbeddingSpace.model == model, EmbeddingSpace.dimension == dimension)
    )
    return row and Space(row.id, row.model, row.dimension)
