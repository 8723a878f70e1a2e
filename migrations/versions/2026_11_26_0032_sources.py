"""where documents come from: sources that are looked at by a schedule, and what each of them lists

Only adds.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from migrations.tenancy import OWNER, isolate, limit

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sources",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("workspace_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("location", sa.String(), nullable=False),
        sa.Column("settings", JSONB(none_as_null=True), nullable=False),
        sa.Column("every_s", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(), server_default="active", nullable=False),
        sa.Column("phase", sa.String(), server_default="idle", nullable=False),
        sa.Column("run", sa.Integer(), server_default="0", nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("strikes", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", JSONB(none_as_null=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
        sa.UniqueConstraint("workspace_id", "name", name=op.f("uq_sources_workspace_id_name")),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_sources_tenant_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_sources_workspace_id"), ondelete="CASCADE"
        ),
    )
    op.create_index("ix_sources_tenant_id_created_at_id", "sources", ["tenant_id", "created_at", "id"])
    op.create_index("ix_sources_due_at", "sources", ["due_at"], postgresql_where=sa.text("due_at IS NOT NULL"))
    op.create_table(
        "source_items",
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("depth", sa.Integer(), server_default="0", nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("listed_tag", sa.String(), nullable=True),
        sa.Column("tag", sa.String(), nullable=True),
        sa.Column("sha256", sa.String(), nullable=True),
        sa.Column("details", JSONB(none_as_null=True), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=True),
        sa.Column("code", sa.String(), nullable=True),
        sa.Column("message", sa.String(), nullable=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("gone_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("source_id", "key", name=op.f("pk_source_items")),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_source_items_source_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_source_items_document_id"), ondelete="SET NULL"
        ),
    )
    op.create_index(op.f("ix_source_items_document_id"), "source_items", ["document_id"])
    op.create_index(op.f("ix_source_items_source_id_run_outcome"), "source_items", ["source_id", "run", "outcome"])
    for table in ("sources", "source_items"):
        isolate(table)
    limit("sources", "workspace_id")


def downgrade() -> None:
    op.drop_table("source_items")
    op.drop_table("sources")
