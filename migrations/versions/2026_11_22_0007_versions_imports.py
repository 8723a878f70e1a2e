"""versions of documents, imports of archives"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations.tenancy import OWNER, isolate

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_JSONB = postgresql.JSONB(none_as_null=True, astext_type=sa.Text())

_TABLES = ("imports", "import_parts", "import_members")


def upgrade() -> None:
    _count_versions()
    _create_imports()
    op.create_table(
        "import_parts",
        sa.Column("import_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["import_id"], ["imports.id"], name="fk_import_parts_import_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("import_id", "position", name="pk_import_parts"),
    )
    op.create_table(
        "import_members",
        sa.Column("import_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=True),
        sa.Column("code", sa.String(), nullable=True),
        sa.Column("message", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["import_id"], ["imports.id"], name="fk_import_members_import_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="fk_import_members_document_id", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("import_id", "position", name="pk_import_members"),
    )
    op.create_index("ix_import_members_document_id", "import_members", ["document_id"])
    for table in _TABLES:
        isolate(table)


def _count_versions() -> None:
    op.add_column("documents", sa.Column("version", sa.Integer(), server_default="1", nullable=False))
    op.add_column("documents", sa.Column("superseded_by", sa.Uuid(), nullable=True))
    op.add_column("documents", sa.Column("superseded_at", sa.DateTime(timezone=True), nullable=True))
    op.create_foreign_key(
        "fk_documents_superseded_by", "documents", "documents", ["superseded_by"], ["id"], ondelete="SET NULL"
    )
    op.create_index("ix_documents_superseded_by", "documents", ["superseded_by"])
    # Until now other bytes under the same name were a document beside the first; from now on the newest is in force.
    op.execute(
        "UPDATE documents SET version = counted.version FROM (SELECT id, row_number() OVER "
        "(PARTITION BY workspace_id, filename ORDER BY created_at, number) AS version FROM documents) AS counted "
        "WHERE counted.id = documents.id"
    )
    op.execute(
        "UPDATE documents SET status = 'superseded', stage = 'superseded', superseded_at = now(), "
        "superseded_by = newest.id FROM (SELECT DISTINCT ON (workspace_id, filename) workspace_id, filename, id, "
        "version FROM documents WHERE status = 'ready' ORDER BY workspace_id, filename, version DESC) AS newest "
        "WHERE documents.workspace_id = newest.workspace_id AND documents.filename = newest.filename "
        "AND documents.status = 'ready' AND documents.version < newest.version"
    )
    op.drop_constraint("uq_documents_workspace_id_filename_sha256", "documents")
    op.create_unique_constraint(
        "uq_documents_workspace_id_filename_version", "documents", ["workspace_id", "filename", "version"]
    )
    op.create_index(
        "uq_documents_content",
        "documents",
        ["workspace_id", "filename", "sha256"],
        unique=True,
        postgresql_where="status <> 'superseded'",
    )
    op.create_index("ix_documents_workspace_id_sha256", "documents", ["workspace_id", "sha256"])
    op.create_index("ix_documents_tenant_id_created_at_id", "documents", ["tenant_id", "created_at", "id"])
    op.drop_index("ix_documents_tenant_id", table_name="documents")


def _create_imports() -> None:
    op.create_table(
        "imports",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("workspace_id", sa.BigInteger(), nullable=False),
        sa.Column("filename", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("metadata", _JSONB, nullable=False),
        sa.Column("status", sa.String(), server_default="queued", nullable=False),
        sa.Column("total", sa.Integer(), nullable=True),
        sa.Column("error", _JSONB, nullable=True),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("strikes", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("progress_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("unpacked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name="fk_imports_tenant_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_imports_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_imports"),
    )
    op.create_index("ix_imports_tenant_id_created_at_id", "imports", ["tenant_id", "created_at", "id"])
    op.create_index("ix_imports_workspace_id", "imports", ["workspace_id"])
    op.create_index("ix_imports_status", "imports", ["status"])


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.drop_table(table)
    op.create_index("ix_documents_tenant_id", "documents", ["tenant_id"])
    op.drop_index("ix_documents_tenant_id_created_at_id", table_name="documents")
    op.drop_index("ix_documents_workspace_id_sha256", table_name="documents")
    op.drop_index("uq_documents_content", table_name="documents")
    op.drop_constraint("uq_documents_workspace_id_filename_version", "documents")
    # The schema before knows no history: what was superseded would be searched again, or come twice.
    op.execute("DELETE FROM documents WHERE status = 'superseded'")
    op.create_unique_constraint(
        "uq_documents_workspace_id_filename_sha256", "documents", ["workspace_id", "filename", "sha256"]
    )
    op.drop_constraint("fk_documents_superseded_by", "documents")
    for column in ("superseded_at", "superseded_by", "version"):
        op.drop_column("documents", column)
