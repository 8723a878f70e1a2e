"""Rows of the verification history for the metrics of S2.7 and S3.7, and the stored runs of evaluations."""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Executable, select
from sqlalchemy.orm import Session

from db.base import OWN_TENANT
from db.models import (
    Answer,
    Citation,
    CitationCheck,
    Evaluation,
    Query,
    QueryKind,
    StepOutcome,
    Verification,
    VerificationSentence,
)
from db.queries.runs.queries import workspace_id_of


class VerifiedRow(NamedTuple):
    """One row of the history: a verification of one answer.

    `confidence` is that of the answer (V9), `draft_confidence` the score of the claims of its draft (S2.2).
    """

    query_id: uuid.UUID
    verification_id: int
    kind: str
    confidence: float | None
    draft_confidence: float | None
    attempts: int
    checks: dict[str, Any]
    provider: str


def newest_queries(
    session: Session, workspace: str | None, limit: int, since: datetime | None = None
) -> dict[uuid.UUID, datetime]:
    """Return the newest questions with verified answers, and their times. Verifications of external answers are
    excluded, because they say nothing about Citewell's own answers."""
    verified = select(Verification.id).where(Verification.query_id == Query.id).exists()
    statement = select(Query.id, Query.created_at).where(
        Query.kind == QueryKind.ANSWER, Query.tenant_id == OWN_TENANT, verified
    )
    if workspace is not None:
        statement = statement.where(Query.workspace_id == workspace_id_of(workspace))
    if since is not None:
        statement = statement.where(Query.created_at >= since)
    rows = session.execute(statement.order_by(Query.created_at.desc(), Query.id.desc()).limit(limit))
    return {row.id: row.created_at for row in rows}


def list_verified(session: Session, queries: Collection[uuid.UUID]) -> list[VerifiedRow]:
    rows = session.execute(
        select(
            Verification.query_id,
            Verification.id,
            Verification.kind,
            Verification.calibrated_confidence,
            Verification.draft_confidence,
            Verification.attempts,
            Verification.checks,
            Query.provider,
        )
        .join(Query, Query.id == Verification.query_id)
        .where(Verification.query_id.in_(queries))
        .order_by(Verification.id)
    )
    return [VerifiedRow(*row) for row in rows]


def list_states(session: Session, verifications: Collection[int]) -> list[tuple[int, str]]:
    """Return (verification, state) of every sentence."""
    return _rows(
        session,
        select(VerificationSentence.verification_id, VerificationSentence.status)
        .where(VerificationSentence.verification_id.in_(verifications))
        .order_by(VerificationSentence.verification_id, VerificationSentence.position),
    )


def list_cited(session: Session, verifications: Collection[int]) -> list[tuple[int, str, bool]]:
    """Return (verification, state, has a citation) of every sentence of published answers."""
    cited = (
        select(Citation.id)
        .join(Answer, Answer.id == Citation.answer_id)
        .where(Answer.query_id == Verification.query_id, Citation.answer_start == VerificationSentence.start)
        .exists()
    )
    return _rows(
        session,
        select(Verification.id, VerificationSentence.status, cited)
        .join(Verification, Verification.id == VerificationSentence.verification_id)
        .where(VerificationSentence.verification_id.in_(verifications)),
    )


def list_citation_states(session: Session, verifications: Collection[int]) -> list[tuple[int, str]]:
    return _rows(
        session,
        select(CitationCheck.verification_id, CitationCheck.status).where(
            CitationCheck.verification_id.in_(verifications),
            CitationCheck.citation_number.is_not(None),
            ~CitationCheck.item.like("%:repair"),
        ),
    )


def list_rerankings(
    session: Session, queries: Collection[uuid.UUID]
) -> list[tuple[uuid.UUID, str, str, dict[str, Any]]]:
    """Return (query, step, item, outcome) of reranking and selection in first rounds."""
    return _rows(
        session,
        select(StepOutcome.query_id, StepOutcome.step, StepOutcome.item, StepOutcome.value).where(
            StepOutcome.query_id.in_(queries),
            StepOutcome.round == 0,
            StepOutcome.step.in_(("score_chunks", "select")),
            StepOutcome.value.is_not(None),
        ),
    )


def _rows(session: Session, statement: Executable) -> list[Any]:
    return [tuple(row) for row in session.execute(statement)]


def add_evaluation(session: Session, evaluation: Evaluation) -> None:
    session.add(evaluation)


def list_evaluations(session: Session, limit: int) -> list[Evaluation]:
    return list(session.scalars(select(Evaluation).order_by(Evaluation.created_at.desc(), Evaluation.id).limit(limit)))
