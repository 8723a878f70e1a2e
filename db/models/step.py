"""What the steps of a query leave: outcomes, whose natural key makes every step idempotent, and events."""

import uuid
from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, CreatedAt, Json, Owned


class StepOutcome(Base):
    """One item of one step of one round. A row without `value` is a lease: a worker holds it until `lease_until`.

    `attempt` fences late writers: only the latest holder may store the value. It begins at a random number, so that a
    claim that a crash of the database undid is not mistaken for the next one. `tries` counts the leases whose end is
    unknown; one that was handed back has no `worker` and does not count. `launch` is that of the holder. An item that
    crashed its worker too often is parked.
    """

    __tablename__ = "step_outcomes"
    __table_args__ = (
        Index("ix_step_outcomes_running", "lease_until", postgresql_where="value IS NULL"),
        Index("ix_step_outcomes_parked", "parked_at", postgresql_where="parked_at IS NOT NULL"),
    )

    query_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[Owned]
    round: Mapped[int] = mapped_column(primary_key=True)
    step: Mapped[str] = mapped_column(primary_key=True)
    item: Mapped[str] = mapped_column(primary_key=True)
    attempt: Mapped[int] = mapped_column(server_default=text("CAST(floor(random() * 2147483) AS int) * 1000 + 1"))
    worker: Mapped[str]
    lease_until: Mapped[datetime]
    value: Mapped[Json | None]
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]
    launch: Mapped[int] = mapped_column(server_default="0")
    tries: Mapped[int] = mapped_column(server_default="0")
    parked_at: Mapped[datetime | None]
    parked_reason: Mapped[str | None]


class Event(Base):
    """Append-only. `seq` counts the events of one query from 1 without gaps, in the order of their commits."""

    __tablename__ = "events"
    __table_args__ = (
        UniqueConstraint("query_id", "seq"),
        # Drafts are deleted soon, so this index stays small.
        Index("ix_events_drafts", "created_at", postgresql_where=text("type = 'draft'")),
    )

    id: Mapped[BigId]
    tenant_id: Mapped[Owned]
    query_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"))
    seq: Mapped[int]
    type: Mapped[str]
    data: Mapped[Json]
    created_at: Mapped[CreatedAt]
