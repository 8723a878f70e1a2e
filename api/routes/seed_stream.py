"""S4's streamed query."""

from typing import Any

from fastapi import APIRouter, Depends, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from api.adapters import questions
from api.answers.one_request import location_of, start_query
from api.answers.seed_stream import seed_events
from api.http.capacity import ROOM_FOR_A_QUESTION
from api.http.sse import HEADERS, MEDIA_TYPE, described
from api.http.uploads import require_json
from api.schemas.formats.citations import StreamAsk

_EVENTS = """data: {"type": "stream", "data": "Returns must be made "}

data: {"type": "stream", "data": "within 30 days."}

data: {"type": "final", "data": "Returns must be made within 30 days. [1]", "sources": [], "citations": []}

"""
_LOCATION: dict[str, Any] = {
    "Location": {"description": "The question at `/v1/queries/{id}`.", "schema": {"type": "string"}}
}
_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {**described("`stream` events, then one `final` or one `error`.", _EVENTS), "headers": _LOCATION}
}

router = APIRouter(tags=["seeds"], dependencies=[Depends(require_json), ROOM_FOR_A_QUESTION])


@router.post("/api/query", name="seed_api_query", response_class=StreamingResponse, responses=_RESPONSES)
async def query(asked: StreamAsk, response: Response) -> Response:
    """S4: server-sent events: the draft while it is written, then the checked answer with its sources and citations.

    The streamed draft is not checked yet; the `data` of the `final` event is. A question that fails ends with `{"type":
    "error", "data": "why"}`. A question whose client disconnects continues, and `Location` will have its answer.
    """
    query_id = await run_in_threadpool(start_query, questions.of_stream(asked))
    headers = {**response.headers, **HEADERS, "Location": location_of(query_id)}
    return StreamingResponse(seed_events(query_id), media_type=MEDIA_TYPE, headers=headers)
