"""Events of a query in order, as a progress stream sends and resends them."""

import uuid

from sqlalchemy import ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, CreatedAt, Json, Owned


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
