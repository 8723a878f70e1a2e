"""people first: whose submission a query is, whether a person waits for it, and how much each process can take

Only adds. The index is made without holding up writers; each step can be repeated after an interruption.
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_PEOPLE = "ix_queries_waiting_people"


def upgrade() -> None:
    with op.get_context().autocommit_block():
        for table, column in (
            ("queries", sa.Column("is_scripted", sa.Boolean(), server_default=sa.false(), nullable=False)),
            ("queries", sa.Column("asked_by", sa.String(), nullable=True)),
            ("worker_processes", sa.Column("room", sa.Integer(), nullable=True)),
        ):
            op.add_column(table, column, if_not_exists=True)
        # What an interrupted attempt left behind is no index that can be used.
        op.drop_index(_PEOPLE, "queries", if_exists=True, postgresql_concurrently=True)
        op.create_index(
            _PEOPLE,
            "queries",
            ["tenant_id", "created_at", "id"],
            postgresql_where=sa.text("status = 'queued' AND batch_id IS NULL AND NOT is_scripted"),
            postgresql_concurrently=True,
        )


def downgrade() -> None:
    op.drop_index(_PEOPLE, "queries", if_exists=True)
    op.drop_column("worker_processes", "room")
    op.drop_column("queries", "asked_by")
    op.drop_column("queries", "is_scripted")
