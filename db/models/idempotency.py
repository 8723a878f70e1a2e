"""Idempotency keys: the first response to a request, for whoever repeats it (A3)."""

import uuid

from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CreatedAt, Json, OwnedKey


class IdempotencyKey(Base):
    """Written in the transaction that accepts the work; `fingerprint` is the SHA-256 of the request's method, path and
    body."""

    __tablename__ = "idempotency_keys"

    tenant_id: Mapped[OwnedKey]
    key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[str]
    resource_id: Mapped[uuid.UUID]
    status_code: Mapped[int]
    response: Mapped[Json]
    created_at: Mapped[CreatedAt] = mapped_column(index=True)
