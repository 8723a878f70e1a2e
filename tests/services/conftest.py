"""The simulated provider for tests of services: one server per module, reset before each test."""

import pytest

from tests.clients.groq_stage import GroqStage
from tests.clients.groq_stage import kept as kept
from tests.clients.groq_stage import stage as stage
from tests.services.story import Play, with_groq, with_offline


@pytest.fixture(autouse=True)
def _patient_lookups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept replies are found even if Postgres is slow because the machine is busy."""
    monkeypatch.setattr("services.core.reply_store.LONGEST_LOOK_UP_S", 60.0)


@pytest.fixture
def groq(stage: GroqStage) -> Play:
    return with_groq(stage)


@pytest.fixture(params=["offline", "groq"])
def play(request: pytest.FixtureRequest, stage: GroqStage) -> Play:
    return with_offline if request.param == "offline" else with_groq(stage)
