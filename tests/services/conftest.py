"""The simulated provider for tests of services: one server per module, reset before each test."""

from collections.abc import Iterator

import pytest

from config.settings import settings
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


@pytest.fixture
def groq_configured(database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Settings as they are with a key of Groq."""
    assert database
    with monkeypatch.context() as changed:
        changed.setenv("GROQ_API_KEY", "gsk_x")
        settings.cache_clear()
        yield
    settings.cache_clear()
