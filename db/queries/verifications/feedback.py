"""People's feedback on answers and verifications."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from db.models import Feedback, Query, QueryKind, Workspace
from db.queries.paging import Place, page
from domain.errors.missing import FeedbackNotFound


@dataclass(frozen=True, slots=True)
class FeedbackFilter:
    """Conditions on listed feedback; None leaves a property open."""

    status: str | None = None
    rating: str | None = None
    verdict: str | None = None
    relevant: str | None = None
    query_id: uuid.UUID | None = None


def add_feedback(session: Session, query_id: uuid.UUID, **values: Any) -> Feedback:
    row = Feedback(query_id=query_id, **values)
    session.add(row)
    session.flush()
    session.refresh(row)
    return row


def get_feedback(session: Session, feedback_id: uuid.UUID) -> Feedback:
    row = session.get(Feedback, feedback_id)
    if row is None:
        raise FeedbackNotFound(f"There is no feedback {feedback_id}.")
    return row


def list_feedback(
    session: Session, wanted: FeedbackFilter, *, after: Place | None = None, limit: int
) -> Sequence[Feedback]:
    equal = {
        Feedback.status: wanted.status,
        Feedback.rating: wanted.rating,
        Feedback.verdict: wanted.verdict,
        Feedback.relevant: wanted.relevant,
        Feedback.query_id: wanted.query_id,
    }
    statement = select(Feedback).where(*(column == value for column, value in equal.items() if value is not None))
    return session.scalars(page(statement, Feedback.created_at, Feedback.id, after=after, limit=limit)).all()


def queries_of(session: Session, reports: Sequence[Feedback]) -> dict[uuid.UUID, Query]:
    """Return the queries that the reports are about, by their ids."""
    asked = select(Query).where(Query.id.in_({row.query_id for row in reports}))
    return {query.id: query for query in session.scalars(asked)}


def review(session: Session, row: Feedback, reviewer: str | None) -> None:
    row.status, row.reviewed_by, row.reviewed_at = "reviewed", reviewer, func.now()
    session.flush()
    session.refresh(row)


def reopen(session: Session, row: Feedback) -> None:
    row.status, row.reviewed_by, row.reviewed_at = "open", None, None
    session.flush()


_IS_A_LABEL = or_(Query.review.is_(None), Query.review.in_(("queued", "released")), Feedback.reasons.is_not(None))


def list_judged(session: Session, workspace: str | None = None) -> Sequence[tuple[Feedback, QueryKind]]:
    """Return all feedback with a verdict, the oldest first, and whether it is on an answer or on a verification."""
    statement = (
        select(Feedback, Query.kind)
        .join(Query, Query.id == Feedback.query_id)
        # A reviewer's label of an answer that was held back takes precedence over all other labels.
        .where(Feedback.verdict.is_not(None), _IS_A_LABEL)
        .order_by(Feedback.created_at, Feedback.id)
    )
    if workspace is not None:
        statement = statement.join(Workspace, Workspace.id == Query.workspace_id).where(Workspace.name == workspace)
    return [(row, QueryKind(kind)) for row, kind in session.execute(statement)]
