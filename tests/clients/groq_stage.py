"""A stage for scenarios with the Groq client: a simulator, an event loop, and reused clients."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextvars import copy_context
from types import TracebackType
from typing import TypeVar

import pytest

from clients.llm.completions.providers import Client, GroqModel
from config.models import ModelSettings
from tests.simulators.groq.limits import Limits
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import KEY, GroqSimulator

T = TypeVar("T")


class GroqStage:
    """One per test file: the SDK's client reads the system's certificates at creation, which takes 40 ms."""

    def __init__(self, *, unlimited: bool = False, client: Client = "sdk", cached_tokens: bool = False) -> None:
        accounts = {KEY: Account("org_simulated", Limits.none())} if unlimited else None
        self.sim = GroqSimulator(accounts=accounts, cached_tokens=cached_tokens)
        self._client: Client = client
        self._runner = asyncio.Runner()
        self._models: dict[tuple[str, str, bool], GroqModel] = {}

    def __enter__(self) -> "GroqStage":
        self.sim.__enter__()
        self._runner.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for model in self._models.values():
            self._runner.run(model.aclose())
        self._runner.__exit__(kind, error, trace)
        self.sim.__exit__(kind, error, trace)

    def run(
        self,
        scenario: Callable[[GroqModel], Awaitable[T]],
        *,
        url: str | None = None,
        key: str = KEY,
        new: bool = False,
    ) -> T:
        """Run a scenario with a client of the simulator, or of `url`; a `new` one has not learned anything yet."""

        async def play() -> T:
            wanted = (url or self.sim.base_url, key, new)
            if wanted not in self._models:
                catalogue = ModelSettings().catalogue
                self._models[wanted] = GroqModel(key, wanted[0], catalogue=catalogue, client=self._client)
            return await scenario(self._models[wanted])

        # The runner has its own context, without a tenant.
        return self._runner.run(play(), context=copy_context())


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
