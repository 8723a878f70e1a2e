"""Concurrent requests are decided together, and those that need no decision are not sent (A7, N1)."""

import asyncio
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from clients.limiter import Priority
from clients.limiter.limiter import SharedLimiter
from clients.limiter.protocol import LimiterTerms
from clients.limiter.shared import Pace
from clients.llm.protocol import CallDeferred, ModelRateLimited
from tests.clients.limiter.own_redis import OwnRedis
from tests.clients.limiter.stage import MODEL, NOW, limiter, reply, warm


@pytest.fixture
def own(tmp_path: Path) -> Generator[OwnRedis]:
    """A Valkey whose commands only this test counts."""
    with OwnRedis(tmp_path) as redis:
        yield redis


class Counted:
    """The number of runs of the script, and of commands, since the last reading."""

    def __init__(self, url: str) -> None:
        self._client: Any = Redis.from_url(url)  # pyright: ignore[reportUnknownMemberType]

    def __enter__(self) -> "Counted":
        self._client.__enter__()
        self.anew()
        return self

    def __exit__(self, *_: object) -> None:
        self._client.__exit__(None, None, None)

    def anew(self) -> None:
        self._client.config_resetstat()

    @property
    def runs(self) -> int:
        told = self._client.info("commandstats")
        return sum(told.get(f"cmdstat_{name}", {"calls": 0})["calls"] for name in ("evalsha", "eval"))


async def many(one: SharedLimiter, count: int) -> None:
    """`count` calls that begin together and end together."""
    leases = await asyncio.gather(*(one.acquire(MODEL, 10, NOW, patience_s=5) for _ in range(count)))
    await asyncio.gather(*(one.settle(lease, reply(5)) for lease in leases))


# N1
async def test_calls_that_begin_together_are_one_run_and_their_ends_go_with_the_next(
    own: OwnRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Or they would go by themselves when the next comes late.
    monkeypatch.setattr("clients.limiter.shared.SETTLE_WITHIN_S", 3_600.0)

    one = limiter(own.url, tpm=6_000_000)
    await warm(one)
    with Counted(own.url) as counted:
        await many(one, 10)
        assert counted.runs == 1
        await many(one, 10)
        assert counted.runs == 2
        await one.flush()
        assert counted.runs == 3
    await one.aclose()


# A7
async def test_an_end_that_somebody_waits_for_is_told_at_once(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clients.limiter.shared.SETTLE_WITHIN_S", 3_600.0)

    one, other = (limiter(redis_url, account="told at once", tpm=6_000) for _ in range(2))
    await warm(one)
    lease = await one.acquire(MODEL, 6_000, NOW, patience_s=0)
    with pytest.raises(CallDeferred):  # keeps a place
        await other.acquire(MODEL, 3_000, Priority(since=1.0), patience_s=1)
    with pytest.raises(CallDeferred):  # notices a waiting call
        await one.acquire(MODEL, 3_000, NOW, patience_s=0)
    await one.settle(lease, reply(0))
    async with asyncio.timeout(30):
        while not await got(other, Priority(since=1.0)):
            await asyncio.sleep(0.01)
    await one.aclose()
    await other.aclose()


async def got(one: SharedLimiter, priority: Priority) -> bool:
    """Whether there is room for 3,000 tokens now."""
    try:
        await one.acquire(MODEL, 3_000, priority, patience_s=0)
    except CallDeferred:
        return False
    return True


# A7
async def test_among_those_who_ask_together_the_older_goes_first(redis_url: str) -> None:
    one = limiter(redis_url, tpm=6_000)
    await warm(one)
    new, old = (Priority(since=since) for since in (20.0, 10.0))
    asked = [one.acquire(MODEL, 4_000, each, patience_s=0) for each in (new, old)]
    late, early = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(late, CallDeferred)
    assert not isinstance(early, BaseException)
    await one.aclose()


# A5
async def test_who_is_stopped_before_he_was_asked_for_gets_nothing(redis_url: str) -> None:
    one = limiter(redis_url, tpm=6_000)
    await warm(one)
    stopped = asyncio.create_task(one.acquire(MODEL, 5_000, NOW, patience_s=5))
    await asyncio.sleep(0)
    stopped.cancel()
    await asyncio.gather(stopped, return_exceptions=True)
    await one.flush()
    await one.acquire(MODEL, 5_900, NOW, patience_s=0)
    await one.aclose()


# A7, N1
async def test_a_model_without_limits_is_not_asked_for_until_a_limit_is_told(own: OwnRedis) -> None:
    one = limiter(own.url)
    await warm(one)
    with Counted(own.url) as counted:
        await many(one, 10)
        await one.flush()
        assert counted.runs == 0
        lease = await one.acquire(MODEL, 10, NOW, patience_s=0)
        await one.settle(lease, ModelRateLimited("HTTP 429: … (TPM): Limit 100, Used 95, …", retry_after_s=30))
        await one.flush()
        assert counted.runs == 1
    with pytest.raises(CallDeferred):
        await one.acquire(MODEL, 10, NOW, patience_s=0)
    await one.aclose()


# A5
async def test_when_redis_dies_all_who_asked_together_go_on_after_one_timeout(own: OwnRedis) -> None:
    one = limiter(own.url, settings=LimiterTerms(margin=0, timeout_s=2, again_s=60), tpm=6_000_000)
    await warm(one)
    own.kill()
    async with asyncio.timeout(20):  # and not 30 timeouts
        await many(one, 30)
    await one.aclose()


# N1
def test_the_pace_lets_a_few_go_at_once_and_the_rest_in_step() -> None:
    now = 0.0
    pace = Pace(clock=lambda: now)
    assert [pace.pause_s() for _ in range(10)] == [0.0] * 10
    assert pace.pause_s() == pytest.approx(0.02)
    now = 0.02
    assert pace.pause_s() == pytest.approx(0.02)
    now = 60.0
    assert [pace.pause_s() for _ in range(10)] == [0.0] * 10
