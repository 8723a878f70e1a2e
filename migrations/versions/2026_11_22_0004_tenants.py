"""tenants and their keys; every row belongs to one of them"""

import secrets
from base64 import b64encode

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations.tenancy import OWNER, isolate, open_up

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_JSONB = postgresql.JSONB(none_as_null=True, astext_type=sa.Text())

# Both ways in the order of their foreign keys.
_TABLES = (
    "workspaces documents document_files chunks queries step_outcomes answers citations verifications "
    "verification_sentences verification_claims citation_checks model_calls events"
).split()
_WITH_FOREIGN_KEY = ("workspaces", "documents", "queries")


def upgrade() -> None:
    op.create_table(
        "tenants",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("callback_secret", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tenants")),
        sa.UniqueConstraint("name", name=op.f("uq_tenants_name")),
    )
    secret = "whsec_" + b64encode(secrets.token_bytes(32)).decode()
    tenants = sa.table("tenants", sa.column("id"), sa.column("name"), sa.column("callback_secret"))
    op.execute(tenants.insert().values(id=1, name="default", callback_secret=secret))
    # The next one must not be the first again.
    op.execute("SELECT setval(pg_get_serial_sequence('tenants', 'id'), 1)")
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("scopes", _JSONB, nullable=False),
        sa.Column("requests_per_minute", sa.Integer(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_api_keys_tenant_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
    )
    op.create_index(op.f("ix_api_keys_tenant_id"), "api_keys", ["tenant_id"], unique=False)
    for table in _TABLES:
        # What is there belongs to the first tenant; a constant default does not rewrite the table.
        op.add_column(table, sa.Column("tenant_id", sa.BigInteger(), server_default="1", nullable=False))
        op.alter_column(table, "tenant_id", server_default=OWNER)
    for table in _WITH_FOREIGN_KEY:
        op.create_foreign_key(f"fk_{table}_tenant_id", table, "tenants", ["tenant_id"], ["id"], ondelete="CASCADE")
    op.create_index("ix_documents_tenant_id", "documents", ["tenant_id"])
    op.drop_constraint("uq_workspaces_name", "workspaces")
    op.create_unique_constraint("uq_workspaces_tenant_id_name", "workspaces", ["tenant_id", "name"])
    op.drop_index("ix_queries_created_at", table_name="queries")
    op.create_index("ix_queries_tenant_id_created_at_id", "queries", ["tenant_id", "created_at", "id"])
    for table in (*_TABLES, "api_keys"):
        isolate(table)
    isolate("tenants", "id")


def downgrade() -> None:
    for table in (*_TABLES, "api_keys", "tenants"):
        open_up(table)
    op.execute("DELETE FROM tenants WHERE id <> 1")
    op.drop_index("ix_queries_tenant_id_created_at_id", table_name="queries")
    op.create_index("ix_queries_created_at", "queries", ["created_at"])
    op.drop_constraint("uq_workspaces_tenant_id_name", "workspaces")
    op.create_unique_constraint("uq_workspaces_name", "workspaces", ["name"])
    for table in _TABLES:
        op.drop_column(table, "tenant_id")
    op.drop_table("api_keys")
    op.drop_table("tenants")
