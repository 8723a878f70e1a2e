"""kept replies of models"""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import OWNER, isolate

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def _now(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False)


def upgrade() -> None:
    op.create_table(
        "kept_replies",
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("reply_text", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        _now("created_at"),
        _now("used_at"),
        sa.PrimaryKeyConstraint("tenant_id", "key", name=op.f("pk_kept_replies")),
    )
    op.create_index(op.f("ix_kept_replies_created_at"), "kept_replies", ["created_at"])
    isolate("kept_replies")
    # A constant default is written to no row, so the table is not locked for longer than a moment.
    for name in ("kept", "hedged"):
        op.add_column("model_calls", sa.Column(name, sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    for name in ("hedged", "kept"):
        op.drop_column("model_calls", name)
    op.drop_table("kept_replies")
