"""conversations: questions of one workspace, each understood from those before it

Only adds. Programs of before know nothing of the new tables, and the queries that they ask belong to no conversation.
"""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import OWNER, isolate

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

_TABLES = ("conversations", "conversation_turns")


def upgrade() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("workspace_id", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("last_asked_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id"], ["tenants.id"], name=op.f("fk_conversations_tenant_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_conversations_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversations")),
    )
    for owner in ("tenant_id", "workspace_id"):
        op.create_index(
            op.f(f"ix_conversations_{owner}_last_asked_at_id"),
            "conversations",
            [owner, "last_asked_at", "id"],
            unique=False,
        )
    op.create_table(
        "conversation_turns",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("conversation_id", sa.Uuid(), nullable=False),
        sa.Column("query_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("replaces", sa.Uuid(), nullable=True),
        sa.Column("set_aside_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.id"],
            name=op.f("fk_conversation_turns_conversation_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["query_id"], ["queries.id"], name=op.f("fk_conversation_turns_query_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversation_turns")),
        sa.UniqueConstraint("query_id", name=op.f("uq_conversation_turns_query_id")),
    )
    op.create_index(
        "uq_conversation_turns_current",
        "conversation_turns",
        ["conversation_id", "position"],
        unique=True,
        postgresql_where=sa.text("set_aside_at IS NULL"),
    )
    op.create_index(
        op.f("ix_conversation_turns_conversation_id_position_id"),
        "conversation_turns",
        ["conversation_id", "position", "id"],
        unique=False,
    )
    for table in _TABLES:
        isolate(table)


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.drop_table(table)
