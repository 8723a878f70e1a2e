"""vectors in spaces of their own, in half precision"""

import pgvector.sqlalchemy
import sqlalchemy as sa
from alembic import op

from migrations.tenancy import OWNER, isolate

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _make_tables()
    # The first, so that its index can be named here and in the models.
    op.execute("INSERT INTO embedding_spaces (model, dimension) VALUES ('use-multilingual-v3', 512)")
    op.execute(
        "INSERT INTO embedding_spaces (model, dimension) SELECT DISTINCT embedding_model, embedding_dimension "
        "FROM workspaces WHERE embedding_model <> 'use-multilingual-v3' AND embedding_dimension = 512"
    )
    op.add_column("workspaces", sa.Column("space_id", sa.Integer(), nullable=True))
    op.create_foreign_key("fk_workspaces_space_id", "workspaces", "embedding_spaces", ["space_id"], ["id"])
    op.execute(
        "UPDATE workspaces SET space_id = s.id FROM embedding_spaces s "
        "WHERE s.model = embedding_model AND s.dimension = embedding_dimension"
    )
    op.execute(
        "INSERT INTO chunk_vectors (chunk_id, space_id, tenant_id, workspace_id, document_id, sha256, embedding) "
        "SELECT c.id, w.space_id, c.tenant_id, c.workspace_id, c.document_id, sha256(convert_to(c.text, 'UTF8')), "
        "c.embedding::halfvec FROM chunks c JOIN workspaces w ON w.id = c.workspace_id WHERE w.space_id IS NOT NULL"
    )
    spaces = op.get_bind().execute(sa.text("SELECT id FROM embedding_spaces ORDER BY id")).scalars()
    for space_id in spaces:
        op.execute(
            f"CREATE INDEX ix_chunk_vectors_space_{space_id} ON chunk_vectors "
            f"USING hnsw ((embedding::halfvec(512)) halfvec_cosine_ops) WHERE space_id = {space_id}"
        )
    op.drop_index("ix_chunks_embedding", table_name="chunks")
    op.drop_column("chunks", "embedding")
    op.drop_column("workspaces", "embedding_model")
    op.drop_column("workspaces", "embedding_dimension")


def _make_tables() -> None:
    op.create_table(
        "embedding_spaces",
        sa.Column("id", sa.Integer(), sa.Identity(always=False), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_embedding_spaces")),
        sa.UniqueConstraint("model", "dimension", name=op.f("uq_embedding_spaces_model_dimension")),
    )
    op.create_table(
        "chunk_vectors",
        sa.Column("chunk_id", sa.BigInteger(), nullable=False),
        sa.Column("space_id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("workspace_id", sa.BigInteger(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("sha256", sa.LargeBinary(), nullable=False),
        sa.Column("embedding", pgvector.sqlalchemy.HALFVEC(), nullable=False),
        sa.ForeignKeyConstraint(
            ["chunk_id"], ["chunks.id"], name=op.f("fk_chunk_vectors_chunk_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["space_id"], ["embedding_spaces.id"], name=op.f("fk_chunk_vectors_space_id")),
        sa.PrimaryKeyConstraint("chunk_id", "space_id", name=op.f("pk_chunk_vectors")),
    )
    op.create_index("ix_chunk_vectors_workspace_id", "chunk_vectors", ["workspace_id", "space_id", "document_id"])
    op.create_index("ix_chunk_vectors_sha256", "chunk_vectors", ["tenant_id", "space_id", "sha256"])
    # Nobody searches for an equal vector: ANALYZE would read megabytes for nothing.
    op.execute("ALTER TABLE chunk_vectors ALTER COLUMN embedding SET STATISTICS 0")
    isolate("chunk_vectors")


def downgrade() -> None:
    """Vectors of 512 components in the workspace's own space come back; a workspace of another loses its documents."""
    op.add_column("workspaces", sa.Column("embedding_model", sa.String(), nullable=True))
    op.add_column("workspaces", sa.Column("embedding_dimension", sa.Integer(), nullable=True))
    op.add_column("chunks", sa.Column("embedding", pgvector.sqlalchemy.VECTOR(512), nullable=True))
    op.execute(
        "UPDATE workspaces SET embedding_model = s.model, embedding_dimension = s.dimension "
        "FROM embedding_spaces s WHERE s.id = space_id AND s.dimension = 512"
    )
    op.execute(
        "UPDATE chunks c SET embedding = v.embedding::vector FROM chunk_vectors v JOIN workspaces w "
        "ON w.id = v.workspace_id AND w.space_id = v.space_id "
        "WHERE v.chunk_id = c.id AND w.embedding_dimension = 512"
    )
    op.execute("DELETE FROM documents WHERE id IN (SELECT document_id FROM chunks WHERE embedding IS NULL)")
    op.alter_column("chunks", "embedding", nullable=False)
    op.create_index(
        "ix_chunks_embedding",
        "chunks",
        ["embedding"],
        postgresql_using="hnsw",
        postgresql_ops={"embedding": "vector_cosine_ops"},
    )
    op.drop_constraint("fk_workspaces_space_id", "workspaces")
    op.drop_column("workspaces", "space_id")
    op.drop_table("chunk_vectors")
    op.drop_table("embedding_spaces")
