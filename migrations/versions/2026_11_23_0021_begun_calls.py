"""calls to models that have begun, and those whose outcome nobody knows

Only adds. A constant default is written to no row, so `model_calls` is not locked for longer than a moment.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations.tenancy import OWNER, isolate

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "begun_calls",
        sa.Column("query_id", sa.Uuid(), nullable=False),
        sa.Column("token", sa.Uuid(), nullable=False),
        sa.Column("number", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("worker", sa.String(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("step", sa.String(), nullable=False),
        sa.Column("call", postgresql.JSONB(), nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("query_id", "token", "number", name=op.f("pk_begun_calls")),
        sa.ForeignKeyConstraint(["query_id"], ["queries.id"], name=op.f("fk_begun_calls_query_id"), ondelete="CASCADE"),
    )
    isolate("begun_calls")
    op.add_column("model_calls", sa.Column("unknown", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    op.drop_column("model_calls", "unknown")
    op.drop_table("begun_calls")
