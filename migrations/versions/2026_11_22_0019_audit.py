"""the audit: chains of hashes, what a model was asked, verifications of stored answers

Only adds. The index is made without holding up writers; each step can be repeated after an interruption.
"""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import OWNER, isolate

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_INDEXES = {
    "ix_queries_reverifies": ("reverifies", "reverifies IS NOT NULL"),
    "ix_queries_erasable": ("finished_at", "finished_at IS NOT NULL AND replies_erased_at IS NULL"),
}
# A chain goes with its query and in no other way: then the query is gone before it.
_REFUSE = """
    CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' AND NOT EXISTS (SELECT FROM queries WHERE id = OLD.query_id) THEN
            RETURN OLD;
        END IF;
        RAISE EXCEPTION 'the audit is append-only' USING ERRCODE = 'integrity_constraint_violation';
    END $$
"""


def upgrade() -> None:
    op.create_table(
        "audit_chains",
        sa.Column("query_id", sa.Uuid(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("format", sa.Integer(), nullable=False),
        sa.Column("head", sa.String(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("records", sa.ARRAY(sa.String()), nullable=False),
        sa.Column("hashes", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("query_id", name=op.f("pk_audit_chains")),
        sa.ForeignKeyConstraint(
            ["query_id"], ["queries.id"], name=op.f("fk_audit_chains_query_id"), ondelete="CASCADE"
        ),
    )
    isolate("audit_chains")
    op.execute(_REFUSE)
    op.execute(
        "CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_chains "
        "FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()"
    )
    op.execute(
        "CREATE TRIGGER never_emptied BEFORE TRUNCATE ON audit_chains "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()"
    )
    # What older code leaves out: of its calls nobody knows to the byte what was asked.
    op.add_column("model_calls", sa.Column("prompt_sha256", sa.String(), nullable=True))
    op.add_column("queries", sa.Column("reverifies", sa.Uuid(), nullable=True))
    op.add_column("queries", sa.Column("replies_erased_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("given_sources", sa.Column("context", sa.String(), nullable=True))
    with op.get_context().autocommit_block():
        for name, (column, where) in _INDEXES.items():
            # What an interrupted attempt left behind is no index that can be used.
            op.drop_index(name, "queries", if_exists=True, postgresql_concurrently=True)
            op.create_index(name, "queries", [column], postgresql_where=sa.text(where), postgresql_concurrently=True)


def downgrade() -> None:
    for name in _INDEXES:
        op.drop_index(name, "queries", if_exists=True)
    for column in ("replies_erased_at", "reverifies"):
        op.drop_column("queries", column)
    op.drop_column("given_sources", "context")
    op.drop_column("model_calls", "prompt_sha256")
    op.drop_table("audit_chains")
    op.execute("DROP FUNCTION refuse_audit_change()")
