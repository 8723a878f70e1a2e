"""The application on a real socket, in front of a real database."""

from collections.abc import Generator

import httpx
import pytest

from tests.serving import api_url as api_url
from tests.stored import query_id as query_id


@pytest.fixture
def http(api_url: str, database: str) -> Generator[httpx.Client]:
    """A client of the API on an empty database."""
    assert database
    with httpx.Client(base_url=api_url, timeout=30) as client:
        yield client
