"""The application on a real socket, in front of a real database."""

from collections.abc import Generator

import httpx
import pytest

from api.app import create_app
from tests.serving import serving
from workers.celery_app import app as celery


@pytest.fixture(scope="session")
def api_url(redis_url: str) -> Generator[str]:
    """One server for all tests; it reads its settings with every request, but the broker's address only once."""
    celery.conf.update(broker_url=redis_url, result_backend=redis_url)
    with serving(create_app()) as url:
        yield url


@pytest.fixture
def http(api_url: str, database: str) -> Generator[httpx.Client]:
    """A client of the API on an empty database."""
    assert database
    with httpx.Client(base_url=api_url, timeout=30) as client:
        yield client
