"""Chunks, which are embedded (db.models.vector), searched and cited; and the number of chunks with each lexeme."""

import uuid

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, Owned


class Chunk(Base):
    """A chunk; its `text` equals the document's text from `start_index` to `end_index` (code points).

    `context` describes where the text belongs: the headings above it, the columns of its table. It is searched with the
    text and shown to models, never cited. `search` has the `length` lexemes of both and of the document's name, with
    their positions (domain.retrieval.lexemes). No search finds an `excluded` chunk; the words of a `corrected` one
    differ from the file.
    """

    __tablename__ = "chunks"
    __table_args__ = (
        UniqueConstraint("document_id", "chunk_index"),
        UniqueConstraint("workspace_id", "chunk_id"),
        Index("ix_chunks_search", "search", postgresql_using="gin"),
    )

    id: Mapped[BigId]
    tenant_id: Mapped[Owned]
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    document_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    chunk_id: Mapped[str]
    chunk_index: Mapped[int]
    page: Mapped[int | None]
    section: Mapped[str | None]
    start_index: Mapped[int]
    end_index: Mapped[int]
    text: Mapped[str]
    sha256: Mapped[str]
    context: Mapped[str | None]
    length: Mapped[int] = mapped_column(server_default="0")
    search: Mapped[str] = mapped_column(TSVECTOR, server_default="", deferred=True)
    excluded: Mapped[bool] = mapped_column(server_default="false")
    corrected: Mapped[bool] = mapped_column(server_default="false")


class Lexeme(Base):
    """The number of passages that contain a lexeme. Passages of superseded versions count until they are deleted,
    because rarity need not be exact."""

    __tablename__ = "lexemes"

    workspace_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("workspaces.id", ondelete="CASCADE"), primary_key=True
    )
    lexeme: Mapped[str] = mapped_column(primary_key=True)
    tenant_id: Mapped[Owned]
    chunks: Mapped[int]
