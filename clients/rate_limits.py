"""Request rate limits of API keys: a window per minute, counted by all API processes together."""

import math
import threading
import time
from dataclasses import dataclass
from functools import cache

import structlog
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import FixedWindowRateLimiter
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

log = structlog.get_logger()

WINDOW_S = 60
_TIMEOUT_S = 0.2
_ALONE_FOR_S = 5.0


@dataclass(frozen=True, slots=True)
class Window:
    """The state of one key's minute after this request was counted."""

    allowed: bool
    remaining: int
    resets_in_s: int


class _Outage:
    """Tracks outages of the broker: one request at a time probes it, and the others do not wait."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until = 0.0

    def ask(self) -> bool:
        if not self._until:
            return True
        with self._lock:
            if time.monotonic() < self._until:
                return False
            self._until = time.monotonic() + _ALONE_FOR_S
            return True

    def begin(self) -> bool:
        with self._lock:
            new, self._until = not self._until, time.monotonic() + _ALONE_FOR_S
            return new

    def end(self) -> None:
        self._until = 0.0


def count(key_id: str, per_minute: int, redis_url: str) -> Window:
    """Count one request. Without the broker this process counts alone, so that a limit remains and nothing fails.

    Only one request every few seconds waits to find out whether the broker is still away.
    """
    outage = _outage(redis_url)
    if not outage.ask():
        return _counted(_local(), key_id, per_minute)
    try:
        window = _counted(_shared(redis_url), key_id, per_minute)
    except (RedisError, OSError) as error:
        if outage.begin():
            log.warning("rate_limit_counted_alone", error=type(error).__name__)
        return _counted(_local(), key_id, per_minute)
    outage.end()
    return window


@cache
def _outage(_redis_url: str) -> _Outage:
    return _Outage()


def _counted(limiter: FixedWindowRateLimiter, key_id: str, per_minute: int) -> Window:
    limit = RateLimitItemPerMinute(per_minute)
    allowed = limiter.hit(limit, key_id)
    window = limiter.get_window_stats(limit, key_id)
    return Window(allowed, window.remaining, max(1, math.ceil(window.reset_time - time.time())))


@cache
def _shared(redis_url: str) -> FixedWindowRateLimiter:
    # There is only one try: by default, redis-py makes several and waits for seconds between them.
    storage = RedisStorage(
        redis_url,
        key_prefix="citewell:limits",
        socket_timeout=_TIMEOUT_S,
        socket_connect_timeout=_TIMEOUT_S,
        retry=Retry(NoBackoff(), 0),  # pyright: ignore[reportArgumentType] - handed on to redis-py, which takes it
    )
    return FixedWindowRateLimiter(storage)


@cache
def _local() -> FixedWindowRateLimiter:
    return FixedWindowRateLimiter(MemoryStorage())
