"""Milestones of queries and documents, in order; what a progress stream replays."""

import uuid

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, CreatedAt, Json


class Event(Base):
    """Append-only. `type` is e.g. `stage`, `final`, `failed`."""

    __tablename__ = "events"
    __table_args__ = (Index(None, "query_id", "id"),)

    id: Mapped[BigId]
    query_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"))
    document_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    type: Mapped[str]
    data: Mapped[Json]
    created_at: Mapped[CreatedAt]
