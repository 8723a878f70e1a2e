"""the questions of a conversation beside its title, for its search

Only adds. A trigger keeps them, so that turns that older programs add are found as well. The operators of text search and of
trigrams are not leakproof, so no index for them helps below row-level security; what helps is to read one narrow row
for each conversation rather than all of its queries.
"""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

_QUESTIONS = """
    SELECT lower(string_agg(queries.question, E'\\n' ORDER BY turns.position))
    FROM conversation_turns AS turns JOIN queries ON queries.id = turns.query_id
    WHERE turns.conversation_id = {conversation} AND turns.set_aside_at IS NULL
"""
_KEEP = f"""
    CREATE FUNCTION keep_asked() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE conversations SET asked = ({_QUESTIONS.format(conversation="NEW.conversation_id")})
        WHERE id = NEW.conversation_id;
        RETURN NULL;
    END $$
"""  # noqa: S608 - only constants are put together


def upgrade() -> None:
    op.add_column("conversations", sa.Column("asked", sa.String(), nullable=True))
    op.execute(_KEEP)
    op.execute(
        "CREATE TRIGGER keep_asked AFTER INSERT OR UPDATE OF set_aside_at ON conversation_turns "
        "FOR EACH ROW EXECUTE FUNCTION keep_asked()"
    )
    op.execute("SELECT set_config('citewell.system', 'on', true)")
    op.execute(f"UPDATE conversations SET asked = ({_QUESTIONS.format(conversation='conversations.id')})")  # noqa: S608
    op.execute("SELECT set_config('citewell.system', '', true)")


def downgrade() -> None:
    op.execute("DROP TRIGGER keep_asked ON conversation_turns")
    op.execute("DROP FUNCTION keep_asked()")
    op.drop_column("conversations", "asked")
