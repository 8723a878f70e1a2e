"""lexemes of our own instead of English full text"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from db.queries.documents.lexicon import as_tsvector
from domain.retrieval.lexemes import lexemes
from migrations.tenancy import OWNER, isolate

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_BATCH = 500
_COUNT = """
    INSERT INTO lexemes (workspace_id, lexeme, tenant_id, chunks)
    SELECT chunks.workspace_id, held.lexeme, chunks.tenant_id, count(*)
    FROM chunks CROSS JOIN LATERAL unnest(chunks.search) AS held
    GROUP BY chunks.workspace_id, held.lexeme, chunks.tenant_id
"""
_TOTALS = """
    UPDATE workspaces SET chunk_count = counted.chunks, lexeme_count = counted.length
    FROM (SELECT workspace_id, count(*) AS chunks, sum(length) AS length FROM chunks GROUP BY workspace_id) AS counted
    WHERE counted.workspace_id = workspaces.id
"""


def upgrade() -> None:
    op.create_table(
        "lexemes",
        sa.Column("workspace_id", sa.BigInteger(), nullable=False),
        sa.Column("lexeme", sa.String(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_lexemes_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("workspace_id", "lexeme", name=op.f("pk_lexemes")),
    )
    isolate("lexemes")
    op.add_column("workspaces", sa.Column("chunk_count", sa.Integer(), server_default="0", nullable=False))
    op.add_column("workspaces", sa.Column("lexeme_count", sa.BigInteger(), server_default="0", nullable=False))
    op.drop_index("ix_chunks_text_trgm", table_name="chunks")
    op.drop_index("ix_chunks_search", table_name="chunks")
    op.drop_column("chunks", "search")
    op.add_column("chunks", sa.Column("context", sa.String(), nullable=True))
    op.add_column("chunks", sa.Column("length", sa.Integer(), server_default="0", nullable=False))
    op.add_column("chunks", sa.Column("search", postgresql.TSVECTOR(), server_default="", nullable=False))
    _index_what_is_there()
    op.create_index("ix_chunks_search", "chunks", ["search"], unique=False, postgresql_using="gin")


def _index_what_is_there() -> None:
    connection = op.get_bind()
    connection.execute(sa.text("SELECT set_config('citewell.system', 'on', true)"))
    last = 0
    while rows := connection.execute(
        sa.text("SELECT id, text FROM chunks WHERE id > :last ORDER BY id LIMIT :batch"),
        {"last": last, "batch": _BATCH},
    ).all():
        held = [(key, lexemes(text)) for key, text in rows]
        connection.execute(
            sa.text("UPDATE chunks SET search = CAST(:search AS tsvector), length = :length WHERE id = :key"),
            [{"key": key, "search": as_tsvector(each), "length": len(each)} for key, each in held],
        )
        last = rows[-1][0]
    connection.execute(sa.text(_COUNT))
    connection.execute(sa.text(_TOTALS))


def downgrade() -> None:
    op.drop_index("ix_chunks_search", table_name="chunks", postgresql_using="gin")
    op.drop_column("chunks", "search")
    op.drop_column("chunks", "length")
    op.drop_column("chunks", "context")
    op.add_column(
        "chunks",
        sa.Column(
            "search",
            postgresql.TSVECTOR(),
            sa.Computed("to_tsvector('english', text)", persisted=True),
            nullable=False,
        ),
    )
    op.create_index("ix_chunks_search", "chunks", ["search"], unique=False, postgresql_using="gin")
    op.create_index(
        "ix_chunks_text_trgm",
        "chunks",
        ["text"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"text": "gin_trgm_ops"},
    )
    op.drop_column("workspaces", "lexeme_count")
    op.drop_column("workspaces", "chunk_count")
    op.drop_table("lexemes")
