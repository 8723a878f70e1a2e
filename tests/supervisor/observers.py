"""External observations of the servers and the processes."""

from collections.abc import Sequence
from typing import cast
from urllib.parse import urlsplit

import psutil
import psycopg
from psycopg.conninfo import make_conninfo
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry


def connect(database_url: str, **changes: str) -> psycopg.Connection[tuple[object, ...]]:
    """A connection that commits each statement; `changes` replace parts of the address."""
    return psycopg.connect(make_conninfo(database_url.replace("+psycopg", ""), **changes), autocommit=True)


def value(database_url: str, sql: str, **changes: str) -> object:
    """The first column of the first row."""
    with connect(database_url, **changes) as connection:
        row = connection.execute(sql.encode()).fetchone()
        return row[0] if row else None


def redis_says(redis_url: str, *command: str) -> object:
    """The reply to one command, without a retry."""
    at = urlsplit(redis_url)
    once = Retry(NoBackoff(), 0)
    with Redis(at.hostname or "", at.port or 0, password=at.password, protocol=2, retry=once) as client:
        return cast("object", client.execute_command(*command))  # pyright: ignore[reportUnknownMemberType] - untyped


def gone(processes: Sequence[psutil.Process]) -> bool:
    """Whether none of them runs; a zombie does not count as running."""
    return not any(map(_runs, processes))


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:  # it ended between the two questions
        return False
