"""rounds, claims with evidence, repairs"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_JSONB = postgresql.JSONB(none_as_null=True, astext_type=sa.Text())


def upgrade() -> None:
    op.add_column("verifications", sa.Column("kind", sa.String(), server_default="published", nullable=False))
    op.add_column("verifications", sa.Column("verifier", sa.String(), nullable=True))
    op.add_column("verifications", sa.Column("draft_confidence", sa.Double(), nullable=True))
    op.add_column("verifications", sa.Column("calibrated_confidence", sa.Double(), nullable=True))
    op.add_column("verifications", sa.Column("calibration", _JSONB, nullable=True))
    op.add_column("verifications", sa.Column("suggested_corrections", _JSONB, server_default="[]", nullable=False))
    op.add_column("verifications", sa.Column("attempts", sa.Integer(), server_default="0", nullable=False))
    op.add_column(
        "verifications", sa.Column("additional_context_used", sa.Boolean(), server_default="false", nullable=False)
    )
    op.add_column("verification_sentences", sa.Column("support", sa.Double(), nullable=True))
    op.add_column("citation_checks", sa.Column("evidence", sa.String(), nullable=True))
    op.add_column("citation_checks", sa.Column("decided_by", sa.String(), nullable=True))
    # A claim was verified or not; now it has one of three states, and a quotation that was looked for.
    op.add_column("verification_claims", sa.Column("status", sa.String(), nullable=True))
    op.add_column("verification_claims", sa.Column("evidence", sa.String(), nullable=True))
    op.add_column("verification_claims", sa.Column("source", _JSONB, nullable=True))
    op.add_column("verification_claims", sa.Column("reasoning", sa.String(), server_default="", nullable=False))
    op.execute("UPDATE verification_claims SET status = CASE WHEN verified THEN 'SUPPORTED' ELSE 'UNSUPPORTED' END")
    op.alter_column("verification_claims", "status", nullable=False)
    op.alter_column("verification_claims", "reasoning", server_default=None)
    op.drop_column("verification_claims", "verified")
    op.drop_column("verification_claims", "supporting_sources")
    op.drop_column("verification_claims", "confidence")


def downgrade() -> None:
    op.add_column("verification_claims", sa.Column("confidence", sa.Double(), server_default="0", nullable=False))
    op.add_column("verification_claims", sa.Column("supporting_sources", _JSONB, server_default="[]", nullable=False))
    op.add_column("verification_claims", sa.Column("verified", sa.Boolean(), server_default="false", nullable=False))
    op.execute("UPDATE verification_claims SET verified = status = 'SUPPORTED'")
    for column in ("confidence", "supporting_sources", "verified"):
        op.alter_column("verification_claims", column, server_default=None)
    for column in ("status", "evidence", "source", "reasoning"):
        op.drop_column("verification_claims", column)
    op.drop_column("citation_checks", "decided_by")
    op.drop_column("citation_checks", "evidence")
    op.drop_column("verification_sentences", "support")
    for column in (
        "additional_context_used",
        "attempts",
        "suggested_corrections",
        "calibration",
        "calibrated_confidence",
        "draft_confidence",
        "verifier",
        "kind",
    ):
        op.drop_column("verifications", column)
