"""a judge's second look at a statement, beside its check

`citation_checks.second_look` holds what the rules noticed and both answers; null where the judge was asked once, and for
checks that were made before. Only adds.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("citation_checks", sa.Column("second_look", JSONB(none_as_null=True), nullable=True))


def downgrade() -> None:
    op.drop_column("citation_checks", "second_look")
