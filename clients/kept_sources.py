"""The sources of a gateway's request and the passed sentences of its answer, kept in Redis between the gateway's
requests.
"""

import json
from collections.abc import Mapping
from typing import Any

from redis.asyncio import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

_TIMEOUT_S = 1.0


class KeptUnavailable(Exception):
    """Redis is away, so nothing can be kept or read."""


class KeptSources:
    """Keeps a JSON object for each call for `keep_s` seconds. Each gateway sees only its own calls."""

    def __init__(self, redis_url: str, gateway: str, keep_s: int) -> None:
        self._url, self._prefix, self._keep_s = redis_url, f"citewell:guard:{gateway}:", keep_s

    async def keep(self, call: str, value: Mapping[str, Any]) -> None:
        """Keep the `value` of a call. Raises KeptUnavailable."""
        async with self._redis() as redis:
            await self._tried(redis.set(self._prefix + call, json.dumps(value), ex=self._keep_s))

    async def read(self, call: str) -> dict[str, Any] | None:
        """The kept value of a call; None if there is none any more. Raises KeptUnavailable."""
        async with self._redis() as redis:
            stored = await self._tried(redis.get(self._prefix + call))
        return json.loads(stored) if stored else None

    def _redis(self) -> Any:
        # redis-py leaves the keyword arguments of `from_url` untyped.
        return Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
            self._url,
            socket_timeout=_TIMEOUT_S,
            socket_connect_timeout=_TIMEOUT_S,
            retry=Retry(NoBackoff(), 0),  # pyright: ignore[reportArgumentType] - both kinds of Retry have what is used
            protocol=2,
        )

    async def _tried(self, asked: Any) -> Any:
        try:
            return await asked
        except (RedisError, OSError) as error:
            raise KeptUnavailable from error
