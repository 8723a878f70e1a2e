"""standing verification: documents that changed or went, and what became of the answers that cite them

Only adds. The index is made without holding up writers; each step can be repeated after an interruption.
"""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import OWNER, isolate

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_CITED = "ix_citations_document_id_id"


def _now(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False)


def upgrade() -> None:
    op.create_table(
        "document_changes",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("filename", sa.String(), nullable=False),
        sa.Column("replaced_by", sa.Uuid(), nullable=True),
        sa.Column("cursor", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("passes", sa.Integer(), server_default="0", nullable=False),
        sa.Column("found", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reverified", sa.Integer(), server_default="0", nullable=False),
        _now("due_at"),
        _now("created_at"),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_changes")),
    )
    op.create_index(
        "ix_document_changes_open", "document_changes", ["due_at"], postgresql_where=sa.text("done_at IS NULL")
    )
    isolate("document_changes")
    op.create_table(
        "answer_standings",
        sa.Column("query_id", sa.Uuid(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("change_id", sa.BigInteger(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("filename", sa.String(), nullable=False),
        sa.Column("reverification", sa.Uuid(), nullable=True),
        _now("since"),
        sa.PrimaryKeyConstraint("query_id", name=op.f("pk_answer_standings")),
        sa.ForeignKeyConstraint(
            ["query_id"], ["queries.id"], name=op.f("fk_answer_standings_query_id"), ondelete="CASCADE"
        ),
    )
    isolate("answer_standings")
    with op.get_context().autocommit_block():
        # What an interrupted attempt left behind is no index that can be used.
        op.drop_index(_CITED, "citations", if_exists=True, postgresql_concurrently=True)
        op.create_index(_CITED, "citations", ["document_id", "id"], postgresql_concurrently=True)


def downgrade() -> None:
    op.drop_index(_CITED, "citations", if_exists=True)
    op.drop_table("answer_standings")
    op.drop_table("document_changes")
