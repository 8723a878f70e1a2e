"""Runs each test once for the sync and once for the async client."""

import pytest

from tests.client.halves import Half, async_half, sync_half
from tests.serving import api_url as api_url


@pytest.fixture(params=[sync_half, async_half], ids=["sync", "async"])
def half(request: pytest.FixtureRequest) -> Half:
    """`half(url, lambda client: client.method(…))` is the method's result."""
    return request.param
