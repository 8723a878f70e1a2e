"""queries that are written in place: the time of their last progress is in no index any more

What is unfinished is found in the order in which it came. A row is written a dozen times while its query runs; as no
indexed column changes, Postgres writes the new version beside the old one (a HOT update), if the page has room.

Replaces an index by another one that serves the same statements, without holding up writers; each step can be repeated
after an interruption. The room is kept in pages that are filled from now on.
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_OPEN, _BY_PROGRESS = "ix_queries_open", "ix_queries_unfinished"
_UNFINISHED = sa.text("finished_at IS NULL")


def upgrade() -> None:
    with op.get_context().autocommit_block():
        # What an interrupted attempt left behind is no index that can be used.
        op.drop_index(_OPEN, "queries", if_exists=True, postgresql_concurrently=True)
        op.create_index(_OPEN, "queries", ["created_at"], postgresql_where=_UNFINISHED, postgresql_concurrently=True)
        op.drop_index(_BY_PROGRESS, "queries", if_exists=True, postgresql_concurrently=True)
        op.execute("ALTER TABLE queries SET (fillfactor = 70)")


def downgrade() -> None:
    with op.get_context().autocommit_block():
        op.execute("ALTER TABLE queries RESET (fillfactor)")
        op.drop_index(_BY_PROGRESS, "queries", if_exists=True, postgresql_concurrently=True)
        op.create_index(
            _BY_PROGRESS, "queries", ["progress_at"], postgresql_where=_UNFINISHED, postgresql_concurrently=True
        )
        op.drop_index(_OPEN, "queries", if_exists=True, postgresql_concurrently=True)
