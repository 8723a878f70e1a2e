"""the number of a claim is not given again after a crash of the database that undid the claim

A claim that is made as outcomes are stored in front of it is committed without waiting for the disk. Whoever makes it
again after a crash used to get the same number, so the late outcome of the undone claim would have passed its fence. The
first number of an item is now one of two million, and ends in 001: 999 claims later it would look like a first one.
"""

from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "ALTER TABLE step_outcomes ALTER COLUMN attempt SET DEFAULT CAST(floor(random() * 2147483) AS int) * 1000 + 1"
    )


def downgrade() -> None:
    op.execute("ALTER TABLE step_outcomes ALTER COLUMN attempt SET DEFAULT 1")
