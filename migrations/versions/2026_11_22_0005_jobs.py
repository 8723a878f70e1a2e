"""events in order, given sources, batches, idempotency keys"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations.tenancy import OWNER, isolate

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_JSONB = postgresql.JSONB(none_as_null=True, astext_type=sa.Text())


def upgrade() -> None:
    _number_events()
    op.create_table(
        "batches",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("callback_url", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("cancelled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_batches_tenant_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_batches")),
    )
    op.create_index(op.f("ix_batches_tenant_id"), "batches", ["tenant_id"], unique=False)
    op.add_column("queries", sa.Column("kind", sa.String(), server_default="answer", nullable=False))
    op.add_column("queries", sa.Column("callback_url", sa.String(), nullable=True))
    op.add_column("queries", sa.Column("batch_id", sa.Uuid(), nullable=True))
    op.add_column("queries", sa.Column("position", sa.Integer(), nullable=True))
    op.add_column("queries", sa.Column("custom_id", sa.String(), nullable=True))
    op.create_foreign_key("fk_queries_batch_id", "queries", "batches", ["batch_id"], ["id"], ondelete="CASCADE")
    op.create_unique_constraint("uq_queries_batch_id_position", "queries", ["batch_id", "position"])
    op.create_table(
        "given_sources",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("query_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=True),
        sa.Column("document_id", sa.Uuid(), nullable=True),
        sa.Column("metadata", _JSONB, server_default="{}", nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("pages", _JSONB, nullable=True),
        sa.Column("sections", _JSONB, nullable=True),
        sa.ForeignKeyConstraint(
            ["query_id"], ["queries.id"], name=op.f("fk_given_sources_query_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_given_sources")),
        sa.UniqueConstraint("query_id", "number", name=op.f("uq_given_sources_query_id_number")),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("resource_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_index(op.f("ix_idempotency_keys_created_at"), "idempotency_keys", ["created_at"], unique=False)
    for table in ("batches", "given_sources", "idempotency_keys"):
        isolate(table)


def _number_events() -> None:
    op.add_column("queries", sa.Column("event_seq", sa.Integer(), server_default="0", nullable=False))
    op.add_column("events", sa.Column("seq", sa.Integer(), nullable=True))
    op.execute("DELETE FROM events WHERE query_id IS NULL")
    op.execute(
        "UPDATE events SET seq = counted.seq "
        "FROM (SELECT id, row_number() OVER (PARTITION BY query_id ORDER BY id) AS seq FROM events) AS counted "
        "WHERE counted.id = events.id"
    )
    op.execute("UPDATE queries SET event_seq = (SELECT count(*) FROM events WHERE events.query_id = queries.id)")
    op.alter_column("events", "seq", nullable=False)
    op.alter_column("events", "query_id", nullable=False)
    op.drop_index("ix_events_query_id_id", table_name="events")
    op.create_unique_constraint("uq_events_query_id_seq", "events", ["query_id", "seq"])
    op.drop_column("events", "document_id")


def downgrade() -> None:
    op.execute("DELETE FROM queries WHERE kind <> 'answer'")
    for table in ("idempotency_keys", "given_sources"):
        op.drop_table(table)
    for column in ("custom_id", "position", "batch_id", "callback_url", "kind", "event_seq"):
        op.drop_column("queries", column)
    op.drop_table("batches")
    op.add_column("events", sa.Column("document_id", sa.Uuid(), nullable=True))
    op.create_foreign_key("fk_events_document_id", "events", "documents", ["document_id"], ["id"], ondelete="CASCADE")
    op.drop_constraint("uq_events_query_id_seq", "events")
    op.alter_column("events", "query_id", nullable=True)
    op.create_index("ix_events_query_id_id", "events", ["query_id", "id"])
    op.drop_column("events", "seq")
