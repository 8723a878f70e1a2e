"""Server-sent events of a query, for whoever comes and comes back (A3)."""

import json
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any, cast
from uuid import UUID

from fastapi import Header, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event

from api.schemas.answers import QueryRead
from api.waiting import follow
from config.settings import settings
from services.results import Told, read_events

MEDIA_TYPE = "text/event-stream"
RETRY_MS = 1000
# Proxies must neither keep a stream nor wait for more of it.
_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}

LastEventId = Annotated[
    int,
    Header(ge=0, le=2**31 - 1, description="The `id` of the last event that arrived; the stream goes on behind it."),
]
EVENTS = cast(
    "dict[int | str, dict[str, Any]]",
    {
        200: {
            "description": "The events, until the last one: `final`, `failed` or `cancelled`.",
            "content": {
                MEDIA_TYPE: {
                    "schema": {
                        "type": "object",
                        "description": "One event; `data` is a JSON object.",
                        "required": ["id", "event", "data"],
                        "properties": {
                            "id": {"type": "string"},
                            "event": {"type": "string"},
                            "data": {"type": "string", "contentMediaType": "application/json"},
                        },
                    },
                    "example": 'event: stage\ndata: {"stage": "retrieving"}\nid: 1\n\n',
                }
            },
        },
        204: {"description": "The query has ended, and there is nothing behind `Last-Event-ID`."},
    },
)


async def event_stream(query_id: UUID, after: int) -> Response:
    """The events behind number `after`, live. Raises QueryNotFound."""
    told, finished = await run_in_threadpool(read_events, query_id, after)
    if finished and not told:
        return Response(status_code=204)
    return StreamingResponse(_encoded(query_id, after), media_type=MEDIA_TYPE, headers=_HEADERS)


async def _encoded(query_id: UUID, after: int) -> AsyncIterator[bytes]:
    yield format_sse_event(retry=RETRY_MS)
    spoke = time.monotonic()
    async for told in follow(query_id, after):
        if told:
            yield b"".join(map(encoded, told))
        elif time.monotonic() - spoke >= settings().stream.heartbeat_s:
            yield KEEPALIVE_COMMENT
        else:
            continue
        spoke = time.monotonic()


def encoded(told: Told) -> bytes:
    """One event as it goes over the wire."""
    data = told.data
    if "query" in data:
        query = QueryRead.model_validate(data["query"]).model_dump(mode="json", exclude_unset=True)
        data = {**data, "query": query}
    return format_sse_event(event=told.type, data_str=json.dumps(data, ensure_ascii=False), id=str(told.seq))
