"""Homes of servers that the tests start."""

from collections.abc import Generator
from pathlib import Path

import pytest

from citewell.supervisor.home import temporary_home


@pytest.fixture(scope="module")
def home() -> Generator[Path]:
    """One for all tests of a module, in any order: what one leaves is what a user finds at the next start."""
    with temporary_home() as home:
        yield home


@pytest.fixture
def new_home() -> Generator[Path]:
    with temporary_home() as home:
        yield home
