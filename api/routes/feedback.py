"""What people say of answers: given, queued for review, and kept as labels."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response

from api.http.paging import After, next_cursor
from api.http.uploads import require_json
from api.schemas.questions.feedback import (
    FeedbackCreate,
    FeedbackGiven,
    FeedbackList,
    FeedbackRead,
    FeedbackReview,
    FeedbackStatus,
    HumanVerdict,
    Rating,
    Relevant,
)
from db.queries.verifications.feedback import FeedbackFilter
from services.operations import feedback
from services.operations.feedback import NewFeedback, Review

router = APIRouter(prefix="/v1", tags=["feedback"])

_JSON = [Depends(require_json)]
_PATH = f"{router.prefix}/feedback"
Limit = Annotated[int, Query(ge=1, le=500)]


@router.post("/feedback", name="create_feedback", status_code=201, response_model=FeedbackRead, dependencies=_JSON)
def create(given: FeedbackCreate, response: Response) -> object:
    """Keep a person's judgement of an answer, of one of its sentences or of one of its citations."""
    return _kept(given.query_id, given, response)


@router.get("/feedback", response_model=FeedbackList)
def list_feedback(
    after: After,
    status: Annotated[FeedbackStatus | None, Query(description="`open` is the queue to review.")] = None,
    rating: Annotated[Rating | None, Query(description="Only with this rating.")] = None,
    verdict: Annotated[HumanVerdict | None, Query(description="Only with this verdict.")] = None,
    relevant: Annotated[Relevant | None, Query(description="`no`: only what is not what was asked.")] = None,
    query_id: Annotated[UUID | None, Query(description="Only on this question or verification.")] = None,
    limit: Limit = 50,
) -> object:
    """The newest feedback first; `next_cursor` leads to the next page."""
    reports = feedback.list_feedback(
        FeedbackFilter(status, rating, verdict, relevant, query_id), after=after, limit=limit
    )
    return {"feedback": reports, "next_cursor": next_cursor(reports, limit)}


@router.get("/feedback/{feedback_id}", response_model=FeedbackRead)
def get_feedback(feedback_id: UUID) -> object:
    """One judgement."""
    return feedback.read_feedback(feedback_id)


@router.patch("/feedback/{feedback_id}", response_model=FeedbackRead, dependencies=_JSON)
def review_feedback(feedback_id: UUID, decided: FeedbackReview) -> object:
    """Decide on a judgement, and take it out of the queue or put it back."""
    review = Review(
        decided.status, decided.verdict, decided.relevant, decided.reason, decided.corrected_answer, decided.reviewer
    )
    return feedback.review_feedback(feedback_id, review)


@router.delete("/feedback/{feedback_id}", status_code=204)
def delete_feedback(feedback_id: UUID) -> None:
    """Delete a judgement."""
    feedback.remove_feedback(feedback_id)


@router.post(
    "/queries/{query_id}/feedback",
    name="create_query_feedback",
    status_code=201,
    response_model=FeedbackRead,
    dependencies=_JSON,
)
def create_for_query(query_id: UUID, given: FeedbackGiven, response: Response) -> object:
    """Keep a person's judgement of the answer to this question."""
    return _kept(query_id, given, response)


@router.get("/queries/{query_id}/feedback", response_model=FeedbackList)
def list_query_feedback(query_id: UUID, after: After, limit: Limit = 50) -> object:
    """What people said of the answer to a question, newest first."""
    reports = feedback.list_feedback(FeedbackFilter(query_id=query_id), after=after, limit=limit)
    return {"feedback": reports, "next_cursor": next_cursor(reports, limit)}


def _kept(query_id: UUID, given: FeedbackGiven, response: Response) -> object:
    place = "sentence" if given.sentence is not None else "citation" if given.citation is not None else "answer"
    position = given.sentence if given.sentence is not None else given.citation
    new = NewFeedback(
        query_id=query_id,
        place=place,
        position=position,
        rating=given.rating,
        verdict=given.verdict,
        relevant=given.relevant,
        reason=given.reason,
        corrected=given.corrected_answer,
        author=given.author,
    )
    kept = feedback.give_feedback(new)
    response.headers["Location"] = f"{_PATH}/{kept['id']}"
    return kept
