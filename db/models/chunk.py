"""Chunks, which are embedded, searched and cited; their vectors; and the number of chunks with each lexeme."""

import uuid

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import BigInteger, ForeignKey, Identity, Index, LargeBinary, UniqueConstraint, literal_column, text
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, Owned

WHEEL_SPACE = 1
"""The space of the built-in model; the migrations create it with its index."""

_HALVED = literal_column("(embedding::halfvec(512))", HALFVEC(512)).label("halved")


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
    """The vector of a chunk in half precision, apart from the chunk: during re-embedding it has vectors in several
    spaces. `sha256` is of exactly the text that was embedded. `excluded` is the chunk's, so that a search by vectors
    need not read the chunks.

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
