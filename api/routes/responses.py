"""OpenAI's Responses API: each workspace is also a model of this API (N9)."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BeforeValidator, WithJsonSchema

from api.answers import responses
from api.http.accepted_requests import require_json
from api.http.capacity import ROOM_FOR_A_QUESTION
from api.http.sse import described
from api.routes.completions import ERRORS, UNANSWERED
from api.schemas.formats.responses import ResponseCreate, ResponseDeleted, ResponseRead, id_of
from citewell_verify.errors import BadInput

_EVENT = """event: response.output_text.delta
data: {"type": "response.output_text.delta", "sequence_number": 4, "item_id": "msg_…", "output_index": 0, \
"content_index": 0, "delta": "All", "logprobs": []}

"""
_STREAM = described(
    "The response; with `stream` OpenAI's events in their order, the last of which has the response.", _EVENT, "event"
)
_ID = {"type": "string", "pattern": "^(resp_)?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"}
ResponseId = Annotated[
    UUID, BeforeValidator(id_of), WithJsonSchema(_ID), Path(description="The id as in the response: `resp_…`.")
]

router = APIRouter(prefix="/v1/responses", tags=["openai"], responses=ERRORS)


@router.post(
    "",
    name="create_response",
    response_model=ResponseRead,
    response_model_exclude_unset=True,
    responses={**UNANSWERED, 200: _STREAM},
    dependencies=[Depends(require_json), ROOM_FOR_A_QUESTION],
)
async def create(asked: ResponseCreate, request: Request, response: Response) -> object:
    """Answer the question of `input` from the documents of the workspace that `model` names.

    The text is the checked answer, and `annotations` are its citations. A stream contains checked sentences only. A
    client that disconnects before the end cancels its question, unless it is asked in the `background`.
    """
    return await responses.created(request, response, asked)


@router.get(
    "/{response_id}",
    name="get_response",
    response_model=ResponseRead,
    response_model_exclude_unset=True,
    responses={200: _STREAM},
)
async def get(
    response_id: ResponseId,
    request: Request,
    stream: Annotated[
        bool, Query(description="Send the response as events; a client that disconnects cancels nothing.")
    ] = False,
    starting_after: Annotated[
        int | None, Query(description="Refused, because a stream is sent from its beginning.")
    ] = None,
) -> object:
    """The response, answered or not."""
    if starting_after is not None:
        raise BadInput("A stream is sent from its beginning; leave out `starting_after`.")
    if stream:
        return await run_in_threadpool(responses.streamed, request, response_id)
    return await run_in_threadpool(responses.read, request, response_id)


@router.post(
    "/{response_id}/cancel", name="cancel_response", response_model=ResponseRead, response_model_exclude_unset=True
)
def cancel(response_id: ResponseId, request: Request) -> object:
    """Stop the work on a response, and return it; a response that has ended stays unchanged."""
    return responses.cancelled(request, response_id)


@router.delete("/{response_id}", name="delete_response", response_model=ResponseDeleted)
def delete(response_id: ResponseId) -> object:
    """Delete a response, and cancel it if it is in progress. The question and its audit stay at `/v1/queries`."""
    return responses.deleted(response_id)
