"""Verification of answers that another system produced (N2)."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse, StreamingResponse

from api.answers.external_answers import as_new
from api.answers.streaming import EVENTS, LastEventId, event_stream
from api.answers.waiting import Wait, read_when_final, whole
from api.http.accepted_requests import require_json
from api.http.capacity import ROOM_FOR_A_QUESTION, MaybeRepeated, hand_on
from api.http.paging import After, next_cursor
from api.schemas.questions.queries import QueryState
from api.schemas.verification.history import HistoryRead
from api.schemas.verification.verifications import (
    VerificationAccepted,
    VerificationCreate,
    VerificationHead,
    VerificationLinks,
    VerificationList,
    VerificationResult,
)
from clients.notifications import notify_end
from db.models import QueryKind
from services.core.model_choice import current_settings
from services.external import verification_results
from services.external.acceptance import submit_verification
from services.queries import results
from services.queries.cancel_and_retry import cancel_query, retry_query

router = APIRouter(prefix="/v1/verifications", tags=["verifications"])

MAX_NUMBER = 100_000


@router.post(
    "",
    name="create_verification",
    status_code=202,
    response_model=VerificationAccepted,
    responses={200: {"model": VerificationResult, "description": "It has ended within the time to `wait`."}},
    dependencies=[Depends(require_json), ROOM_FOR_A_QUESTION],
)
async def verify(
    sent: VerificationCreate, request: Request, response: Response, repeatable: MaybeRepeated, wait: Wait = 0
) -> object:
    """Check an answer against its sources: a verdict for every sentence and every citation, and the repaired text.

    With `wait` the response is the result if it is ready in time; otherwise it says where the result will be.
    """
    new = as_new(sent)
    current = await run_in_threadpool(current_settings)
    query_id, repeated = await run_in_threadpool(submit_verification, new, current, repeatable)
    hand_on(response, repeated=repeated)
    response.headers["Location"] = f"{router.prefix}/{query_id}"
    if wait:
        result = await _read_when_final(request, query_id, wait)
        accepted = _accepted(query_id, new.custom_id, response, result["status"])
        return whole(result, VerificationResult, response) or accepted
    return _accepted(query_id, new.custom_id, response)


@router.post(
    "/{verification_id}/replay", name="replay_verification", status_code=202, dependencies=[ROOM_FOR_A_QUESTION]
)
def replay(verification_id: UUID, repeatable: MaybeRepeated, response: Response) -> VerificationAccepted:
    """Retry a verification that failed, was cancelled or has parked steps, as a new one; `id` is that of the new one.

    It uses the stored answer and sources.
    """
    new_id, repeated = retry_query(verification_id, QueryKind.VERIFICATION, current_settings(), repeatable)
    hand_on(response, repeated=repeated)
    return _accepted(new_id, verification_results.read_custom_id(new_id), response)


@router.get("", response_model=VerificationList)
def list_verifications(
    after: After,
    status: Annotated[QueryState | None, Query(description="Only verifications in this state.")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> object:
    """The newest verifications first, without their texts; `next_cursor` leads to the next page."""
    heads = verification_results.read_verifications(status, after=after, limit=limit)
    return {"verifications": heads, "next_cursor": next_cursor(heads, limit)}


@router.get("/{verification_id}", response_model=VerificationResult, response_model_exclude_unset=True)
async def get_verification(request: Request, verification_id: UUID, wait: Wait = 0) -> object:
    """The verification with everything known about it; with `wait` the response comes at the end, or when time is
    up."""
    if wait:
        return await _read_when_final(request, verification_id, wait)
    return await run_in_threadpool(verification_results.read_verification, verification_id)


@router.delete("/{verification_id}", name="cancel_verification", response_model=VerificationHead)
def cancel(verification_id: UUID) -> object:
    """Cancel the verification: work on it stops within seconds."""
    cancel_query(verification_id, QueryKind.VERIFICATION)
    notify_end(verification_id)
    return verification_results.read_verification(verification_id)


@router.get(
    "/{verification_id}/events", name="stream_verification_events", response_class=StreamingResponse, responses=EVENTS
)
async def stream_events(verification_id: UUID, last_event_id: LastEventId = 0) -> Response:
    """Server-sent events, as for a question: every check and repair as it is made, and the end with the result."""
    return await event_stream(verification_id, last_event_id, QueryKind.VERIFICATION)


@router.get("/{verification_id}/history", name="get_verification_history", response_model=HistoryRead)
def get_history(verification_id: UUID) -> object:
    """The whole history: every check, repair, model call and event."""
    return results.read_history(verification_id, QueryKind.VERIFICATION)


@router.get(
    "/{verification_id}/sources/{number}/text", name="get_verification_source_text", response_class=PlainTextResponse
)
def get_source_text(
    verification_id: UUID,
    number: Annotated[int, Path(ge=1, le=MAX_NUMBER, description="The number of the source, from 1.")],
) -> str:
    """The text of a source as it was given; `source_start` and `source_end` are offsets in this text."""
    return verification_results.read_source_text(verification_id, number)


def _accepted(
    query_id: UUID, custom_id: str | None, response: Response, status: QueryState = "queued"
) -> VerificationAccepted:
    here = f"{router.prefix}/{query_id}"
    response.headers["Location"] = here
    links = VerificationLinks(self=here, events=f"{here}/events", history=f"{here}/history")
    return VerificationAccepted(id=query_id, status=status, custom_id=custom_id, links=links)


async def _read_when_final(request: Request, query_id: UUID, wait: float) -> dict[str, Any]:
    return await read_when_final(
        request, query_id, wait, verification_results.read_verification, QueryKind.VERIFICATION
    )
