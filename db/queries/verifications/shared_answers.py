"""Links that open an answer without a key."""

import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from db.models import SharedAnswer
from domain.errors.missing import ShareNotFound


class OpenLink(NamedTuple):
    """A link that is valid now, by the database's clock."""

    tenant_id: int
    query_id: uuid.UUID
    digest: str


def add_link(session: Session, query_id: uuid.UUID, link_id: uuid.UUID, *, digest: str, hours: float) -> SharedAnswer:
    row = SharedAnswer(id=link_id, query_id=query_id, digest=digest, expires_at=func.now() + timedelta(hours=hours))
    session.add(row)
    session.flush()
    session.refresh(row)
    return row


def list_links(session: Session, query_id: uuid.UUID) -> Sequence[SharedAnswer]:
    newest = SharedAnswer.created_at.desc(), SharedAnswer.id
    return session.scalars(select(SharedAnswer).where(SharedAnswer.query_id == query_id).order_by(*newest)).all()


def revoke_link(session: Session, query_id: uuid.UUID, link_id: uuid.UUID) -> None:
    link = session.scalar(
        update(SharedAnswer)
        .where(SharedAnswer.id == link_id, SharedAnswer.query_id == query_id)
        .values(revoked_at=func.coalesce(SharedAnswer.revoked_at, func.now()))
        .returning(SharedAnswer.id)
    )
    if link is None:
        raise ShareNotFound(f"The question has no link {link_id}.")


def find_open_link(session: Session, link_id: uuid.UUID) -> OpenLink | None:
    """Return the link, of any tenant; None when there is none, or when it has expired or was revoked."""
    is_open = SharedAnswer.revoked_at.is_(None), SharedAnswer.expires_at > func.now()
    row = session.scalar(select(SharedAnswer).where(SharedAnswer.id == link_id, *is_open))
    return None if row is None else OpenLink(row.tenant_id, row.query_id, row.digest)
