"""which text of a page was recognised in a picture, and how surely

`document_pages.recognised` holds [start, end, confidence] for each line that was; null where the text is the file's own.
Only adds.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("document_pages", sa.Column("recognised", JSONB(none_as_null=True), nullable=True))


def downgrade() -> None:
    op.drop_column("document_pages", "recognised")
