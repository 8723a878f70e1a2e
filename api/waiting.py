"""Waiting for a query without holding anything meanwhile."""

import asyncio
from uuid import UUID

from fastapi import Request
from fastapi.concurrency import run_in_threadpool

from api.security import still_allowed
from domain.errors import KeyRevoked
from services import results

_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 0.15


async def until_final(request: Request, query_id: UUID, wait: float) -> None:
    """Return at the end of the query, after `wait` seconds, or when the client is gone.

    Raises QueryNotFound, and KeyRevoked soon after the request's key was revoked.
    """
    # Between two looks at the row nothing is held: no thread, no connection of the pool.
    pause, deadline = _FIRST_PAUSE_S, asyncio.get_running_loop().time() + wait
    while await run_in_threadpool(results.read_status, query_id) not in results.FINAL:
        left = deadline - asyncio.get_running_loop().time()
        if left <= 0 or await request.is_disconnected():
            return
        if not await still_allowed():
            raise KeyRevoked("The key was revoked, or has expired, while this request waited.")
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 1.5, _LONGEST_PAUSE_S)
