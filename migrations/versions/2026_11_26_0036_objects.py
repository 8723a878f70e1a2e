"""files of documents outside of the database, and which documents they belong to

Only adds. Programs of before find no file for a document that has its file outside.
"""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import OWNER, isolate

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

_LET_GO = """
    CREATE FUNCTION let_go_of_object() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE stored_objects SET loose_since = now()
        WHERE tenant_id = OLD.tenant_id AND place = OLD.place AND sha256 = OLD.sha256;
        RETURN OLD;
    END $$
"""


def upgrade() -> None:
    op.create_table(
        "stored_objects",
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("place", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("loose_since", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "place", "sha256", name=op.f("pk_stored_objects")),
    )
    op.create_index(
        op.f("ix_stored_objects_loose_since"),
        "stored_objects",
        ["loose_since"],
        postgresql_where=sa.text("loose_since IS NOT NULL"),
    )
    op.create_table(
        "document_objects",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("place", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_document_objects")),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_document_objects_document_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "place", "sha256"],
            ["stored_objects.tenant_id", "stored_objects.place", "stored_objects.sha256"],
            name=op.f("fk_document_objects_tenant_id"),
        ),
    )
    op.create_index(
        op.f("ix_document_objects_tenant_id_place_sha256"), "document_objects", ["tenant_id", "place", "sha256"]
    )
    op.execute(_LET_GO)
    op.execute(
        "CREATE TRIGGER let_go_of_object BEFORE DELETE ON document_objects "
        "FOR EACH ROW EXECUTE FUNCTION let_go_of_object()"
    )
    for table in ("stored_objects", "document_objects"):
        isolate(table)


def downgrade() -> None:
    op.drop_table("document_objects")
    op.execute("DROP FUNCTION let_go_of_object()")
    op.drop_table("stored_objects")
