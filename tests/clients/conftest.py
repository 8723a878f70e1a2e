"""Fixtures for the gateway's tests: one simulator per file, reset before each test."""

import pytest

from clients.llm.protocol import CallLog
from tests.clients.groq_stage import kept as kept
from tests.clients.groq_stage import stage as stage


@pytest.fixture
def log() -> CallLog:
    return CallLog()
