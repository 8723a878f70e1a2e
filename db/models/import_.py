"""Imports: archives of documents, unpacked by a worker (N3)."""

import uuid
from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, func
from sqlalchemy.orm import Mapped, mapped_column

from db.base import TENANT_DEFAULT, Base, CreatedAt, Json, Owned


class ImportStatus(StrEnum):
    """States of an import; it is `finished` when all its documents are."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"


class Import(Base):
    """An archive; each of its documents gets `details`.

    `total` is the number of its files, known once it was opened; `unpacked_at` means that each of them has a member
    row. `attempt` fences workers; `strikes` counts attempts that made no progress.
    """

    __tablename__ = "imports"
    __table_args__ = (Index("ix_imports_tenant_id_created_at_id", "tenant_id", "created_at", "id"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    tenant_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("tenants.id", ondelete="CASCADE"), server_default=TENANT_DEFAULT
    )
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), index=True)
    filename: Mapped[str]
    sha256: Mapped[str]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    source: Mapped[str]
    details: Mapped[Json] = mapped_column("metadata")
    status: Mapped[str] = mapped_column(server_default=ImportStatus.QUEUED, index=True)
    total: Mapped[int | None]
    error: Mapped[Json | None]
    attempt: Mapped[int] = mapped_column(server_default="0")
    strikes: Mapped[int] = mapped_column(server_default="0")
    lease_until: Mapped[datetime | None]
    created_at: Mapped[CreatedAt]
    progress_at: Mapped[datetime] = mapped_column(server_default=func.now())
    unpacked_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class ImportPart(Base):
    """A piece of the archive, which is never in memory as a whole. The pieces are deleted after unpacking."""

    __tablename__ = "import_parts"

    import_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("imports.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    tenant_id: Mapped[Owned]
    content: Mapped[bytes] = mapped_column(LargeBinary)


class ImportMember(Base):
    """The outcome for file `position` of the archive: a document, or the reason why there is none (`code`,
    `message`).
    """

    __tablename__ = "import_members"

    import_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("imports.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    tenant_id: Mapped[Owned]
    name: Mapped[str]
    document_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("documents.id", ondelete="SET NULL"), index=True)
    code: Mapped[str | None]
    message: Mapped[str | None]
