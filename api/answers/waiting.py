"""Waits for a query without occupying a thread or a pooled connection."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from typing import Annotated, Any
from uuid import UUID
from weakref import WeakKeyDictionary

from fastapi import Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from api.http.security import still_allowed
from clients.notifications import Subscriptions
from clients.telemetry.meter import METER, SSE_WATCHERS, WAITING_REQUESTS
from config.settings import settings
from db.models import QueryKind
from domain.errors.access import KeyRevoked
from services.queries import results
from services.queries.results import StreamedEvent

MAX_WAIT_S = 60
Wait = Annotated[float, Query(ge=0, le=MAX_WAIT_S, description="Seconds to wait for the end at most.")]
_subscriptions: WeakKeyDictionary[asyncio.AbstractEventLoop, Subscriptions] = WeakKeyDictionary()


def subscriptions() -> Subscriptions:
    loop = asyncio.get_running_loop()
    if loop not in _subscriptions:
        _subscriptions[loop] = Subscriptions(settings().redis_url.get_secret_value(), _ended)
    return _subscriptions[loop]


async def _ended(query_ids: Collection[UUID]) -> set[UUID]:
    return await run_in_threadpool(results.without_unfinished, query_ids)


Read = Callable[[UUID], dict[str, Any]]


async def read_when_final(
    request: Request, query_id: UUID, wait: float, read: Read, kind: QueryKind = QueryKind.ANSWER
) -> dict[str, Any]:
    """Return what `read` finds at the end of the query, after `wait` seconds, or when the client has disconnected.

    Raises QueryNotFound, VerificationNotFound, and KeyRevoked soon after the request's key was revoked.
    """
    deadline, has_waited = time.monotonic() + wait, False
    async with subscriptions().subscribed(query_id) as subscriber, _counted(WAITING_REQUESTS):
        is_woken = await run_in_threadpool(results.read_status, query_id, kind) in results.FINAL
        while True:
            # It is woken by the end alone, so everything is read at once.
            if is_woken:
                answer = await (read_after_wait if has_waited else run_in_threadpool)(read, query_id)
                if answer["status"] in results.FINAL:
                    return answer
            await require_valid_key()
            has_waited = True
            is_woken = await subscriber.woken(deadline - time.monotonic())
            if not is_woken and (time.monotonic() >= deadline or await request.is_disconnected()):
                return await read_after_wait(read, query_id)


async def read_after_wait(read: Read, query_id: UUID) -> dict[str, Any]:
    """What `read` finds, if the caller may still see it now: they may have waited for long. Raises KeyRevoked, and what
    `read` raises.
    """
    await require_valid_key(anew=True)
    return await run_in_threadpool(read, query_id)


def whole(result: dict[str, Any], model: type[BaseModel], response: Response) -> JSONResponse | None:
    """A result that is final as the response to the request that asked for it, with the headers of `response`."""
    if result["status"] not in results.FINAL:
        return None
    content = model.model_validate(result).model_dump(mode="json", exclude_unset=True)
    return JSONResponse(content, headers=dict(response.headers))


@asynccontextmanager
async def _counted(gauge: str) -> AsyncGenerator[None]:
    with METER.within(gauge):
        yield


async def require_valid_key(*, anew: bool = False) -> None:
    """Raise KeyRevoked if the request's key or session is no longer valid, or opens less than before."""
    if not await still_allowed(anew=anew):
        raise KeyRevoked("The key was revoked, or has expired, while this request waited.")


async def follow(query_id: UUID, after: int) -> AsyncIterator[list[StreamedEvent]]:
    """Yield the events of the query after number `after` as they are stored, until the last one, or until soon after
    the request's key was revoked.

    An empty list means that nothing has happened for a while, and that the connection still works.
    """
    async with subscriptions().subscribed(query_id, watching=True) as subscriber, _counted(SSE_WATCHERS):
        while await still_allowed():
            events, finished = await run_in_threadpool(results.read_events, query_id, after)
            yield events
            if finished:
                return
            after = events[-1].seq if events else after
            await subscriber.woken(settings().stream.heartbeat_s)
