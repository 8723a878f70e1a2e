"""Webhooks: subscriptions, messages, and every delivery attempt (A6)."""

import uuid
from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from db.base import TENANT_DEFAULT, Base, BigId, CreatedAt, Owned


class EndpointStatus(StrEnum):
    """A disabled endpoint receives nothing until it is enabled again."""

    ACTIVE = "active"
    DISABLED = "disabled"


class DeliveryStatus(StrEnum):
    """States of a delivery. All but `pending` are final; redelivery creates a new row."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    CANCELLED = "cancelled"


class WebhookEndpoint(Base):
    """A registered receiver. `events` are filters such as `query.*`; `secrets` sign, the newest first.

    `failing_since` is the time of the first failed attempt after the last success.
    """

    __tablename__ = "webhook_endpoints"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    tenant_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("tenants.id", ondelete="CASCADE"), server_default=TENANT_DEFAULT, index=True
    )
    url: Mapped[str]
    description: Mapped[str] = mapped_column(server_default="")
    events: Mapped[list[str]]
    secrets: Mapped[list[str]]
    status: Mapped[str] = mapped_column(server_default=EndpointStatus.ACTIVE)
    disabled_reason: Mapped[str | None]
    failing_since: Mapped[datetime | None]
    created_at: Mapped[CreatedAt]


class WebhookMessage(Base):
    """An event as it is sent: `payload` is the exact body, and `id` is the same for every attempt and receiver."""

    __tablename__ = "webhook_messages"

    id: Mapped[str] = mapped_column(primary_key=True)
    tenant_id: Mapped[Owned]
    type: Mapped[str]
    payload: Mapped[str]
    query_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"), index=True)
    traceparent: Mapped[str | None]
    created_at: Mapped[CreatedAt] = mapped_column(index=True)


class WebhookDelivery(Base):
    """One message for one receiver: a registered endpoint, or the callback URL of a request (no `endpoint_id`).

    Limits on deliveries in flight apply per `destination`: the endpoint, or the callback's scheme and host.
    `lease_until` is set while a process is sending.
    """

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        Index("ix_webhook_deliveries_due", "next_attempt_at", postgresql_where="status = 'pending'"),
        Index("ix_webhook_deliveries_destination", "destination", postgresql_where="status = 'pending'"),
        Index(None, "endpoint_id", "created_at"),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    tenant_id: Mapped[Owned]
    message_id: Mapped[str] = mapped_column(ForeignKey("webhook_messages.id", ondelete="CASCADE"), index=True)
    endpoint_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("webhook_endpoints.id", ondelete="CASCADE"))
    url: Mapped[str]
    destination: Mapped[str]
    status: Mapped[str] = mapped_column(server_default=DeliveryStatus.PENDING)
    attempts: Mapped[int] = mapped_column(server_default="0")
    next_attempt_at: Mapped[datetime] = mapped_column(server_default=func.now())
    lease_until: Mapped[datetime | None]
    error: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    finished_at: Mapped[datetime | None]


class WebhookAttempt(Base):
    """One attempt: the receiver's response, or the error. Append-only; `response_excerpt` is its first 2 KB."""

    __tablename__ = "webhook_attempts"
    __table_args__ = (Index(None, "delivery_id", "number"),)

    id: Mapped[BigId]
    tenant_id: Mapped[Owned]
    delivery_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("webhook_deliveries.id", ondelete="CASCADE"))
    number: Mapped[int]
    status_code: Mapped[int | None]
    error: Mapped[str | None]
    address: Mapped[str | None]
    duration_ms: Mapped[float]
    response_excerpt: Mapped[str | None]
    created_at: Mapped[CreatedAt]
