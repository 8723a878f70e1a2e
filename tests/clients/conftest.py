"""Where the tests of the gateway are played: one simulator per file, empty before each test."""

from collections.abc import Generator

import pytest

from clients.llm.protocol import CallLog
from tests.clients.groq_stage import GroqStage


@pytest.fixture(scope="module")
def kept() -> Generator[GroqStage]:
    """One simulator and one client for the whole file."""
    with GroqStage() as stage:
        yield stage


@pytest.fixture
def stage(kept: GroqStage) -> GroqStage:
    """The stage with empty books."""
    kept.sim.reset()
    return kept


@pytest.fixture
def log() -> CallLog:
    """Where the attempts are recorded."""
    return CallLog()
