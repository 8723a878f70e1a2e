"""Tenants, and their workspaces (S2.5), API keys (A8) and idempotency keys (A3)."""

import uuid
from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import TENANT_DEFAULT, Base, BigId, CreatedAt, Json, OwnedKey

DEFAULT_TENANT = 1
"""The tenant of an installation without keys; the migrations create it."""


class Tenant(Base):
    """A tenant; `callback_secret` signs deliveries to the callback URLs of single requests.

    While both have queries waiting, a tenant with `weight` 2 runs twice as many as one with weight 1. `read_at` is when
    one of its documents was last admitted to be read: tenants take turns.
    """

    __tablename__ = "tenants"
    __table_args__ = (CheckConstraint("weight > 0", name="weight"),)

    id: Mapped[BigId]
    name: Mapped[str] = mapped_column(unique=True)
    callback_secret: Mapped[str]
    weight: Mapped[float] = mapped_column(server_default="1")
    read_at: Mapped[datetime | None]
    created_at: Mapped[CreatedAt]


class Workspace(Base):
    """A named collection, searched in one vector space once it has vectors. The counts serve lexical search.

    `settings` are defaults of its questions (domain.query.options). From `deleting_at` on it accepts nothing, and a
    worker deletes it with all its content.
    """

    __tablename__ = "workspaces"
    __table_args__ = (UniqueConstraint("tenant_id", "name"),)

    id: Mapped[BigId]
    tenant_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("tenants.id", ondelete="CASCADE"), server_default=TENANT_DEFAULT
    )
    name: Mapped[str]
    title: Mapped[str | None]
    settings: Mapped[Json] = mapped_column(server_default="{}")
    deleting_at: Mapped[datetime | None]
    next_document_number: Mapped[int] = mapped_column(server_default="0")
    space_id: Mapped[int | None] = mapped_column(ForeignKey("embedding_spaces.id"))
    chunk_count: Mapped[int] = mapped_column(server_default="0")
    lexeme_count: Mapped[int] = mapped_column(BigInteger, server_default="0")
    created_at: Mapped[CreatedAt]


class ApiKey(Base):
    """An API key; `id` is its public part. Only the SHA-256 of the whole key is stored, so the key can be shown only
    once.

    `limited_to` has the ids of the workspaces that the key opens; None means all. A key with a `person_id` is that
    person's own.
    """

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(primary_key=True)
    tenant_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("tenants.id", ondelete="CASCADE"), server_default=TENANT_DEFAULT, index=True
    )
    person_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("persons.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    digest: Mapped[str]
    scopes: Mapped[list[str]]
    limited_to: Mapped[list[int] | None]
    requests_per_minute: Mapped[int | None]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    created_at: Mapped[CreatedAt]


class IdempotencyKey(Base):
    """An idempotency key, written in the transaction that accepts the work. `fingerprint` is the SHA-256 of the
    request's path and body, `resource_id` the query or batch that the request created, from which the first response
    can be rebuilt."""

    __tablename__ = "idempotency_keys"

    tenant_id: Mapped[OwnedKey]
    key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[str]
    resource_id: Mapped[uuid.UUID]
    created_at: Mapped[CreatedAt] = mapped_column(index=True)
