"""which text of a document stands for its pictures: alternative texts, captions, data of charts

`documents.figures` holds [kind, start, end] for each; null where there is none, and for documents from before. Only adds.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("documents", sa.Column("figures", JSONB(none_as_null=True), nullable=True))


def downgrade() -> None:
    op.drop_column("documents", "figures")
