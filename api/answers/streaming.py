"""Streams the events of a query; clients may reconnect at any time (A3)."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from fastapi import Header, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from pydantic import BaseModel

from api.answers.waiting import follow, read_after_wait
from api.http.sse import HEADERS, MEDIA_TYPE, data_event, described
from api.schemas.questions.answers import QueryRead
from api.schemas.verification.verifications import VerificationResult
from config.settings import settings
from db.models import QueryKind
from domain.errors.access import KeyRevoked
from domain.errors.missing import NotFound
from services.external.verification_results import read_verification
from services.finishing.completion import LAST_EVENTS
from services.queries.results import read_events, read_query

RETRY_MS = 1000

LastEventId = Annotated[
    int,
    Header(ge=0, le=2**31 - 1, description="The `id` of the last event that arrived; the stream continues after it."),
]
_EXAMPLE = 'event: stage\ndata: {"stage": "retrieving"}\nid: 1\n\n'
EVENTS: dict[int | str, dict[str, Any]] = {
    200: described(
        "The events, until the last one: `final`, `held`, `failed` or `cancelled`.", _EXAMPLE, "event", "id"
    ),
    204: {"description": "It has ended, and there is nothing behind `Last-Event-ID`."},
}


@dataclass(frozen=True, slots=True)
class _Result:
    """The result of a query as the content of its last event, named `name`: the same as the resource's GET."""

    name: str
    read: Callable[[UUID], dict[str, Any]]
    shape: type[BaseModel]


_RESULTS = {
    QueryKind.ANSWER: _Result("query", read_query, QueryRead),
    QueryKind.VERIFICATION: _Result("verification", read_verification, VerificationResult),
}


async def event_stream(query_id: UUID, after: int, kind: QueryKind = QueryKind.ANSWER) -> Response:
    events, finished = await run_in_threadpool(read_events, query_id, after, kind)
    if finished and not events:
        return Response(status_code=204)
    return StreamingResponse(_encoded(query_id, after, _RESULTS[kind]), media_type=MEDIA_TYPE, headers=HEADERS)


async def _encoded(query_id: UUID, after: int, result: _Result) -> AsyncIterator[bytes]:
    yield format_sse_event(retry=RETRY_MS)
    spoke = time.monotonic()
    # The stream just ends for a question that was deleted meanwhile, and for one that the reader may not see any more.
    with suppress(NotFound, KeyRevoked):
        async for events in follow(query_id, after):
            if events:
                encoded: list[bytes] = []
                for event in events:
                    data = event.data
                    if event.type in LAST_EVENTS:
                        body = result.shape.model_validate(await read_after_wait(result.read, query_id))
                        data = {**data, result.name: body.model_dump(mode="json", exclude_unset=True)}
                    encoded.append(data_event(data, name=event.type, number=event.seq))
                yield b"".join(encoded)
            elif time.monotonic() - spoke >= settings().stream.heartbeat_s:
                yield KEEPALIVE_COMMENT
            else:
                continue
            spoke = time.monotonic()
