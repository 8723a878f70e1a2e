"""Sources: the places that documents of a workspace come from, and the items that each of them lists."""

import uuid
from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint, func
from sqlalchemy import text as sql_text
from sqlalchemy.orm import Mapped, mapped_column

from db.base import TENANT_DEFAULT, Base, CreatedAt, Json, Owned


class SourceStatus(StrEnum):
    """States of a source. A paused source does nothing, even when it is due; a source in deletion only deletes its
    documents."""

    ACTIVE = "active"
    PAUSED = "paused"
    DELETING = "deleting"


class SourcePhase(StrEnum):
    """The phases of a run: it lists everything, then fetches what is new or changed."""

    IDLE = "idle"
    LISTING = "listing"
    FETCHING = "fetching"


class ItemOutcome(StrEnum):
    """The outcome of an item in the last run that saw it."""

    PENDING = "pending"
    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"
    GONE = "gone"


class Source(Base):
    """A source. `settings` are those of its kind (domain.documents.sources); `every_s` is null for a source that runs
    only on request.

    `run` numbers the runs. `due_at` is when a worker has to look at the source next, to begin or continue a run; it is
    null while the source waits for a request. `attempt` fences workers; `strikes` counts attempts that made no
    progress. `error` is why the last run failed or is incomplete.
    """

    __tablename__ = "sources"
    __table_args__ = (
        UniqueConstraint("workspace_id", "name"),
        Index("ix_sources_tenant_id_created_at_id", "tenant_id", "created_at", "id"),
        Index("ix_sources_due_at", "due_at", postgresql_where=sql_text("due_at IS NOT NULL")),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    tenant_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("tenants.id", ondelete="CASCADE"), server_default=TENANT_DEFAULT
    )
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    name: Mapped[str]
    kind: Mapped[str]
    location: Mapped[str]
    settings: Mapped[Json]
    every_s: Mapped[int | None]
    status: Mapped[str] = mapped_column(server_default=SourceStatus.ACTIVE)
    phase: Mapped[str] = mapped_column(server_default=SourcePhase.IDLE)
    run: Mapped[int] = mapped_column(server_default="0")
    due_at: Mapped[datetime | None]
    attempt: Mapped[int] = mapped_column(server_default="0")
    strikes: Mapped[int] = mapped_column(server_default="0")
    lease_until: Mapped[datetime | None]
    created_at: Mapped[CreatedAt]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    error: Mapped[Json | None]


class SourceItem(Base):
    """A file, page or entry of a source. `run` is the last run that saw it, `outcome` its outcome there.

    `tag` identifies the item's state without reading the item (times and size, ETag, blob id): the state that was last
    taken; `listed_tag` is the state that was last listed. `depth` counts links from the start.
    """

    __tablename__ = "source_items"
    __table_args__ = (Index(None, "source_id", "run", "outcome"),)

    source_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    tenant_id: Mapped[Owned]
    depth: Mapped[int] = mapped_column(server_default="0")
    run: Mapped[int]
    outcome: Mapped[str]
    listed_tag: Mapped[str | None]
    tag: Mapped[str | None]
    sha256: Mapped[str | None]
    details: Mapped[Json]
    document_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("documents.id", ondelete="SET NULL"), index=True)
    code: Mapped[str | None]
    message: Mapped[str | None]
    seen_at: Mapped[datetime] = mapped_column(server_default=func.now())
    gone_at: Mapped[datetime | None]
