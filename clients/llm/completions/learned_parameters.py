"""Remembers what was learned of the parameters that a server takes for each model: in this process, and in Redis for
all processes.

Without Redis each process learns by itself, which costs a refused request. The stored values expire after a day,
because servers change.
"""

import asyncio
import hashlib
import time
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import structlog
from redis import Redis as BlockingRedis
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from clients.llm.completions.adaptations import Learned, known, told

log = structlog.get_logger()

_KEEP_S = 86_400
_READ_AGAIN_S = 60.0
_TIMEOUT_S = 0.5


def key_of(address: str, model: str) -> str:
    return f"citewell:parameters:{hashlib.sha256(address.rstrip('/').encode()).hexdigest()[:16]}:{model}"


def read_learned(redis_url: str, address: str, models: Sequence[str]) -> dict[str, Learned]:
    """The stored values of those of these models that have any; empty when Redis is away."""
    try:
        with BlockingRedis.from_url(  # pyright: ignore[reportUnknownMemberType]
            redis_url, socket_connect_timeout=_TIMEOUT_S, socket_timeout=_TIMEOUT_S, decode_responses=True
        ) as redis:
            stored: dict[str, Any] = {model: redis.hgetall(key_of(address, model)) for model in models}
    except (RedisError, OSError, ValueError):
        return {}
    return {model: learned for model, values in stored.items() if (learned := known(values))}


@dataclass(slots=True)
class _State:
    """`values` of one model; Redis is read again at `read_again_at`, a time of the monotonic clock."""

    values: Learned = field(default_factory=dict[str, str])
    read_again_at: float = 0.0
    first_read: "asyncio.Task[None] | None" = None


class LearnedParameters:
    """The parameters of the models at `address`. Belongs to one event loop."""

    def __init__(self, address: str = "", redis_url: str | None = None) -> None:
        self._address = address
        self._url = redis_url
        self._made: Any = None
        self._states: dict[str, _State] = {}
        self._pending: set[asyncio.Task[None]] = set()

    async def of(self, model: str) -> Learned:
        """The values of a model. This waits for Redis at most once per model; later it is read in the background, at
        most once a minute.
        """
        state = self._states.get(model)
        if state is None:
            state = self._states[model] = _State()
        if self._url and time.monotonic() >= state.read_again_at:
            state.read_again_at = time.monotonic() + _READ_AGAIN_S
            reading = self._in_background(self._read(model, state))
            state.first_read = state.first_read or reading
        if state.first_read and not state.first_read.done():
            await asyncio.shield(state.first_read)
        return state.values

    def add(self, model: str, before: Learned, after: Learned) -> None:
        """Keep only the values that differ between `before` and `after`: calls that run at once may learn different
        ones.
        """
        changed = {key: value for key, value in after.items() if before.get(key) != value}
        state = self._states[model]
        state.values = {**state.values, **changed}
        log.info("parameters_learned", model=model, learned=told(changed))
        if self._url:
            self._in_background(self._write(model, changed))

    async def aclose(self) -> None:
        await asyncio.gather(*self._pending)
        if self._made is not None:
            await self._made.aclose(close_connection_pool=True)

    async def _read(self, model: str, state: _State) -> None:
        # Without the store only this process remembers; other parts report that the store is down.
        with suppress(RedisError, OSError, ValueError):
            state.values = known(await self._redis.hgetall(key_of(self._address, model)))

    async def _write(self, model: str, changed: Mapping[str, str]) -> None:
        key = key_of(self._address, model)
        with suppress(RedisError, OSError, ValueError):
            async with self._redis.pipeline(transaction=True) as pipeline:
                await pipeline.hset(key, mapping=dict(changed)).expire(key, _KEEP_S).execute()

    def _in_background(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._pending.add(task)
        task.add_done_callback(self._pending.discard)
        return task

    @property
    def _redis(self) -> Any:
        # The client is made in the loop that uses it.
        if self._made is None:
            self._made = Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
                self._url or "",
                socket_timeout=_TIMEOUT_S,
                socket_connect_timeout=_TIMEOUT_S,
                retry=Retry(NoBackoff(), 0),
                protocol=2,
                decode_responses=True,
            )
        return self._made
