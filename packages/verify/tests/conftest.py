"""Settings of all tests of the package."""

import os

# Before numpy is imported: with more threads per process, short texts take five times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

# A property that holds must not fail because the machine is busy.
settings.register_profile("citewell", deadline=None, max_examples=50)
settings.load_profile("citewell")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The event loop of tests that are coroutines."""
    return "asyncio"
