"""People's feedback: kept with what it is about, reviewed, and read again (docs/evaluation.md)."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy.orm import Session

from db.models import Feedback, QueryKind
from db.queries.paging import Place
from db.queries.runs.queries import get_query
from db.queries.verifications import feedback as rows
from db.queries.verifications.feedback import FeedbackFilter
from db.session import reading, transaction
from domain.errors import PlaceNotFound
from services.external.verification_results import read_verification
from services.queries.results import read_query

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
    """What a reviewer decides; None leaves a field as it is."""

    status: Literal["open", "reviewed"] | None
    verdict: str | None
    relevant: str | None
    reason: str | None
    corrected: str | None
    reviewer: str | None


def give_feedback(new: NewFeedback) -> dict[str, Any]:
    excerpt = _excerpt(new)
    with transaction() as session:
        row = rows.add_feedback(
            session,
            new.query_id,
            place=new.place,
            position=new.position,
            excerpt=excerpt,
            rating=new.rating,
            verdict=new.verdict,
            relevant=new.relevant,
            reason=new.reason,
            corrected=new.corrected,
            author=new.author,
        )
        return _as_json(session, [row])[0]


def read_feedback(feedback_id: uuid.UUID) -> dict[str, Any]:
    with reading() as session:
        return _as_json(session, [rows.get_feedback(session, feedback_id)])[0]


def list_feedback(wanted: FeedbackFilter, *, after: Place | None = None, limit: int) -> list[dict[str, Any]]:
    with reading() as session:
        if wanted.query_id is not None:
            get_query(session, wanted.query_id)
        return _as_json(session, rows.list_feedback(session, wanted, after=after, limit=limit))


def review_feedback(feedback_id: uuid.UUID, review: Review) -> dict[str, Any]:
    with transaction() as session:
        row = rows.get_feedback(session, feedback_id)
        for name in ("verdict", "relevant", "reason", "corrected"):
            if (value := getattr(review, name)) is not None:
                setattr(row, name, value)
        if review.status == "reviewed":
            rows.review(session, row, review.reviewer)
        elif review.status == "open":
            rows.reopen(session, row)
        return _as_json(session, [row])[0]


def remove_feedback(feedback_id: uuid.UUID) -> None:
    with transaction() as session:
        session.delete(rows.get_feedback(session, feedback_id))


def _excerpt(new: NewFeedback) -> str | None:
    with reading() as session:
        kind = get_query(session, new.query_id).kind
    result = read_verification(new.query_id) if kind == QueryKind.VERIFICATION else read_query(new.query_id)
    if new.position is None:
        return result["answer"]
    name = _LISTS[new.place]
    scores: Mapping[str, Any] = result["verification"] or {}
    listed: Sequence[Mapping[str, Any]] = result.get(name) or scores.get(name, ())
    if new.position >= len(listed):
        raise PlaceNotFound(f"The result has {len(listed)} {name}; {new.position} is none of them (from 0).")
    place = listed[new.position]
    # A citation of an answer has its statement under another name than one of a verification.
    return place.get("claim_text") or place.get("statement") or place.get("text")


def _as_json(session: Session, reports: Sequence[Feedback]) -> list[dict[str, Any]]:
    questions = rows.questions_of(session, reports)
    return [_report_json(row, questions[row.query_id]) for row in reports]


def _report_json(row: Feedback, question: str) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "query_id": str(row.query_id),
        "question": question or None,
        "place": row.place,
        "position": row.position,
        "excerpt": row.excerpt,
        "rating": row.rating,
        "verdict": row.verdict,
        "relevant": row.relevant,
        "reason": row.reason,
        "corrected_answer": row.corrected,
        "author": row.author,
        "status": row.status,
        "reviewed_by": row.reviewed_by,
        "reviewed_at": row.reviewed_at.isoformat() if row.reviewed_at else None,
        "created_at": row.created_at.isoformat(),
    }
