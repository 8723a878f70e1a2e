"""Wake-ups over Redis pub/sub: hints that something happened to a query, so that waiting code looks at once.

One common channel announces that a query has ended, or has changed in a way that all must see; each query has a channel
of its own for progress, to which only its watchers subscribe. So code that waits for the end is woken only by the end,
and a query without watchers wakes no code.

Nothing depends on these notifications: the database is polled, too, once for all waiting code together. Without Redis
the code only wakes later.
"""

import asyncio
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager, suppress
from contextvars import Context
from functools import cache
from typing import Any

from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from config.settings import settings

CHANNEL = "citewell:bell"
TIMEOUT_S = 1.0
# Requests and steps wait for this long at most.
PUBLISH_TIMEOUT_S = 0.2
_SILENT_FOR_S = 5.0
_AGAIN_AFTER_S = 1.0
_SLOWEST_POLL = 4
_SHARE_OF_TURN = 0.9


class Notifier:
    """Publishes from a worker or the API; one per process. After a failure it stays silent for five seconds."""

    def __init__(self, url: str) -> None:
        # redis-py leaves the keyword arguments of `from_url` untyped.
        self._redis: Any = Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
            url,
            socket_timeout=PUBLISH_TIMEOUT_S,
            socket_connect_timeout=PUBLISH_TIMEOUT_S,
            # By default redis-py retries, with pauses.
            retry=Retry(NoBackoff(), 0),
            protocol=2,
        )
        self._silent_until = 0.0

    def notify_end(self, query_id: uuid.UUID) -> None:
        """Wake everything that waits for this query; never raises, takes at most about 0.2 seconds."""
        self._try(lambda: self._redis.publish(CHANNEL, str(query_id)))

    def notify_watchers(self, query_id: uuid.UUID) -> None:
        self._try(lambda: self._redis.publish(_channel_of(str(query_id)), ""))

    def is_watched(self, query_id: uuid.UUID) -> bool:
        """True if a client watches every step of the query, or if this is unknown. It never raises, and takes as long
        as `notify_end`.
        """
        channel = _channel_of(str(query_id))
        watchers = self._try(lambda: self._redis.pubsub_numsub(channel))
        return watchers is None or watchers[0][1] > 0

    def takes_turn(self, job: str, every_s: float) -> bool:
        """Take the turn of a job that one of all processes does in this time; False if another has it. True, too, if
        this is unknown. It never raises, and takes as long as `notify_end`."""
        # Shorter than the time between two looks of a process, so that the one that does the job keeps it.
        lasts_ms = max(1, int(_SHARE_OF_TURN * every_s * 1000))
        return self._try(lambda: bool(self._redis.set(_turn_of(job), "", nx=True, px=lasts_ms))) is not False

    def give_turn_up(self, job: str) -> None:
        """Let another process take the turn at once, because this one failed and might keep it; never raises."""
        self._try(lambda: self._redis.delete(_turn_of(job)))

    def _try(self, ask: Callable[[], Any]) -> Any:
        if (now := time.monotonic()) < self._silent_until:
            return None
        if self._silent_until:
            # After a silence one call tries, on behalf of all, whether the outage is over.
            self._silent_until = now + _SILENT_FOR_S
        try:
            answer = ask()
            self._silent_until = 0.0
        except (RedisError, OSError):
            self._silent_until = time.monotonic() + _SILENT_FOR_S
            return None
        return answer


def _turn_of(job: str) -> str:
    return f"citewell:turn:{job}"


def _channel_of(key: str) -> str:
    return f"{CHANNEL}:{key}"


@cache
def notifier(url: str) -> Notifier:
    return Notifier(url)


Ended = Callable[[Collection[uuid.UUID]], Awaitable[Collection[uuid.UUID]]]
"""Finds out which of these queries have ended."""


class Subscriber:
    """Waits for news of a query. It does not miss a notification that comes while its code reads the database."""

    def __init__(self, poll_after_s: Callable[[int], float], *, watching: bool) -> None:
        self.watching = watching
        self._poll_after_s = poll_after_s
        self._polls = 0
        self._woken = asyncio.Event()

    def wake(self) -> None:
        self._woken.set()

    async def woken(self, within_s: float) -> bool:
        """Return True if this subscriber was notified since the last return, and False when it is time to poll anyway,
        after at most `within_s` seconds.
        """
        self._polls += 1
        try:
            async with asyncio.timeout(min(self._poll_after_s(self._polls), within_s)):
                await self._woken.wait()
        except TimeoutError:
            return False
        self._polls = 0
        self._woken.clear()
        return True


class Subscriptions:
    """Receives for all subscribers of one event loop, over one connection that the first of them opens. As a
    notification may be lost, `ended` is asked regularly about all queries whose end is awaited; when it fails, all of
    their subscribers are woken."""

    def __init__(
        self, url: str, ended: Ended, *, poll_every_s: float = 1.0, poll_offline_every_s: float = 0.15
    ) -> None:
        self._url = url
        self._ended = ended
        self._poll_every_s = poll_every_s
        self._poll_offline_every_s = poll_offline_every_s
        self._subscribers: dict[str, set[Subscriber]] = defaultdict(set)
        self._polling: asyncio.Task[None] | None = None
        self._watchers = Counter[str]()
        # The subscriptions while connected; redis-py leaves them untyped.
        self._pubsub: Any = None
        self._task: asyncio.Task[None] | None = None
        self._leaving = set[asyncio.Task[None]]()

    @asynccontextmanager
    async def subscribed(self, query_id: uuid.UUID, *, watching: bool = False) -> AsyncGenerator[Subscriber]:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._receive(), name="notifications")
        if self._polling is None or self._polling.done():
            # The task does not run in the context of the request that happens to begin it.
            self._polling = asyncio.create_task(self._poll(), name="polls", context=Context())
        subscriber, key = Subscriber(self._poll_after_s, watching=watching), str(query_id)
        self._subscribers[key].add(subscriber)
        try:
            if watching:
                await self._watch(key)
            yield subscriber
        finally:
            self._subscribers[key].discard(subscriber)
            if not self._subscribers[key]:
                del self._subscribers[key]
            if watching:
                self._unwatch(key)

    def _poll_after_s(self, polls: int) -> float:
        # A lost notification is rare: a long wait polls less often.
        return self._poll_offline_every_s if self._pubsub is None else self._poll_every_s * min(polls, _SLOWEST_POLL)

    async def _poll(self) -> None:
        """Wake the subscribers of queries that have ended according to the database, until no subscriber is left."""
        while self._subscribers:
            await asyncio.sleep(self._poll_after_s(1))
            waiting = {
                uuid.UUID(key)
                for key, subscribers in self._subscribers.items()
                if not all(subscriber.watching for subscriber in subscribers)
            }
            if not waiting:
                continue
            try:
                ended = await self._ended(waiting)
            except Exception:  # noqa: BLE001 - the subscribers that are woken see the error and tell their clients
                ended = waiting
            for query_id in ended:
                self._wake_all(str(query_id))

    async def _watch(self, key: str) -> None:
        self._watchers[key] += 1
        # When the connection breaks, the next connection subscribes to all watched queries.
        if self._watchers[key] == 1 and self._pubsub is not None:
            with suppress(RedisError, OSError):
                await self._pubsub.subscribe(_channel_of(key))

    def _unwatch(self, key: str) -> None:
        self._watchers[key] -= 1
        if not self._watchers[key]:
            del self._watchers[key]
            # This is a task of its own: a caller that leaves because it was cancelled cannot await anything.
            task = asyncio.get_running_loop().create_task(self._unsubscribe(key))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)

    async def _unsubscribe(self, key: str) -> None:
        if self._pubsub is not None and key not in self._watchers:
            with suppress(RedisError, OSError):
                await self._pubsub.unsubscribe(_channel_of(key))

    async def _receive(self) -> None:
        while True:
            with suppress(RedisError, OSError):
                await self._receive_until_lost()
            self._pubsub = None
            await asyncio.sleep(_AGAIN_AFTER_S)

    async def _receive_until_lost(self) -> None:
        redis: Any = AsyncRedis.from_url(  # pyright: ignore[reportUnknownMemberType]
            self._url, socket_connect_timeout=TIMEOUT_S, protocol=2, decode_responses=True, health_check_interval=10
        )
        async with redis, redis.pubsub() as pubsub:
            await pubsub.subscribe(CHANNEL)
            self._pubsub = pubsub
            if self._watchers:
                await pubsub.subscribe(*map(_channel_of, self._watchers))
            while True:
                if message := await pubsub.get_message(timeout=5.0):
                    self._wake(message)

    def _wake(self, message: dict[str, Any]) -> None:
        channel: str = message["channel"]
        # The confirmation of a subscription counts as a notification: the watcher reads once more what happened before
        # it took effect.
        key = message["data"] if channel == CHANNEL else channel.removeprefix(f"{CHANNEL}:")
        self._wake_all(key)

    def _wake_all(self, key: str) -> None:
        for subscriber in tuple(self._subscribers.get(key, ())):
            subscriber.wake()


def notify_end(query_id: uuid.UUID) -> None:
    process_notifier().notify_end(query_id)


def notify_watchers(query_id: uuid.UUID) -> None:
    process_notifier().notify_watchers(query_id)


def notify_beside(notify: Callable[[uuid.UUID], None], query_id: uuid.UUID) -> None:
    """Notify from a coroutine without waiting for Redis, because nothing depends on a notification."""
    asyncio.get_running_loop().run_in_executor(None, notify, query_id)


def process_notifier() -> Notifier:
    return notifier(settings().redis_url.get_secret_value())
