"""the knowledge graph"""

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import HALFVEC

from migrations.tenancy import OWNER, isolate

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_TABLES = ("document_graphs", "graph_chunks", "entities", "relations", "entity_chunks", "relation_chunks")


def _owner() -> sa.Column[int]:
    return sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False)


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False)


def _number(name: str, default: str | None = "0") -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), server_default=default, nullable=False)


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(), nullable=nullable)


def _belongs(table: str, column: str, parent: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{parent}.id"], name=f"fk_{table}_{column}", ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "document_graphs",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        _owner(),
        sa.Column("workspace_id", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(), server_default="queued", nullable=False),
        _number("done"),
        _number("failed"),
        _text("reason", nullable=True),
        _number("attempt"),
        _number("idle"),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        _number("llm_calls"),
        _number("prompt_tokens"),
        _number("completion_tokens"),
        sa.Column("cost_usd", sa.Numeric(14, 9), server_default="0", nullable=False),
        sa.Column("progress_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        _belongs("document_graphs", "document_id", "documents"),
        _belongs("document_graphs", "workspace_id", "workspaces"),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_document_graphs")),
    )
    op.create_index(op.f("ix_document_graphs_workspace_id"), "document_graphs", ["workspace_id"])
    op.create_index(op.f("ix_document_graphs_status"), "document_graphs", ["status"])
    op.create_table(
        "graph_chunks",
        sa.Column("chunk_id", sa.BigInteger(), nullable=False),
        _owner(),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        _text("error", nullable=True),
        _belongs("graph_chunks", "chunk_id", "chunks"),
        _belongs("graph_chunks", "document_id", "documents"),
        sa.PrimaryKeyConstraint("chunk_id", name=op.f("pk_graph_chunks")),
    )
    op.create_index(op.f("ix_graph_chunks_document_id"), "graph_chunks", ["document_id"])
    op.create_table(
        "entities",
        _id(),
        _owner(),
        sa.Column("workspace_id", sa.BigInteger(), nullable=False),
        _text("key"),
        _text("name"),
        _text("type"),
        _text("description"),
        _number("mentions", None),
        _number("merged"),
        # Without a dimension: the vectors of a workspace are those of its embedding model, whichever that is.
        sa.Column("embedding", HALFVEC(), nullable=True),
        _text("embedding_model", nullable=True),
        _belongs("entities", "workspace_id", "workspaces"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entities")),
        sa.UniqueConstraint("workspace_id", "key", name=op.f("uq_entities_workspace_id_key")),
    )
    op.create_table(
        "relations",
        _id(),
        _owner(),
        sa.Column("workspace_id", sa.BigInteger(), nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=False),
        sa.Column("target_id", sa.BigInteger(), nullable=False),
        _text("keywords"),
        _text("description"),
        _number("mentions", None),
        _number("merged"),
        sa.Column("embedding", HALFVEC(), nullable=True),
        _text("embedding_model", nullable=True),
        _belongs("relations", "workspace_id", "workspaces"),
        _belongs("relations", "source_id", "entities"),
        _belongs("relations", "target_id", "entities"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_relations")),
        sa.UniqueConstraint("source_id", "target_id", name=op.f("uq_relations_source_id_target_id")),
    )
    op.create_index(op.f("ix_relations_workspace_id"), "relations", ["workspace_id"])
    op.create_index(op.f("ix_relations_target_id"), "relations", ["target_id"])
    _create_mentions("entity_chunks", "entity_id", "entities", "name", "type", "description")
    _create_mentions("relation_chunks", "relation_id", "relations", "keywords", "description")
    for table in _TABLES:
        isolate(table)


def _create_mentions(table: str, column: str, parent: str, *texts: str) -> None:
    op.create_table(
        table,
        sa.Column(column, sa.BigInteger(), nullable=False),
        sa.Column("chunk_id", sa.BigInteger(), nullable=False),
        _owner(),
        *(_text(name) for name in texts),
        _belongs(table, column, parent),
        _belongs(table, "chunk_id", "chunks"),
        sa.PrimaryKeyConstraint(column, "chunk_id", name=f"pk_{table}"),
    )
    op.create_index(f"ix_{table}_chunk_id", table, ["chunk_id"])


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.drop_table(table)
