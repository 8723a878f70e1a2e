"""the questions of a conversation in one narrow row, for its search

Only adds. The operators of text search and of trigrams are not leakproof, so no index for them helps below row-level
security; what helps is to read one narrow row for each conversation rather than all of its queries. Conversations that
programs of before begin have none until they are asked again, and are searched as before.
"""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import OWNER, isolate

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

_FILL = """
    INSERT INTO conversation_texts (conversation_id, tenant_id, asked)
    SELECT turns.conversation_id, turns.tenant_id, lower(string_agg(queries.question, E'\\n' ORDER BY turns.position))
    FROM conversation_turns AS turns JOIN queries ON queries.id = turns.query_id
    WHERE turns.set_aside_at IS NULL GROUP BY turns.conversation_id, turns.tenant_id
"""


def upgrade() -> None:
    op.create_table(
        "conversation_texts",
        sa.Column("conversation_id", sa.Uuid(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("asked", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id", name=op.f("pk_conversation_texts")),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.id"],
            name=op.f("fk_conversation_texts_conversation_id"),
            ondelete="CASCADE",
        ),
    )
    op.execute("SELECT set_config('citewell.system', 'on', true)")
    op.execute(_FILL)
    op.execute("SELECT set_config('citewell.system', '', true)")
    isolate("conversation_texts")


def downgrade() -> None:
    op.drop_table("conversation_texts")
