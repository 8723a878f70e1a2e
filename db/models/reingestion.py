"""Documents that are read again: for boxes, tables and passages that an earlier version did not make."""

import uuid

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CreatedAt, Json, Owned


class Reingestion(Base):
    """`total` documents matching `filter` were queued; of those, `unchanged` gave what is stored and got no version."""

    __tablename__ = "reingestions"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    tenant_id: Mapped[Owned]
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), index=True)
    filter: Mapped[Json]
    total: Mapped[int] = mapped_column(server_default="0")
    unchanged: Mapped[int] = mapped_column(server_default="0")
    created_at: Mapped[CreatedAt]


class ReingestedDocument(Base):
    """A version that is or was read from the file of `of_document`, which it replaces only if it differs."""

    __tablename__ = "reingested_documents"

    document_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[Owned]
    reingestion_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("reingestions.id", ondelete="CASCADE"), index=True)
    of_document: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("documents.id", ondelete="SET NULL"), index=True)
