"""uploads that wait are found without looking at documents that wait to be read again

Only adds, without holding up writers; can be repeated after an interruption.
"""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


_NAME = "ix_documents_waiting_uploads"
_WAITING = sa.text("status = 'queued' AND launched_at IS NULL AND right(sha256, 1) <> '~'")


def upgrade() -> None:
    with op.get_context().autocommit_block():
        # What an interrupted attempt left behind is no index that can be used.
        op.drop_index(_NAME, "documents", if_exists=True, postgresql_concurrently=True)
        op.create_index(
            _NAME,
            "documents",
            ["tenant_id", "created_at", "id"],
            postgresql_where=_WAITING,
            postgresql_concurrently=True,
        )


def downgrade() -> None:
    op.drop_index(_NAME, table_name="documents")
