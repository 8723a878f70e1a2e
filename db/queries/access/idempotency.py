"""Idempotency keys: the first request with a key creates a resource, later ones get the same resource."""

import uuid
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from db.models import IdempotencyKey
from domain.errors.requests import IdempotencyKeyReused

KEPT_FOR = timedelta(hours=24)


class Repeatable(NamedTuple):
    """A request that may be sent twice: its Idempotency-Key, and the SHA-256 of its path and body."""

    key: str
    fingerprint: str


def reserve_key(session: Session, request: Repeatable, resource_id: uuid.UUID) -> uuid.UUID:
    """Return `resource_id` if this is the first request with its key, else the resource of the first one.

    Call it in the transaction that creates the resource: a second request waits here until the first is committed. Call
    it after checking which resources the caller may use, because the first request may have been sent with another API
    key. Raises IdempotencyKeyReused when the first one had another path or body.
    """
    first = session.scalar(
        insert(IdempotencyKey)
        .values(key=request.key, fingerprint=request.fingerprint, resource_id=resource_id)
        .on_conflict_do_nothing()
        .returning(IdempotencyKey.resource_id)
    )
    if first is not None:
        return first
    return find_reserved(session, request) or resource_id


def find_reserved(session: Session, request: Repeatable) -> uuid.UUID | None:
    """Return the resource of an earlier request with this key, if there was one; for callers that may use that
    resource.

    Raises IdempotencyKeyReused.
    """
    earlier = session.scalars(select(IdempotencyKey).where(IdempotencyKey.key == request.key)).one_or_none()
    if earlier is None:
        return None
    if earlier.fingerprint != request.fingerprint:
        raise IdempotencyKeyReused
    return earlier.resource_id


def delete_old_keys(session: Session) -> None:
    session.execute(delete(IdempotencyKey).where(IdempotencyKey.created_at < func.now() - KEPT_FOR))
