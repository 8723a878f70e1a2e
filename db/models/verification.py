"""The verification history: one row per attempt, with its sentences, claims and citation checks. Append-only.
Evaluations (N8) say how well verification does on labelled data.
"""

import uuid

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, CreatedAt, Json, Owned


class Verification(Base):
    """One verification of one answer (S1.8, S2.4). `checks` records for each check whether it ran, fell back or did not
    run.

    `kind` is `attempt` for the draft of a round that was followed by another (S2.3), `published` for the answer that
    users see. `calibrated_confidence` is the confidence of `answer` (V9), `confidence_level` its word and `calibration`
    the calibration behind it (N8); `confidence` is the score of its claims, `draft_confidence` that of the draft before
    repairs (S2.2): the names are older than V9, and audits hash them. Scores are null when the verification as a whole
    failed (S1.6); the reason is then in `issues`.
    """

    __tablename__ = "verifications"
    __table_args__ = (Index(None, "query_id"),)

    id: Mapped[BigId]
    tenant_id: Mapped[Owned]
    query_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"))
    round: Mapped[int]
    kind: Mapped[str] = mapped_column(server_default="published")
    verifier: Mapped[str | None]
    answer: Mapped[str]
    overall_score: Mapped[float | None]
    answer_source_alignment: Mapped[float | None]
    citation_coverage: Mapped[float | None]
    fact_verification_score: Mapped[float | None]
    confidence: Mapped[float | None]
    confidence_level: Mapped[str | None]
    draft_confidence: Mapped[float | None]
    calibrated_confidence: Mapped[float | None]
    calibration: Mapped[Json | None]
    is_grounded: Mapped[bool | None]
    claims_checked: Mapped[int]
    claims_supported: Mapped[int]
    accuracy_rate: Mapped[float | None]
    issues: Mapped[list[str]]
    verified_sources: Mapped[list[str]]
    unverified_claims: Mapped[list[str]]
    suggested_corrections: Mapped[list[str]] = mapped_column(server_default="[]")
    attempts: Mapped[int] = mapped_column(server_default="0")
    additional_context_used: Mapped[bool] = mapped_column(server_default="false")
    checks: Mapped[Json]
    created_at: Mapped[CreatedAt]


class VerificationSentence(Base):
    """N4: one sentence of the published answer and its state; offsets are code points of the answer.

    `evidence` is an exact quote from `source`; `reason` explains the state; `support` is the calibrated probability
    that the sources support the sentence, null when that was not checked.
    """

    __tablename__ = "verification_sentences"

    verification_id: Mapped[int] = mapped_column(ForeignKey("verifications.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[Owned]
    position: Mapped[int] = mapped_column(primary_key=True)
    start: Mapped[int]
    end: Mapped[int]
    text: Mapped[str]
    status: Mapped[str]
    reason: Mapped[str]
    support: Mapped[float | None]
    evidence: Mapped[str | None]
    source: Mapped[Json | None]


class VerificationClaim(Base):
    """S2.1: one claim that the fast model extracted from the answer. `evidence` is a passage of `source`, or null."""

    __tablename__ = "verification_claims"

    verification_id: Mapped[int] = mapped_column(ForeignKey("verifications.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[Owned]
    position: Mapped[int] = mapped_column(primary_key=True)
    claim: Mapped[str]
    status: Mapped[str]
    evidence: Mapped[str | None]
    source: Mapped[Json | None]
    reasoning: Mapped[str]


class CitationCheck(Base):
    """S5.4: one (statement, number) pair of the original answer, checked against the source that it cites.

    `decided_by` is `model`, or `evidence` when the source's text overruled the model's reply. `second_look` is the
    second question to the judge, with both answers (`citewell_verify.verdicts.ruling.SecondLook`).
    """

    __tablename__ = "citation_checks"

    verification_id: Mapped[int] = mapped_column(ForeignKey("verifications.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[Owned]
    item: Mapped[str] = mapped_column(primary_key=True)
    statement: Mapped[str]
    citation_number: Mapped[int | None]
    chunk_id: Mapped[str | None]
    source_file: Mapped[str | None]
    source_page: Mapped[int | None]
    is_accurate: Mapped[bool | None]
    relation: Mapped[str | None]
    confidence: Mapped[float | None]
    explanation: Mapped[str]
    evidence: Mapped[str | None]
    decided_by: Mapped[str | None]
    second_look: Mapped[Json | None]
    status: Mapped[str]


class Evaluation(Base):
    """One finished run; `kind` is `verification` or `retrieval`, `n` counts its pairs or questions.

    `files` has the name and SHA-256 of each input file, `results` the JSON that the command printed.
    """

    __tablename__ = "evaluations"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    kind: Mapped[str]
    verifier: Mapped[str]
    provider: Mapped[str]
    files: Mapped[list[dict[str, object]]]
    n: Mapped[int]
    results: Mapped[Json]
    created_at: Mapped[CreatedAt] = mapped_column(index=True)
