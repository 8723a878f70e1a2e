"""Fixtures for the gateway's tests: one simulator per file, reset before each test."""

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
    """The stage with an empty ledger."""
    kept.sim.reset()
    return kept


@pytest.fixture
def log() -> CallLog:
    return CallLog()
