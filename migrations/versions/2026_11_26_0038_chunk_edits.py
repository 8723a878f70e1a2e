"""chunks that search leaves out, chunks that were corrected, and the history of both

Only adds. A constant default is stored once, so the large tables are not rewritten.
"""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import OWNER, isolate, limit

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

_FLAGS = (("chunks", "excluded"), ("chunks", "corrected"), ("chunk_vectors", "excluded"))


def upgrade() -> None:
    for table, name in _FLAGS:
        op.add_column(table, sa.Column(name, sa.Boolean(), server_default="false", nullable=False))
    op.add_column("documents", sa.Column("chunks_excluded", sa.Integer(), server_default="0", nullable=False))
    op.add_column("documents", sa.Column("corrected_from", sa.Uuid(), nullable=True))
    op.create_table(
        "document_edits",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("workspace_id", sa.BigInteger(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("from_document", sa.Uuid(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("chunk_index", sa.Integer(), nullable=False),
        sa.Column("start_index", sa.Integer(), nullable=False),
        sa.Column("end_index", sa.Integer(), nullable=False),
        sa.Column("before", sa.String(), nullable=False),
        sa.Column("after", sa.String(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("made_by", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_edits")),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_document_edits_workspace_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_document_edits_document_id"), ondelete="CASCADE"
        ),
    )
    op.create_index(op.f("ix_document_edits_document_id"), "document_edits", ["document_id"])
    isolate("document_edits")
    limit("document_edits", "workspace_id")


def downgrade() -> None:
    op.drop_table("document_edits")
    op.drop_column("documents", "corrected_from")
    op.drop_column("documents", "chunks_excluded")
    for table, name in reversed(_FLAGS):
        op.drop_column(table, name)
