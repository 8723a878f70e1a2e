"""parked steps, claims that know their launch, replays"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_INDEXES = {
    "ix_step_outcomes_parked": ("step_outcomes", "parked_at"),
    "ix_queries_replay_of": ("queries", "replay_of"),
}


def upgrade() -> None:
    # What older code leaves out means: an unknown launch, which any newer one may take over, and no failed try.
    op.add_column("step_outcomes", sa.Column("launch", sa.Integer(), server_default="0", nullable=False))
    op.add_column("step_outcomes", sa.Column("tries", sa.Integer(), server_default="0", nullable=False))
    op.add_column("step_outcomes", sa.Column("parked_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("step_outcomes", sa.Column("parked_reason", sa.String(), nullable=True))
    op.add_column("queries", sa.Column("replay_of", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        op.f("fk_queries_replay_of"),
        "queries",
        "queries",
        ["replay_of"],
        ["id"],
        ondelete="SET NULL",
        postgresql_not_valid=True,
    )
    op.execute("ALTER TABLE queries VALIDATE CONSTRAINT fk_queries_replay_of")
    with op.get_context().autocommit_block():
        for name, (table, column) in _INDEXES.items():
            # What an interrupted attempt left behind is no index that can be used.
            op.drop_index(name, table, if_exists=True, postgresql_concurrently=True)
            some = sa.text(f"{column} IS NOT NULL")
            op.create_index(name, table, [column], postgresql_where=some, postgresql_concurrently=True)


def downgrade() -> None:
    op.drop_column("queries", "replay_of")
    op.drop_index("ix_step_outcomes_parked", "step_outcomes")
    for column in ("parked_reason", "parked_at", "tries", "launch"):
        op.drop_column("step_outcomes", column)
