"""what processes count, and the traces that stored work goes on with

Only adds.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0018"
down_revision = "0016"
branch_labels = None
depends_on = None

_TRACED = ("queries", "documents", "webhook_messages")


def upgrade() -> None:
    op.create_table(
        "process_meters",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("counts", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("gauges", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_process_meters"),
    )
    op.create_table(
        "meter_totals",
        sa.Column("family", sa.String(), nullable=False),
        sa.Column("labels", sa.String(), nullable=False),
        sa.Column("place", sa.String(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("family", "labels", "place", name="pk_meter_totals"),
    )
    for table in _TRACED:
        op.add_column(table, sa.Column("traceparent", sa.String(), nullable=True))


def downgrade() -> None:
    for table in _TRACED:
        op.drop_column(table, "traceparent")
    op.drop_table("meter_totals")
    op.drop_table("process_meters")
