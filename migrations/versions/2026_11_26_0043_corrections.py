"""where the text of a document differs from its file, because people corrected it

`documents.corrections` holds [start, end, text of the file] for each place; null where there is none, and for versions
that were corrected before. Only adds.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("documents", sa.Column("corrections", JSONB(none_as_null=True), nullable=True))


def downgrade() -> None:
    op.drop_column("documents", "corrections")
