"""Summaries of the results of many queries: a few statements for a whole page of them."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from db.models import Answer, Citation, ModelCall, QueryKind, Verification, VerificationSentence

EXCERPT_CHARS = 200


class Judged(NamedTuple):
    """The deciding verification of a query: of the published answer, or of the submitted text."""

    verification_id: int
    excerpt: str
    confidence: float | None
    confidence_level: str | None
    relevance: dict[str, Any] | None
    """The verdict on whether the answer answers its question; None if nothing checked that."""
    is_broken: bool
    accuracy_rate: float | None
    is_grounded: bool | None
    attempts: int


class Answered(NamedTuple):
    """The answer of the last round."""

    abstained: bool
    removed_citations: int
    is_quoted: bool | None
    """Whether every citation is a direct quote; None without one."""


class Paid(NamedTuple):
    """Number and cost of model calls; a cached reply costs nothing and does not count as a call."""

    llm_calls: int
    cost_usd: float


def list_judged(session: Session, queries: Sequence[uuid.UUID], kind: QueryKind) -> dict[uuid.UUID, Judged]:
    statement = (
        select(
            Verification.query_id,
            Verification.id,
            func.left(Verification.answer, EXCERPT_CHARS),
            Verification.calibrated_confidence,
            Verification.confidence_level,
            Verification.checks["check_alignment"]["question"],
            Verification.checks.has_key("broken"),
            Verification.accuracy_rate,
            Verification.is_grounded,
            Verification.attempts,
        )
        .where(Verification.query_id.in_(queries))
        .ext(distinct_on(Verification.query_id))
    )
    if kind is QueryKind.ANSWER:
        statement = statement.where(Verification.kind == "published")
        statement = statement.order_by(Verification.query_id, Verification.id.desc())
    else:
        # As in `results.find_draft_verification`, a draft sorts before the published answer.
        statement = statement.order_by(Verification.query_id, Verification.kind, Verification.id)
    return {row[0]: Judged(*row[1:]) for row in session.execute(statement)}


def count_states(session: Session, verifications: Sequence[int]) -> Mapping[int, dict[str, int]]:
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    of, state = VerificationSentence.verification_id, VerificationSentence.status
    rows: Any = session.execute(select(of, state, func.count()).where(of.in_(verifications)).group_by(of, state))
    for verification, status, count in rows:
        counts[verification][status] = count
    return counts


def list_answered(session: Session, queries: Sequence[uuid.UUID]) -> dict[uuid.UUID, Answered]:
    rows = session.execute(
        select(
            Answer.query_id,
            Answer.abstained,
            func.jsonb_array_length(Answer.removed_citations),
            select(func.bool_and(Citation.citation_type == "direct_quote"))
            .where(Citation.answer_id == Answer.id)
            .scalar_subquery(),
        )
        .where(Answer.query_id.in_(queries))
        .ext(distinct_on(Answer.query_id))
        .order_by(Answer.query_id, Answer.round.desc())
    )
    return {row[0]: Answered(*row[1:]) for row in rows}


def sum_paid(session: Session, queries: Sequence[uuid.UUID]) -> dict[uuid.UUID, Paid]:
    rows = session.execute(
        select(
            ModelCall.query_id,
            func.count().filter(ModelCall.kept.is_(False)),
            func.coalesce(func.sum(ModelCall.cost_usd), 0),
        )
        .where(ModelCall.query_id.in_(queries))
        .group_by(ModelCall.query_id)
    )
    return {query: Paid(calls, float(cost)) for query, calls, cost in rows if query is not None}
