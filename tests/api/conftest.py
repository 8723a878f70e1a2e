"""The application on a real socket, in front of a real database."""

from collections.abc import Generator

import httpx
import pytest

from services.queries import load_shedding
from tests.serving import api_url as api_url
from tests.stored import query_id as query_id


@pytest.fixture
def http(api_url: str, database: str) -> Generator[httpx.Client]:
    """A client of the API on an empty database."""
    assert database
    # The API remembers for some seconds how many questions wait; those of the test before are gone with its rows.
    load_shedding.reset()
    with httpx.Client(base_url=api_url, timeout=30) as client:
        yield client
