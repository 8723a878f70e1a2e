"""People's feedback: stored with its subject, reviewed, and read again (docs/evaluation.md)."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sqlalchemy.orm import Session

from db.base import row_json
from db.models import Feedback, Query, QueryKind, QueryStatus
from db.queries.paging import Place
from db.queries.runs.queries import get_query
from db.queries.verifications import feedback as rows
from db.queries.verifications.feedback import FeedbackFilter
from db.session import reading, transaction
from domain.errors.access import ScopeMissing
from domain.errors.requests import PlaceNotFound
from domain.errors.state import AnswerHeld, ReviewUndecided
from domain.query.workspace_rules import Decision
from services.external.verification_results import read_verification
from services.finishing.completion import decide
from services.queries.results import read_query, withheld

FeedbackPlace = Literal["answer", "sentence", "citation"]
_LISTS = {"sentence": "sentences", "citation": "citations"}


@dataclass(frozen=True, slots=True)
class NewFeedback:
    """A judgement of the whole answer, or of the sentence or citation at `position`."""

    query_id: uuid.UUID
    place: FeedbackPlace
    position: int | None
    rating: str | None
    verdict: str | None
    relevant: str | None
    reason: str | None
    corrected: str | None
    author: str | None


@dataclass(frozen=True, slots=True)
class Review:
    """A reviewer's decision; None leaves a field as it is."""

    status: Literal["open", "reviewed"] | None
    verdict: str | None
    relevant: str | None
    reason: str | None
    corrected: str | None
    reviewer: str | None
    decision: Decision | None = None
    """The decision on an answer that is held back."""


def give_feedback(new: NewFeedback, *, to_reviewer: bool) -> dict[str, Any]:
    """Store the feedback with the words that it is about. Without `to_reviewer`, a caller neither sees nor judges an
    answer that is held back.

    Raises QueryNotFound, PlaceNotFound, AnswerHeld.
    """
    excerpt = _excerpt(new, to_reviewer=to_reviewer)
    with transaction() as session:
        query = get_query(session, new.query_id)
        if new.verdict and not to_reviewer and query.status != QueryStatus.SUCCEEDED and withheld(query):
            raise AnswerHeld
        row = rows.add_feedback(session, **asdict(new), excerpt=excerpt)
        return _as_json(session, [row], to_reviewer=to_reviewer)[0]


def read_feedback(feedback_id: uuid.UUID, *, to_reviewer: bool) -> dict[str, Any]:
    with reading() as session:
        return _as_json(session, [rows.get_feedback(session, feedback_id)], to_reviewer=to_reviewer)[0]


def list_feedback(
    wanted: FeedbackFilter, *, after: Place | None = None, limit: int, to_reviewer: bool
) -> list[dict[str, Any]]:
    with reading() as session:
        if wanted.query_id is not None:
            get_query(session, wanted.query_id)
        return _as_json(session, rows.list_feedback(session, wanted, after=after, limit=limit), to_reviewer=to_reviewer)


def read_reviewed(feedback_id: uuid.UUID) -> dict[str, Any]:
    """Return the question with its answer, marks and sources, even while only reviewers may see them. Raises
    FeedbackNotFound, and QueryNotFound for feedback on a verification."""
    with reading() as session:
        query_id = rows.get_feedback(session, feedback_id).query_id
    return read_query(query_id, to_reviewer=True)


def review_feedback(feedback_id: uuid.UUID, review: Review, *, to_reviewer: bool) -> dict[str, Any]:
    """Store the decision; a `decision` ends the query of a held answer, and is a label of it.

    Raises FeedbackNotFound, NotHeld, ReviewUndecided, BadInput.
    """
    with transaction() as session:
        row = rows.get_feedback(session, feedback_id)
        _require_reviewer(row, to_reviewer=to_reviewer)
        for name in ("verdict", "relevant", "reason", "corrected"):
            if (value := getattr(review, name)) is not None:
                setattr(row, name, value)
        if review.decision:
            if row.verdict is None and row.relevant != "no":
                row.verdict = "supported" if review.decision == "release" else "unsupported"
            rows.review(session, row, review.reviewer)
            decide(session, row, review.decision, review.corrected)
        elif review.status == "reviewed":
            _require_decided(session, row)
            rows.review(session, row, review.reviewer)
        elif review.status == "open":
            rows.reopen(session, row)
        return _as_json(session, [row], to_reviewer=to_reviewer)[0]


def remove_feedback(feedback_id: uuid.UUID, *, to_reviewer: bool) -> None:
    """Delete feedback. Raises FeedbackNotFound, ScopeMissing, and ReviewUndecided where an answer would be held back
    for ever."""
    with transaction() as session:
        row = rows.get_feedback(session, feedback_id)
        _require_reviewer(row, to_reviewer=to_reviewer)
        _require_decided(session, row)
        session.delete(row)


def _require_reviewer(row: Feedback, *, to_reviewer: bool) -> None:
    """Raise ScopeMissing unless a reviewer calls: answers that the rules of a workspace sent to review are for
    reviewers only, after the decision as well."""
    if row.reasons is not None and not to_reviewer:
        raise ScopeMissing("An answer that was sent to a reviewer needs a key with the scope 'review'.")


def _require_decided(session: Session, row: Feedback) -> None:
    if row.reasons is not None and get_query(session, row.query_id).status == QueryStatus.HELD:
        raise ReviewUndecided


def _excerpt(new: NewFeedback, *, to_reviewer: bool) -> str | None:
    with reading() as session:
        kind = get_query(session, new.query_id).kind
    is_given = kind == QueryKind.VERIFICATION
    result = read_verification(new.query_id) if is_given else read_query(new.query_id, to_reviewer=to_reviewer)
    if new.position is None:
        return result["answer"]
    name = _LISTS[new.place]
    scores: Mapping[str, Any] = result["verification"] or {}
    listed: Sequence[Mapping[str, Any]] = result.get(name) or scores.get(name, ())
    if new.position >= len(listed):
        raise PlaceNotFound(f"The number of {name} in the result is {len(listed)}; there is none at this place.")
    place = listed[new.position]
    # A citation of an answer has its statement under another name than a citation of a verification.
    return place.get("claim_text") or place.get("statement") or place.get("text")


def _as_json(session: Session, reports: Sequence[Feedback], *, to_reviewer: bool) -> list[dict[str, Any]]:
    judged = rows.queries_of(session, reports)
    return [_report_json(row, judged[row.query_id], to_reviewer=to_reviewer) for row in reports]


def _report_json(row: Feedback, query: Query, *, to_reviewer: bool) -> dict[str, Any]:
    return {
        **row_json(row, "id query_id place position rating verdict relevant reason author reasons status"),
        **row_json(row, "reviewed_by reviewed_at created_at"),
        "question": query.question or None,
        "excerpt": row.excerpt if to_reviewer or not withheld(query) else None,
        "corrected_answer": row.corrected,
        "review": query.review if row.reasons is not None else None,
    }
