"""Other people's programs against a live server: `make test-integrations` installs them and runs these tests."""

from collections.abc import Generator

import pytest

from tests.e2e.stack import Stack, offline_stack
from tests.integrations.programs import needs_programs


@pytest.fixture(scope="session")
def live() -> Generator[Stack]:
    """A stack without a key, for all of them. Skips the test where the programs are not installed."""
    needs_programs()
    with offline_stack() as stack:
        yield stack
