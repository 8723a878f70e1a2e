"""The application on the test's own broker."""

from collections.abc import Generator
from typing import Any

import pytest
import redis

from workers.celery_app import app


@pytest.fixture(scope="session")
def _application(redis_url: str) -> None:
    # Before the first publish, and for good: the application's connection pool is made once per process.
    app.conf.update(broker_url=redis_url, broker_write_url=redis_url, result_backend=redis_url)


@pytest.fixture
def broker(database: str, redis_url: str, _application: None) -> Generator[Any]:
    """The broker's own view of its queues, emptied; the application publishes to the same server."""
    assert database
    server: Any = redis.Redis.from_url(redis_url)  # pyright: ignore[reportUnknownMemberType]
    server.flushall()
    yield server
    server.close()
