"""pages that were recognised, each by itself, so that a long scan goes on where it was

Only adds.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from migrations.tenancy import OWNER, isolate

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "recognised_pages",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("languages", sa.String(), nullable=False),
        sa.Column("content", JSONB(none_as_null=True), nullable=True),
        sa.PrimaryKeyConstraint("document_id", "number", name=op.f("pk_recognised_pages")),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_recognised_pages_document_id"), ondelete="CASCADE"
        ),
    )
    isolate("recognised_pages")
    op.add_column("documents", sa.Column("pages_recognised", sa.Integer(), nullable=True))
    op.add_column("documents", sa.Column("pages_to_recognise", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("documents", "pages_to_recognise")
    op.drop_column("documents", "pages_recognised")
    op.drop_table("recognised_pages")
