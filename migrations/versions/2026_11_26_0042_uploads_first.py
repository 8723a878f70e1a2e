"""uploads that wait are found without looking at documents that wait to be read again

Only adds.
"""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_documents_waiting_uploads",
        "documents",
        ["tenant_id", "created_at", "id"],
        postgresql_where=sa.text("status = 'queued' AND launched_at IS NULL AND right(sha256, 1) <> '~'"),
    )


def downgrade() -> None:
    op.drop_index("ix_documents_waiting_uploads", table_name="documents")
