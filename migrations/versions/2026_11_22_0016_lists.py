"""lists of queries, and drafts to delete, found without reading the whole history

Only adds. The indexes are made without holding up writers; each step can be repeated after an interruption.
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0014"
branch_labels = None
depends_on = None

_INDEXES = {
    "ix_queries_tenant_id_kind_created_at_id": ("queries", ["tenant_id", "kind", "created_at", "id"], None),
    "ix_queries_workspace_id_kind_created_at_id": ("queries", ["workspace_id", "kind", "created_at", "id"], None),
    "ix_queries_unlucky": (
        "queries",
        ["tenant_id", "status", "created_at", "id"],
        sa.text("status IN ('failed', 'cancelled')"),
    ),
    "ix_events_drafts": ("events", ["created_at"], sa.text("type = 'draft'")),
}


def upgrade() -> None:
    with op.get_context().autocommit_block():
        for name, (table, columns, where) in _INDEXES.items():
            # What an interrupted attempt left behind is no index that can be used.
            op.drop_index(name, table, if_exists=True, postgresql_concurrently=True)
            op.create_index(name, table, columns, postgresql_where=where, postgresql_concurrently=True)


def downgrade() -> None:
    with op.get_context().autocommit_block():
        for name, (table, _, _) in _INDEXES.items():
            op.drop_index(name, table, if_exists=True, postgresql_concurrently=True)
