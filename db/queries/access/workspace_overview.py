"""Workspaces with the counts of what they contain."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import RowMapping, func, select, true
from sqlalchemy.orm import Session

from db.base import OWN_TENANT
from db.models import Document, DocumentStatus, EmbeddingSpace, Query, QueryKind, Workspace


class Contents(NamedTuple):
    """`documents` counts all versions by status, `size_bytes` their files. `used_at` is when the last document,
    question or verification that it contains was accepted."""

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
    # One subquery per kind: the index on (workspace_id, kind, created_at) then gives the newest at once.
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
