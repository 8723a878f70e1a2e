"""Queries: what was asked, with which settings, and how far it has come."""

import uuid
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CreatedAt, Json


class QueryStatus(StrEnum):
    """`succeeded`, `failed` and `cancelled` are final."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Query(Base):
    """`options` is the snapshot of every setting that shapes the result: workers read it, never their own settings.

    `launch` counts how often the canvas was started; messages of an older launch are ignored. `round` counts
    corrective rounds.
    """

    __tablename__ = "queries"
    __table_args__ = (Index("ix_queries_unfinished", "progress_at", postgresql_where="finished_at IS NULL"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), index=True)
    question: Mapped[str]
    mode: Mapped[str]
    provider: Mapped[str]
    options: Mapped[Json]
    status: Mapped[str] = mapped_column(server_default=QueryStatus.QUEUED)
    stage: Mapped[str] = mapped_column(server_default="queued")
    round: Mapped[int] = mapped_column(server_default="0")
    launch: Mapped[int] = mapped_column(server_default="0")
    error: Mapped[Json | None]
    created_at: Mapped[CreatedAt] = mapped_column(index=True)
    started_at: Mapped[datetime | None]
    progress_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]
