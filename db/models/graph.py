"""The knowledge graph (S5.1): entities and relations of a workspace, and the chunks that mention them.

The mentions record what the chunks state; entities and relations are merged from them, and are deleted with the last
chunk that mentions them.
"""

import uuid
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import ForeignKey, Numeric, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, Owned


class GraphStatus(StrEnum):
    """Progress of a document's graph; a document without a row was never queued for one."""

    QUEUED = "queued"
    BUILDING = "building"
    READY = "ready"
    FAILED = "failed"


class DocumentGraph(Base):
    """The progress of a document's graph: `done` chunks are read, `failed` of them without a usable reply. `attempt`
    fences late workers; `idle` counts the attempts since a chunk was last stored. The sums cover all model calls made
    for the document."""

    __tablename__ = "document_graphs"

    document_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[Owned]
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), index=True)
    status: Mapped[str] = mapped_column(server_default=GraphStatus.QUEUED, index=True)
    done: Mapped[int] = mapped_column(server_default="0")
    failed: Mapped[int] = mapped_column(server_default="0")
    reason: Mapped[str | None]
    attempt: Mapped[int] = mapped_column(server_default="0")
    idle: Mapped[int] = mapped_column(server_default="0")
    lease_until: Mapped[datetime | None]
    llm_calls: Mapped[int] = mapped_column(server_default="0")
    prompt_tokens: Mapped[int] = mapped_column(server_default="0")
    completion_tokens: Mapped[int] = mapped_column(server_default="0")
    cost_usd: Mapped[Decimal] = mapped_column(Numeric(14, 9), server_default="0")
    progress_at: Mapped[datetime] = mapped_column(server_default=func.now())


class GraphChunk(Base):
    """A chunk that was read, even if nothing was found in it: a model call is never paid for twice."""

    __tablename__ = "graph_chunks"

    chunk_id: Mapped[int] = mapped_column(ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[Owned]
    document_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), index=True)
    error: Mapped[str | None]


class Entity(Base):
    """An entity; `key` is common to all its spellings. `mentions` chunks name it; the description is merged from
    `merged` of them.

    The vector comes from `embedding_model` and has its dimension; null until the first merge.
    """

    __tablename__ = "entities"
    __table_args__ = (UniqueConstraint("workspace_id", "key"),)

    id: Mapped[BigId]
    tenant_id: Mapped[Owned]
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    key: Mapped[str]
    name: Mapped[str]
    type: Mapped[str]
    description: Mapped[str]
    mentions: Mapped[int]
    merged: Mapped[int] = mapped_column(server_default="0")
    embedding: Mapped[list[float] | None] = mapped_column(HALFVEC(), deferred=True)
    embedding_model: Mapped[str | None]


class Relation(Base):
    """Two entities, `source_id` < `target_id`; `mentions`, its weight, is the number of chunks that connect them."""

    __tablename__ = "relations"
    __table_args__ = (UniqueConstraint("source_id", "target_id"),)

    id: Mapped[BigId]
    tenant_id: Mapped[Owned]
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), index=True)
    source_id: Mapped[int] = mapped_column(ForeignKey("entities.id", ondelete="CASCADE"))
    target_id: Mapped[int] = mapped_column(ForeignKey("entities.id", ondelete="CASCADE"), index=True)
    keywords: Mapped[str]
    description: Mapped[str]
    mentions: Mapped[int]
    merged: Mapped[int] = mapped_column(server_default="0")
    embedding: Mapped[list[float] | None] = mapped_column(HALFVEC(), deferred=True)
    embedding_model: Mapped[str | None]


class EntityChunk(Base):
    """A chunk's mention of an entity."""

    __tablename__ = "entity_chunks"

    entity_id: Mapped[int] = mapped_column(ForeignKey("entities.id", ondelete="CASCADE"), primary_key=True)
    chunk_id: Mapped[int] = mapped_column(ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True, index=True)
    tenant_id: Mapped[Owned]
    name: Mapped[str]
    type: Mapped[str]
    description: Mapped[str]


class RelationChunk(Base):
    """A chunk's mention of two entities together."""

    __tablename__ = "relation_chunks"

    relation_id: Mapped[int] = mapped_column(ForeignKey("relations.id", ondelete="CASCADE"), primary_key=True)
    chunk_id: Mapped[int] = mapped_column(ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True, index=True)
    tenant_id: Mapped[Owned]
    keywords: Mapped[str]
    description: Mapped[str]
