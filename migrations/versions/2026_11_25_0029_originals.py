"""where words stand on pages, and what documents without pages are made of

Only adds.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from migrations.tenancy import OWNER, isolate

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "document_pages",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("width", sa.Float(), nullable=False),
        sa.Column("height", sa.Float(), nullable=False),
        sa.Column("words", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("document_id", "number", name=op.f("pk_document_pages")),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_document_pages_document_id"), ondelete="CASCADE"
        ),
    )
    isolate("document_pages")
    op.add_column("documents", sa.Column("blocks", JSONB(none_as_null=True), nullable=True))


def downgrade() -> None:
    op.drop_column("documents", "blocks")
    op.drop_table("document_pages")
