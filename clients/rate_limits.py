"""How often a key may ask: a window per minute that all API processes count in together."""

import math
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
# A request waits for its count; three of these are less than a second.
_TIMEOUT_S = 0.25


@dataclass(frozen=True, slots=True)
class Window:
    """One minute of one key after this request was counted."""

    allowed: bool
    remaining: int
    resets_in_s: int


def count(key_id: str, per_minute: int, redis_url: str) -> Window:
    """Count one request. Without the broker this process counts alone, so that a limit remains and nothing fails."""
    try:
        return _counted(_together(redis_url), key_id, per_minute)
    except (RedisError, OSError) as error:
        log.warning("rate_limit_counted_alone", error=type(error).__name__)
        return _counted(_alone(), key_id, per_minute)


def _counted(limiter: FixedWindowRateLimiter, key_id: str, per_minute: int) -> Window:
    limit = RateLimitItemPerMinute(per_minute)
    allowed = limiter.hit(limit, key_id)
    window = limiter.get_window_stats(limit, key_id)
    return Window(allowed, window.remaining, max(1, math.ceil(window.reset_time - time.time())))


@cache
def _together(redis_url: str) -> FixedWindowRateLimiter:
    # One try each: the default of redis-py waits for seconds between several.
    storage = RedisStorage(
        redis_url,
        key_prefix="citewell:limits",
        socket_timeout=_TIMEOUT_S,
        socket_connect_timeout=_TIMEOUT_S,
        retry=Retry(NoBackoff(), 0),  # pyright: ignore[reportArgumentType] - handed on to redis-py, which takes it
    )
    return FixedWindowRateLimiter(storage)


@cache
def _alone() -> FixedWindowRateLimiter:
    return FixedWindowRateLimiter(MemoryStorage())
