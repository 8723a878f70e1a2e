"""Workspaces keep collections of documents apart (S2.5)."""

from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, CreatedAt


class Workspace(Base):
    """A named collection. All its vectors come from one embedding model."""

    __tablename__ = "workspaces"

    id: Mapped[BigId]
    name: Mapped[str] = mapped_column(unique=True)
    next_document_number: Mapped[int] = mapped_column(server_default="0")
    embedding_model: Mapped[str | None]
    embedding_dimension: Mapped[int | None]
    created_at: Mapped[CreatedAt]
