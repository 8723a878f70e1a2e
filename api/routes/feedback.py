"""Judgements of answers by people: given, queued for review, and stored as labels."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response

from api.http.accepted_requests import require_json
from api.http.paging import After, next_cursor
from api.http.security import has_scope
from api.schemas.questions.answers import QueryRead
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
from api.schemas.texts import fields_for
from clients.notifications import notify_end
from db.queries.verifications.feedback import FeedbackFilter
from domain.errors.access import ScopeMissing
from domain.keys import Scope
from services.operations import feedback
from services.operations.feedback import NewFeedback, Review

router = APIRouter(prefix="/v1", tags=["feedback"])

_JSON = [Depends(require_json)]
_PATH = f"{router.prefix}/feedback"
Limit = Annotated[int, Query(ge=1, le=500)]


def may_review(request: Request) -> bool:
    return has_scope(request, Scope.REVIEW)


def require_reviewer(request: Request) -> None:
    if not may_review(request):
        raise ScopeMissing(f"This needs a key with the scope {Scope.REVIEW.value!r}; yours does not have it.")


IsReviewer = Annotated[bool, Depends(may_review)]


@router.post("/feedback", name="create_feedback", status_code=201, response_model=FeedbackRead, dependencies=_JSON)
def create(given: FeedbackCreate, response: Response, is_reviewer: IsReviewer) -> object:
    """Keep a person's judgement of an answer, of one of its sentences or of one of its citations."""
    return _kept(given.query_id, given, response, is_reviewer)


@router.get("/feedback", response_model=FeedbackList)
def list_feedback(
    after: After,
    is_reviewer: IsReviewer,
    status: Annotated[FeedbackStatus | None, Query(description="`open` is the queue of feedback to review.")] = None,
    rating: Annotated[Rating | None, Query(description="Only feedback with this rating.")] = None,
    verdict: Annotated[HumanVerdict | None, Query(description="Only feedback with this verdict.")] = None,
    relevant: Annotated[
        Relevant | None, Query(description="`no`: only feedback on answers that are not what was asked.")
    ] = None,
    query_id: Annotated[UUID | None, Query(description="Only feedback on this question or verification.")] = None,
    limit: Limit = 50,
) -> object:
    """The newest feedback first; `next_cursor` leads to the next page."""
    wanted = FeedbackFilter(status, rating, verdict, relevant, query_id)
    reports = feedback.list_feedback(wanted, after=after, limit=limit, to_reviewer=is_reviewer)
    return {"feedback": reports, "next_cursor": next_cursor(reports, limit)}


@router.get("/feedback/{feedback_id}", response_model=FeedbackRead)
def get_feedback(feedback_id: UUID, is_reviewer: IsReviewer) -> object:
    """One judgement."""
    return feedback.read_feedback(feedback_id, to_reviewer=is_reviewer)


@router.get(
    "/feedback/{feedback_id}/answer",
    response_model=QueryRead,
    response_model_exclude_unset=True,
    dependencies=[Depends(require_reviewer)],
)
def get_feedback_answer(feedback_id: UUID) -> object:
    """The question that the judgement is about, with the answer, its marks and its sources, even while they are held
    back."""
    return feedback.read_reviewed(feedback_id)


@router.patch("/feedback/{feedback_id}", response_model=FeedbackRead, dependencies=_JSON)
def review_feedback(feedback_id: UUID, decided: FeedbackReview, request: Request, is_reviewer: IsReviewer) -> object:
    """Decide on a judgement, and take it out of the queue or put it back.

    An answer that is held back is released, corrected or rejected by a `decision`, which needs a key with the scope
    `review`.
    """
    if decided.decision:
        require_reviewer(request)
    review = Review(**fields_for(Review, decided), corrected=decided.corrected_answer)
    kept = feedback.review_feedback(feedback_id, review, to_reviewer=is_reviewer)
    if decided.decision:
        notify_end(UUID(kept["query_id"]))
    return kept


@router.delete("/feedback/{feedback_id}", status_code=204)
def delete_feedback(feedback_id: UUID, is_reviewer: IsReviewer) -> None:
    """Delete a judgement."""
    feedback.remove_feedback(feedback_id, to_reviewer=is_reviewer)


@router.post(
    "/queries/{query_id}/feedback",
    name="create_query_feedback",
    status_code=201,
    response_model=FeedbackRead,
    dependencies=_JSON,
)
def create_for_query(query_id: UUID, given: FeedbackGiven, response: Response, is_reviewer: IsReviewer) -> object:
    """Keep a person's judgement of the answer to this question."""
    return _kept(query_id, given, response, is_reviewer)


@router.get("/queries/{query_id}/feedback", response_model=FeedbackList)
def list_query_feedback(query_id: UUID, after: After, is_reviewer: IsReviewer, limit: Limit = 50) -> object:
    """The judgements of the answer to a question by people, newest first."""
    wanted = FeedbackFilter(query_id=query_id)
    reports = feedback.list_feedback(wanted, after=after, limit=limit, to_reviewer=is_reviewer)
    return {"feedback": reports, "next_cursor": next_cursor(reports, limit)}


def _kept(query_id: UUID, given: FeedbackGiven, response: Response, is_reviewer: bool) -> object:
    place = "sentence" if given.sentence is not None else "citation" if given.citation is not None else "answer"
    position = given.sentence if given.sentence is not None else given.citation
    told: dict[str, Any] = {
        "query_id": query_id,
        "place": place,
        "position": position,
        "corrected": given.corrected_answer,
    }
    new = NewFeedback(**fields_for(NewFeedback, given) | told)
    kept = feedback.give_feedback(new, to_reviewer=is_reviewer)
    response.headers["Location"] = f"{_PATH}/{kept['id']}"
    return kept
