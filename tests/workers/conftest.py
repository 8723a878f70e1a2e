"""The application on the test's own broker."""

from collections.abc import Generator
from typing import Any

import pytest
import redis


@pytest.fixture
def broker(database: str, redis_url: str) -> Generator[Any]:
    """The broker's own view of its queues, emptied; the application publishes to the same server."""
    assert database
    server: Any = redis.Redis.from_url(redis_url)  # pyright: ignore[reportUnknownMemberType]
    server.flushall()
    yield server
    server.close()
