"""The limiter and the Groq client against the simulated provider, whose limits follow the same law (A7)."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from redis import Redis

from citewell_verify.prompting.judgements import CHECK_STATEMENT, StatementCheck
from clients.limiter import Limiter, Priority, make_limiter
from clients.limiter.protocol import LimiterTerms
from clients.llm.completions.providers import GroqModel
from clients.llm.protocol import CallDeferred, ModelError, ModelRequest
from config.models import ModelSettings
from config.settings import Settings
from tests.clients.groq_questions import SOURCES, STATEMENT
from tests.clients.limiter.own_redis import OwnRedis
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.limits import Limits
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import KEY, GroqSimulator

pytestmark = pytest.mark.slow

FAST = "openai/gpt-oss-20b"
REQUEST = ModelRequest(
    CHECK_STATEMENT.name,
    {"sources": SOURCES, "statement": STATEMENT},
    FAST,
    300,
    10.0,
    reply=StatementCheck,
)

Scene = Callable[[GroqModel, Limiter], Awaitable[None]]


async def call(model: GroqModel, limiter: Limiter, patience_s: float = 10.0) -> ModelError | None:
    """One call in the way of the gateway."""
    lease = await limiter.acquire(FAST, model.reserves(REQUEST), Priority(), patience_s=patience_s)
    try:
        reply = await model.complete(REQUEST)
    except ModelError as error:
        await limiter.settle(lease, error)
        return error
    await limiter.settle(lease, reply)
    return None


def play(redis_url: str, limits: Limits, scene: Scene, *, used: int = 0, faults: tuple[Fault, ...] = ()) -> list[int]:
    """Run the scenario with an account of these limits, of which `used` is used; return the status of every call."""
    key = f"gsk_{secrets.token_hex(8)}"

    async def whole(simulator: GroqSimulator) -> None:
        settings = Settings(
            redis_url=SecretStr(redis_url),
            groq_api_key=SecretStr(key),
            groq_base_url=simulator.base_url,
            models=ModelSettings(provider="groq"),
        )
        catalogue = settings.models.catalogue
        model = GroqModel(key, simulator.base_url, catalogue=catalogue)
        limiter = make_limiter(settings, LimiterTerms(timeout_s=5))
        try:
            await scene(model, limiter)
        finally:
            await model.aclose()
            await limiter.aclose()

    account = Account("org", limits)
    with GroqSimulator(accounts={key: account, KEY: account}) as simulator:
        simulator.fail(*faults)
        if used:
            simulator.provider.meter(account, FAST).admit(used)
        asyncio.run(whole(simulator))
        return [entry.status for entry in simulator.ledger.entries]


# A7
def test_an_account_of_8k_is_found_out_from_its_first_answer(redis_url: str) -> None:
    async def scene(model: GroqModel, limiter: Limiter) -> None:
        # Together they need more than a minute's allowance, so the last of them wait.
        done = await asyncio.gather(*(call(model, limiter, patience_s=45) for _ in range(14)))
        assert done == [None] * 14

    assert play(redis_url, Limits(rpm=None, rpd=1_000, tpm=8_000), scene) == [200] * 14


# A7
def test_a_cold_start_on_a_used_account_costs_one_refusal_at_most(redis_url: str) -> None:
    async def scene(model: GroqModel, limiter: Limiter) -> None:
        done = await asyncio.gather(*(call(model, limiter) for _ in range(12)))
        assert sum(each is not None for each in done) <= 1

    statuses = play(redis_url, Limits(rpm=None, tpm=120_000), scene, used=119_900)
    assert statuses.count(429) <= 1


# A7
def test_requests_per_minute_are_kept_though_no_header_tells_them(redis_url: str) -> None:
    async def scene(model: GroqModel, limiter: Limiter) -> None:
        await asyncio.gather(*(call(model, limiter, patience_s=60) for _ in range(33)))
        # There is room for one in two seconds: not for all of five, however late they come.
        late = await asyncio.gather(*(call(model, limiter, patience_s=1) for _ in range(5)), return_exceptions=True)
        assert any(isinstance(each, CallDeferred) for each in late)
        assert all(each is None or isinstance(each, CallDeferred) for each in late)

    # The configuration says 1,000; the refusals teach that it is less, and no more come.
    statuses = play(redis_url, Limits(rpm=30, tpm=None), scene)
    assert 1 <= statuses.count(429) <= 3


# A7
def test_nobody_sends_while_a_refusal_lasts(redis_url: str) -> None:
    async def scene(model: GroqModel, limiter: Limiter) -> None:
        loop = asyncio.get_running_loop()
        started = loop.time()  # before the refusal, and not when it has been heard of
        assert await call(model, limiter) is not None
        assert await asyncio.gather(*(call(model, limiter) for _ in range(5))) == [None] * 5
        assert loop.time() - started >= 0.6

    refusal = Fault(kind=FaultKind.RATE_LIMITED, retry_after=0.6)
    assert play(redis_url, Limits(), scene, faults=(refusal,)) == [429] + [200] * 5


# A5, A7
def test_redis_emptied_under_load_costs_one_refusal_at_most(tmp_path: Path) -> None:
    async def scene(model: GroqModel, limiter: Limiter) -> None:
        done = 0

        async def work() -> None:
            nonlocal done
            while True:
                await call(model, limiter, patience_s=60)
                done += 1

        async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
            working = [tasks.create_task(work()) for _ in range(40)]
            while done < 15:
                await asyncio.sleep(0.01)
            client: Any = Redis.from_url(redis.url)  # pyright: ignore[reportUnknownMemberType]
            with client:
                client.flushall()
            before = done
            while done < before + 10:
                await asyncio.sleep(0.01)
            for each in working:
                each.cancel()

    with OwnRedis(tmp_path) as redis:
        statuses = play(redis.url, Limits(rpm=None, tpm=400_000), scene, used=380_000)
    assert statuses.count(429) <= 1
    assert statuses.count(200) > 20
