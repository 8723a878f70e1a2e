"""Idempotency keys: what a request started, for its repetitions (A3)."""

import uuid

from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CreatedAt, OwnedKey


class IdempotencyKey(Base):
    """Written in the transaction that accepts the work. `fingerprint` is the SHA-256 of the request's path and body,
    `resource_id` the query or batch it created, from which the first response can be rebuilt.
    """

    __tablename__ = "idempotency_keys"

    tenant_id: Mapped[OwnedKey]
    key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[str]
    resource_id: Mapped[uuid.UUID]
    created_at: Mapped[CreatedAt] = mapped_column(index=True)
