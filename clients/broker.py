"""The broker, asked whether it is there."""

from redis import Redis
from redis.exceptions import RedisError

TIMEOUT_S = 1.0


def broker_answers(url: str) -> bool:
    """Ping the Redis-compatible server behind `url`; an answer takes at most about two seconds."""
    try:
        # redis-py leaves the keyword arguments of both untyped.
        with Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
            url, socket_connect_timeout=TIMEOUT_S, socket_timeout=TIMEOUT_S
        ) as redis:
            return redis.ping()  # pyright: ignore[reportUnknownMemberType]
    except (RedisError, OSError):
        return False
