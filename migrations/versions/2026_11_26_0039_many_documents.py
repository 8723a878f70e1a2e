"""turns of tenants whose documents are read, what that took, fingerprints of texts, documents that are read again

Only adds.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from migrations.tenancy import OWNER, isolate, limit

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tenants", sa.Column("read_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("documents", sa.Column("read_s", sa.Double(), nullable=True))
    op.add_column("documents", sa.Column("read_usd", sa.Numeric(14, 9), nullable=True))
    _add_fingerprints()
    _add_reingestions()
    for table in ("document_fingerprints", "fingerprint_bands", "reingestions", "reingested_documents"):
        isolate(table)
    limit("fingerprint_bands", "workspace_id")
    limit("reingestions", "workspace_id")


def downgrade() -> None:
    for table in ("reingested_documents", "reingestions", "fingerprint_bands", "document_fingerprints"):
        op.drop_table(table)
    op.drop_column("documents", "read_usd")
    op.drop_column("documents", "read_s")
    op.drop_column("tenants", "read_at")


def _add_fingerprints() -> None:
    op.create_table(
        "document_fingerprints",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("minima", sa.LargeBinary(), nullable=False),
        sa.Column("near_duplicate_of", sa.Uuid(), nullable=True),
        sa.Column("similarity", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_document_fingerprints")),
        _of_document("document_fingerprints", "document_id", "CASCADE"),
        _of_document("document_fingerprints", "near_duplicate_of", "SET NULL"),
    )
    op.create_index(op.f("ix_document_fingerprints_near_duplicate_of"), "document_fingerprints", ["near_duplicate_of"])
    op.create_table(
        "fingerprint_bands",
        sa.Column("workspace_id", sa.BigInteger(), nullable=False),
        sa.Column("band", sa.BigInteger(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "band", "document_id", name=op.f("pk_fingerprint_bands")),
        _of_document("fingerprint_bands", "document_id", "CASCADE"),
    )
    op.create_index(op.f("ix_fingerprint_bands_document_id"), "fingerprint_bands", ["document_id"])


def _add_reingestions() -> None:
    op.create_table(
        "reingestions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("workspace_id", sa.BigInteger(), nullable=False),
        sa.Column("filter", JSONB(none_as_null=True), nullable=False),
        sa.Column("total", sa.Integer(), server_default="0", nullable=False),
        sa.Column("unchanged", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reingestions")),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_reingestions_workspace_id"), ondelete="CASCADE"
        ),
    )
    op.create_index(op.f("ix_reingestions_workspace_id"), "reingestions", ["workspace_id"])
    op.create_table(
        "reingested_documents",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("reingestion_id", sa.Uuid(), nullable=False),
        sa.Column("of_document", sa.Uuid(), nullable=True),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_reingested_documents")),
        sa.ForeignKeyConstraint(
            ["reingestion_id"],
            ["reingestions.id"],
            name=op.f("fk_reingested_documents_reingestion_id"),
            ondelete="CASCADE",
        ),
        _of_document("reingested_documents", "document_id", "CASCADE"),
        _of_document("reingested_documents", "of_document", "SET NULL"),
    )
    op.create_index(op.f("ix_reingested_documents_reingestion_id"), "reingested_documents", ["reingestion_id"])
    op.create_index(op.f("ix_reingested_documents_of_document"), "reingested_documents", ["of_document"])


def _of_document(table: str, column: str, on_delete: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], ["documents.id"], name=op.f(f"fk_{table}_{column}"), ondelete=on_delete)
