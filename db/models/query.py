"""Queries: the question, its options and its progress, and what its steps leave: outcomes, whose natural key makes
every step idempotent, and events.
"""

import uuid
from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint, false, func, text, true
from sqlalchemy import text as sql_text
from sqlalchemy.orm import Mapped, mapped_column

from db.base import TENANT_DEFAULT, Base, BigId, CreatedAt, Json, Owned


class QueryStatus(StrEnum):
    """States of a query. `succeeded`, `failed` and `cancelled` are final; `held` is an answer that waits for a
    reviewer's decision."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    HELD = "held"


class QueryKind(StrEnum):
    """`answer`: a question about the documents. `verification`: an answer and its sources, given by the request
    (N2).
    """

    ANSWER = "answer"
    VERIFICATION = "verification"


class Query(Base):
    """A query. `options` is the snapshot of every setting that shapes the result: workers read it, never their own
    settings.

    `launch` counts how often the canvas was started; messages of an older launch are ignored. `round` counts corrective
    rounds. `event_seq` is the number of its last event. A verification (N2) has its sources in `given_sources`; as part
    of a batch it has a `batch_id`, its `position` there and the submitter's `custom_id`. `replay_of` is the query that
    this one retries, `reverifies` the one whose answer it verifies again (N6). `replies_erased_at` is when the raw
    replies of its model calls were erased. `traceparent` comes from the request; the steps continue its trace.
    `is_thread`: the query is a thread of its own; one that was asked in a conversation is not, even after the
    conversation was deleted. `is_scripted`: no person waits for it, so the tenant's interactive queries go first;
    `asked_by` is the person (`person:` and an id) or the API key of the request, None without either.

    `review` is the state of the answer's review: `queued`, `held`, `released`, `corrected`, `rejected`; None: no
    review.

    `stage`, `round`, `event_seq` and `progress_at` change often while the query runs, so no index may cover them:
    Postgres can then update the row in place (HOT), for which each page keeps space (`fillfactor`).
    """

    __tablename__ = "queries"
    __table_args__ = (
        Index("ix_queries_open", "created_at", postgresql_where=sql_text("finished_at IS NULL")),
        Index(None, "tenant_id", "created_at", "id"),
        # Lists read from the newest row, however few of the other rows match.
        Index(None, "tenant_id", "kind", "created_at", "id"),
        Index(None, "workspace_id", "kind", "created_at", "id"),
        Index(
            "ix_queries_unlucky",
            "tenant_id",
            "status",
            "created_at",
            "id",
            postgresql_where=sql_text("status IN ('failed', 'cancelled')"),
        ),
        Index(
            "ix_queries_threads",
            "tenant_id",
            "created_at",
            "id",
            postgresql_where=sql_text("is_thread AND kind = 'answer'"),
        ),
        UniqueConstraint("batch_id", "position"),
        Index("ix_queries_replay_of", "replay_of", postgresql_where=sql_text("replay_of IS NOT NULL")),
        # Admission (db.queries.admission.admission) reads these indexes, which stay small however many queries have
        # ended.
        Index("ix_queries_running", "tenant_id", "batch_id", postgresql_where=sql_text("status = 'running'")),
        Index(
            "ix_queries_waiting",
            "tenant_id",
            "created_at",
            "id",
            postgresql_where=sql_text("status = 'queued' AND batch_id IS NULL"),
        ),
        Index(
            "ix_queries_waiting_items",
            "tenant_id",
            "batch_id",
            "position",
            postgresql_where=sql_text("status = 'queued' AND batch_id IS NOT NULL"),
        ),
        Index(
            "ix_queries_waiting_models",
            sql_text("((coalesce(options ->> 'model', '') || ' ') || coalesce(options ->> 'model_choice', ''))"),
            postgresql_where=sql_text("status = 'queued' AND batch_id IS NULL"),
        ),
        Index(
            "ix_queries_waiting_people",
            "tenant_id",
            "created_at",
            "id",
            postgresql_where=sql_text("status = 'queued' AND batch_id IS NULL AND NOT is_scripted"),
        ),
        Index("ix_queries_reverifies", "reverifies", postgresql_where=sql_text("reverifies IS NOT NULL")),
        Index(
            "ix_queries_erasable",
            "finished_at",
            postgresql_where=sql_text("finished_at IS NOT NULL AND replies_erased_at IS NULL"),
        ),
        Index("ix_queries_finished_at", "finished_at", postgresql_where=sql_text("finished_at IS NOT NULL")),
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
    traceparent: Mapped[str | None]
    replay_of: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("queries.id", ondelete="SET NULL"))
    reverifies: Mapped[uuid.UUID | None]
    replies_erased_at: Mapped[datetime | None]
    is_scripted: Mapped[bool] = mapped_column(server_default=false())
    asked_by: Mapped[str | None]
    is_thread: Mapped[bool] = mapped_column(server_default=true())
    review: Mapped[str | None]


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
