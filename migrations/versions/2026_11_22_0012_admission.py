"""admission: who may start, by the weight of tenants and by the workers that live

Only adds. The indexes are made without holding up writers; each step can be repeated after an interruption.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_INDEXES = {
    "ix_queries_running": ("queries", ["tenant_id", "batch_id"], "status = 'running'"),
    "ix_queries_waiting": (
        "queries",
        ["tenant_id", "created_at", "id"],
        "status = 'queued' AND batch_id IS NULL",
    ),
    "ix_queries_waiting_items": (
        "queries",
        ["tenant_id", "batch_id", "position"],
        "status = 'queued' AND batch_id IS NOT NULL",
    ),
    "ix_queries_finished_at": ("queries", ["finished_at"], "finished_at IS NOT NULL"),
    "ix_documents_waiting": (
        "documents",
        ["tenant_id", "created_at", "id"],
        "status = 'queued' AND launched_at IS NULL",
    ),
    "ix_documents_launched": ("documents", ["launched_at"], "status = 'queued' AND launched_at IS NOT NULL"),
    "ix_documents_ready_at": ("documents", ["ready_at"], "ready_at IS NOT NULL"),
}


def upgrade() -> None:
    with op.get_context().autocommit_block():
        op.add_column(
            "documents", sa.Column("launched_at", sa.DateTime(timezone=True), nullable=True), if_not_exists=True
        )
        for name, (table, columns, where) in _INDEXES.items():
            # What an interrupted attempt left behind is no index that can be used.
            op.drop_index(name, table, if_exists=True, postgresql_concurrently=True)
            op.create_index(name, table, columns, postgresql_where=sa.text(where), postgresql_concurrently=True)
    op.add_column("tenants", sa.Column("weight", sa.Float(), server_default="1", nullable=False))
    op.create_check_constraint(op.f("ck_tenants_weight"), "tenants", "weight > 0", postgresql_not_valid=True)
    op.execute("ALTER TABLE tenants VALIDATE CONSTRAINT ck_tenants_weight")
    op.create_table(
        "worker_processes",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("queues", sa.ARRAY(sa.String()), nullable=False),
        sa.Column("concurrency", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.func.clock_timestamp(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), server_default=sa.func.clock_timestamp(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_worker_processes")),
    )


def downgrade() -> None:
    op.drop_table("worker_processes")
    op.drop_column("tenants", "weight")
    with op.get_context().autocommit_block():
        for name, (table, _, _) in _INDEXES.items():
            op.drop_index(name, table, if_exists=True, postgresql_concurrently=True)
    op.drop_column("documents", "launched_at")
