"""Queries: what was asked, with which settings, and how far it has come."""

import uuid
from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from db.base import TENANT_DEFAULT, Base, CreatedAt, Json


class QueryStatus(StrEnum):
    """`succeeded`, `failed` and `cancelled` are final."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class QueryKind(StrEnum):
    """`answer`: a question to the documents. `verification`: an answer and its sources, given by the request (N2)."""

    ANSWER = "answer"
    VERIFICATION = "verification"


class Query(Base):
    """`options` is the snapshot of every setting that shapes the result: workers read it, never their own settings.

    `launch` counts how often the canvas was started; messages of an older launch are ignored. `round` counts
    corrective rounds. `event_seq` is the number of its last event. A verification (N2) has its sources in
    `given_sources`; as part of a batch it has a `batch_id`, its `position` there and the submitter's `custom_id`.
    """

    __tablename__ = "queries"
    __table_args__ = (
        Index("ix_queries_unfinished", "progress_at", postgresql_where="finished_at IS NULL"),
        Index(None, "tenant_id", "created_at", "id"),
        UniqueConstraint("batch_id", "position"),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    tenant_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("tenants.id", ondelete="CASCADE"), server_default=TENANT_DEFAULT
    )
    kind: Mapped[str] = mapped_column(server_default=QueryKind.ANSWER)
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), index=True)
    question: Mapped[str]
    mode: Mapped[str]
    provider: Mapped[str]
    options: Mapped[Json]
    status: Mapped[str] = mapped_column(server_default=QueryStatus.QUEUED)
    stage: Mapped[str] = mapped_column(server_default="queued")
    round: Mapped[int] = mapped_column(server_default="0")
    launch: Mapped[int] = mapped_column(server_default="0")
    event_seq: Mapped[int] = mapped_column(server_default="0")
    error: Mapped[Json | None]
    callback_url: Mapped[str | None]
    batch_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("batches.id", ondelete="CASCADE"))
    position: Mapped[int | None]
    custom_id: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    started_at: Mapped[datetime | None]
    progress_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]
