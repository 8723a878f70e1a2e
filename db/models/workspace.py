"""Workspaces keep collections of documents apart (S2.5)."""

from sqlalchemy import BigInteger, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import TENANT_DEFAULT, Base, BigId, CreatedAt


class Workspace(Base):
    """A named collection, searched in one vector space once it has vectors. The counts serve lexical search."""

    __tablename__ = "workspaces"
    __table_args__ = (UniqueConstraint("tenant_id", "name"),)

    id: Mapped[BigId]
    tenant_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("tenants.id", ondelete="CASCADE"), server_default=TENANT_DEFAULT
    )
    name: Mapped[str]
    next_document_number: Mapped[int] = mapped_column(server_default="0")
    space_id: Mapped[int | None] = mapped_column(ForeignKey("embedding_spaces.id"))
    chunk_count: Mapped[int] = mapped_column(server_default="0")
    lexeme_count: Mapped[int] = mapped_column(BigInteger, server_default="0")
    created_at: Mapped[CreatedAt]
