"""The simulated provider for tests of services: one server per module, reset before each test."""

from collections.abc import Generator

import pytest

from tests.clients.groq_stage import GroqStage
from tests.services.story import Play, with_groq, with_offline


@pytest.fixture(autouse=True)
def _patient_lookups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept replies are found even if Postgres is slow because the machine is busy."""
    monkeypatch.setattr("services.core.reply_store.LONGEST_LOOK_UP_S", 60.0)


@pytest.fixture(scope="module")
def kept() -> Generator[GroqStage]:
    with GroqStage() as stage:
        yield stage


@pytest.fixture
def stage(kept: GroqStage) -> GroqStage:
    kept.sim.reset()
    return kept


@pytest.fixture
def groq(stage: GroqStage) -> Play:
    return with_groq(stage)


@pytest.fixture(params=["offline", "groq"])
def play(request: pytest.FixtureRequest, stage: GroqStage) -> Play:
    return with_offline if request.param == "offline" else with_groq(stage)
