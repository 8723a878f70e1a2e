"""Vectors of chunks, apart from the chunks: during re-embedding a chunk has vectors in several spaces."""

import uuid

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import BigInteger, ForeignKey, Identity, Index, LargeBinary, UniqueConstraint, literal_column, text
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, Owned

WHEEL_SPACE = 1
"""The space of the built-in model; the migrations create it with its index."""

_HALVED = literal_column("(embedding::halfvec(512))", HALFVEC(512)).label("halved")


class EmbeddingSpace(Base):
    """A space of vectors of one model, since only these can be compared. Belongs to the installation, not to a
    tenant.
    """

    __tablename__ = "embedding_spaces"
    __table_args__ = (UniqueConstraint("model", "dimension"),)

    id: Mapped[int] = mapped_column(Identity(), primary_key=True)
    model: Mapped[str]
    dimension: Mapped[int]


class ChunkVector(Base):
    """The vector of a chunk in half precision; `sha256` is of exactly the text that was embedded. `excluded` is the
    chunk's, so that a search by vectors need not read the chunks.

    The column has no fixed dimension, so every space has an index of its own (db.indexes): on the vector cast to the
    space's dimension, over the rows of the space.
    """

    __tablename__ = "chunk_vectors"
    __table_args__ = (
        # Chunks of a workspace or a document, for exact search and to find chunks without a vector.
        Index("ix_chunk_vectors_workspace_id", "workspace_id", "space_id", "document_id"),
        # Finds vectors of identical texts.
        Index("ix_chunk_vectors_sha256", "tenant_id", "space_id", "sha256"),
        Index(
            "ix_chunk_vectors_space_1",
            _HALVED,
            postgresql_using="hnsw",
            postgresql_ops={"halved": "halfvec_cosine_ops"},
            postgresql_where=text("space_id = 1"),
        ),
    )

    chunk_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True)
    space_id: Mapped[int] = mapped_column(ForeignKey("embedding_spaces.id"), primary_key=True)
    tenant_id: Mapped[Owned]
    workspace_id: Mapped[int] = mapped_column(BigInteger)
    document_id: Mapped[uuid.UUID]
    sha256: Mapped[bytes] = mapped_column(LargeBinary)
    embedding: Mapped[list[float]] = mapped_column(HALFVEC())
    excluded: Mapped[bool] = mapped_column(server_default="false")
