"""workspaces as objects: a title, settings, deletion in the background; keys limited to workspaces

Only adds. A key limited to workspaces has no `scopes` but in `limited_to`: a program of before, which does not know the
limit, refuses it. The policies concern only transactions with `citewell.workspaces`, which programs of before never set.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from migrations.tenancy import LIMITED_TO, limit, unlimit

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_LIMITED = {
    "workspaces": "id",
    "documents": "workspace_id",
    "imports": "workspace_id",
    "queries": "workspace_id",
    "conversations": "workspace_id",
}
# A question may be asked of several workspaces; it is visible to those who may see all of them.
_ALL_OF_A_QUERY = f"coalesce(options -> 'workspaces', '[]') <@ to_jsonb({LIMITED_TO})"


def upgrade() -> None:
    op.add_column("workspaces", sa.Column("title", sa.String(), nullable=True))
    op.add_column("workspaces", sa.Column("settings", JSONB(none_as_null=True), server_default="{}", nullable=False))
    op.add_column("workspaces", sa.Column("deleting_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("api_keys", sa.Column("limited_to", JSONB(none_as_null=True), nullable=True))
    for table, column in _LIMITED.items():
        limit(table, column, also=_ALL_OF_A_QUERY if table == "queries" else None)


def downgrade() -> None:
    for table in _LIMITED:
        unlimit(table)
    op.drop_column("api_keys", "limited_to")
    for column in ("deleting_at", "settings", "title"):
        op.drop_column("workspaces", column)
