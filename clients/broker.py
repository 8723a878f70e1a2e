"""Queries to the broker: whether it answers, and which messages wait in its queues."""

import base64
import json
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from redis import Redis
from redis.exceptions import RedisError

TIMEOUT_S = 1.0
PUBLISHED = "published"
"""The header of a message with the time of its publication, in Unix seconds by the publisher's clock."""


def broker_answers(url: str) -> bool:
    try:
        # redis-py leaves the keyword arguments of both untyped.
        with Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
            url, socket_connect_timeout=TIMEOUT_S, socket_timeout=TIMEOUT_S
        ) as redis:
            return redis.ping()  # pyright: ignore[reportUnknownMemberType]
    except (RedisError, OSError):
        return False


def flush_server(url: str) -> None:
    """Empty the broker; its contents are rebuilt from the database. Raises RedisError when it does not answer."""
    with Redis.from_url(url, socket_connect_timeout=TIMEOUT_S) as redis:  # pyright: ignore[reportUnknownMemberType]
        redis.flushall()  # pyright: ignore[reportUnknownMemberType]


def waiting_rows(url: str, queues: Sequence[str], most: int) -> set[str] | None:
    """The row ids, which are the first arguments, of all messages that wait in `queues`.

    None when they are unknown: the broker does not answer within a second or so, or more than `most` messages wait.
    """
    try:
        with Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
            url, socket_connect_timeout=TIMEOUT_S, socket_timeout=TIMEOUT_S
        ) as redis:
            pipeline: Any = redis.pipeline()  # pyright: ignore[reportUnknownMemberType]
            for queue in queues:
                pipeline.lrange(queue, 0, most)
            messages: list[bytes] = [message for page in pipeline.execute() for message in page]
    except (RedisError, OSError):
        return None
    if len(messages) > most:
        return None
    # Celery's protocol 2 in JSON: [args, kwargs, embedded].
    arguments = [json.loads(base64.b64decode(json.loads(message)["body"]))[0] for message in messages]
    return {str(given[0]) if given else "" for given in arguments}


class QueueLevel(NamedTuple):
    """The number of waiting messages, and the age in seconds of the next one; the age is None if no message waits or
    the message carries no time.
    """

    length: int
    oldest_s: float | None


def queue_levels(url: str, queues: Sequence[str]) -> dict[str, QueueLevel] | None:
    try:
        with Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
            url, socket_connect_timeout=TIMEOUT_S, socket_timeout=TIMEOUT_S
        ) as redis:
            pipeline: Any = redis.pipeline(transaction=False)  # pyright: ignore[reportUnknownMemberType]
            for queue in queues:
                pipeline.llen(queue).lindex(queue, -1)
            levels: list[Any] = pipeline.execute()
    except (RedisError, OSError):
        return None
    now = time.time()
    pairs = zip(levels[::2], levels[1::2], strict=True)
    of_queues: dict[str, QueueLevel] = {}
    for queue, (length, message) in zip(queues, pairs, strict=True):
        published = json.loads(message)["headers"].get(PUBLISHED) if message else None
        of_queues[queue] = QueueLevel(int(length), None if published is None else max(0.0, now - published))
    return of_queues
