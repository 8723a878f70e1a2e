"""keys limited to workspaces see the feedback and the links of questions that they see

Only adds.
"""

from migrations.tenancy import limit_by_query, unlimit

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

_TABLES = ("feedback", "shared_answers")


def upgrade() -> None:
    for table in _TABLES:
        limit_by_query(table)


def downgrade() -> None:
    for table in _TABLES:
        unlimit(table)
