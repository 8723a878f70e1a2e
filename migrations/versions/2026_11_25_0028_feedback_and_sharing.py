"""people's feedback on answers, and links that open an answer without a key

Only adds.
"""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import OWNER, isolate

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "feedback",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("query_id", sa.Uuid(), nullable=False),
        sa.Column("place", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("excerpt", sa.String(), nullable=True),
        sa.Column("rating", sa.String(), nullable=True),
        sa.Column("verdict", sa.String(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("corrected", sa.String(), nullable=True),
        sa.Column("author", sa.String(), nullable=True),
        sa.Column("status", sa.String(), server_default="open", nullable=False),
        sa.Column("reviewed_by", sa.String(), nullable=True),
        sa.Column("reviewed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feedback")),
        sa.ForeignKeyConstraint(["query_id"], ["queries.id"], name=op.f("fk_feedback_query_id"), ondelete="CASCADE"),
    )
    op.create_index(op.f("ix_feedback_query_id"), "feedback", ["query_id"])
    op.create_index(
        op.f("ix_feedback_tenant_id_status_created_at_id"), "feedback", ["tenant_id", "status", "created_at", "id"]
    )
    op.create_index(op.f("ix_feedback_tenant_id_created_at_id"), "feedback", ["tenant_id", "created_at", "id"])
    isolate("feedback")
    op.create_table(
        "shared_answers",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("query_id", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shared_answers")),
        sa.ForeignKeyConstraint(
            ["query_id"], ["queries.id"], name=op.f("fk_shared_answers_query_id"), ondelete="CASCADE"
        ),
    )
    op.create_index(op.f("ix_shared_answers_query_id"), "shared_answers", ["query_id"])
    isolate("shared_answers")


def downgrade() -> None:
    op.drop_table("shared_answers")
    op.drop_table("feedback")
