"""The bell: a hint over Redis that something happened to a query, so that those who wait look at once.

Nothing depends on it: whoever waits looks at the database every now and then anyway. Without Redis it is only slower.
"""

import asyncio
import time
import uuid
from collections import defaultdict
from contextlib import suppress
from functools import cache
from typing import Any

from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from redis.exceptions import RedisError

CHANNEL = "citewell:bell"
TIMEOUT_S = 1.0
_SILENT_FOR_S = 5.0
_AGAIN_AFTER_S = 1.0


class Ringer:
    """Rings from a worker or the API; one per process. After a failure it keeps silent for five seconds."""

    def __init__(self, url: str) -> None:
        # redis-py leaves the keyword arguments of `from_url` untyped.
        self._redis: Any = Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
            url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S, protocol=2
        )
        self._silent_until = 0.0

    def ring(self, query_id: uuid.UUID) -> None:
        """Tell everybody who waits for this query; never raises, takes at most about a second."""
        if time.monotonic() < self._silent_until:
            return
        try:
            self._redis.publish(CHANNEL, str(query_id))
        except (RedisError, OSError):
            self._silent_until = time.monotonic() + _SILENT_FOR_S


@cache
def ringer(url: str) -> Ringer:
    """The process's ringer for the Redis-compatible server behind `url`."""
    return Ringer(url)


class Bell:
    """Hears for all who wait in one event loop: one connection, opened with the first of them."""

    def __init__(self, url: str, *, look_every_s: float = 1.0, look_deaf_every_s: float = 0.15) -> None:
        self._url = url
        self._look_every_s = look_every_s
        self._look_deaf_every_s = look_deaf_every_s
        self._waiting: dict[str, set[asyncio.Event]] = defaultdict(set)
        self._hearing = False
        self._task: asyncio.Task[None] | None = None

    async def heard(self, query_id: uuid.UUID, within_s: float) -> None:
        """Return when the query's bell rings, or when it is time to look anyway, at most `within_s` seconds later."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._listen(), name="bell")
        rung, key = asyncio.Event(), str(query_id)
        self._waiting[key].add(rung)
        patience = self._look_every_s if self._hearing else self._look_deaf_every_s
        try:
            async with asyncio.timeout(min(patience, within_s)):
                await rung.wait()
        except TimeoutError:
            pass
        finally:
            self._waiting[key].discard(rung)
            if not self._waiting[key]:
                del self._waiting[key]

    async def _listen(self) -> None:
        while True:
            with suppress(RedisError, OSError):
                await self._hear()
            self._hearing = False
            await asyncio.sleep(_AGAIN_AFTER_S)

    async def _hear(self) -> None:
        redis: Any = AsyncRedis.from_url(  # pyright: ignore[reportUnknownMemberType]
            self._url, socket_connect_timeout=TIMEOUT_S, protocol=2, decode_responses=True, health_check_interval=10
        )
        async with redis, redis.pubsub(ignore_subscribe_messages=True) as channel:
            await channel.subscribe(CHANNEL)
            self._hearing = True
            while True:
                message = await channel.get_message(timeout=5.0)
                for rung in tuple(self._waiting.get(message["data"], ())) if message else ():
                    rung.set()
