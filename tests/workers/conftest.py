"""The application on the test's own broker."""

from collections.abc import Generator
from typing import Any

import pytest
import redis

from db.models import DEFAULT_TENANT
from db.queries.runs import queries
from db.session import transaction
from tests.factories import make_query
from workers.execution.work import serve
from workers.pipeline import Run


@pytest.fixture
def broker(database: str, redis_url: str) -> Generator[Any]:
    """The broker's own view of its queues, emptied; the application publishes to the same server."""
    assert database
    server: Any = redis.Redis.from_url(redis_url)  # pyright: ignore[reportUnknownMemberType]
    server.flushall()
    yield server
    server.close()


@pytest.fixture
def run(database: str) -> Run:
    """The first launch of a query."""
    assert database
    with transaction() as session:
        query_id = make_query(session).id
    with transaction() as session:
        assert queries.mark_launched(session, query_id, 0) == 1
    return Run(str(query_id), 1, 0, DEFAULT_TENANT)


@pytest.fixture(autouse=True)
def _serving_nothing() -> Generator[None]:
    """Whatever follows is launched, as in a process that is no worker, even if an earlier test started one here."""
    serve(())
    yield
    serve(())
