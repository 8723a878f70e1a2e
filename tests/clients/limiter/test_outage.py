"""Redis paused, killed and emptied: calls continue, within a share (A5, A7)."""

import asyncio
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import structlog
from redis import Redis
from structlog.testing import capture_logs

from clients.limiter.feedback import RateLimitFeedback
from clients.limiter.limiter import SharedLimiter
from clients.limiter.local import LocalAllowance
from clients.limiter.protocol import LimiterTerms
from clients.limiter.request import Answer, Kind
from clients.llm.protocol import CallDeferred
from tests.clients.limiter.own_redis import OwnRedis
from tests.clients.limiter.stage import MODEL, NOW, limiter, reply, ticket, warm

SETTINGS = LimiterTerms(margin=0, timeout_s=1, again_s=0.3)

_OF_ANOTHER_RUN = """
local state = cmsgpack.unpack(redis.call('GET', KEYS[1]))
state.run, state.at = 'another', tonumber(ARGV[1])
redis.call('SET', KEYS[1], cmsgpack.pack(state))
"""


@pytest.fixture
def own(tmp_path: Path) -> Generator[OwnRedis]:
    """A Valkey that may be killed."""
    with OwnRedis(tmp_path) as redis:
        yield redis


@pytest.fixture(autouse=True)
def _plain_logs() -> None:
    structlog.reset_defaults()


async def timed(one: SharedLimiter, tokens: int, patience_s: float = 2.0) -> float:
    """Seconds until the call was admitted."""
    started = time.monotonic()
    await one.acquire(MODEL, tokens, NOW, patience_s=patience_s)
    return time.monotonic() - started


# A5, A7
@pytest.mark.slow
async def test_a_paused_redis_costs_one_timeout_and_one_warning(own: OwnRedis) -> None:
    one = limiter(own.url, settings=SETTINGS, tpm=6_000)
    await warm(one)
    client: Any = Redis.from_url(own.url)  # pyright: ignore[reportUnknownMemberType]
    with client, capture_logs() as logs:
        client.client_pause(3_000)
        assert await timed(one, 10) >= 0.9
        waits = [await timed(one, 10) for _ in range(20)]
        assert sorted(waits)[10] < 0.5  # not a timeout each
        async with asyncio.timeout(30):
            while len(logs) < 2:
                await asyncio.sleep(0.1)
                await timed(one, 10)
        assert [each["event"] for each in logs] == ["limiter_alone", "limiter_shared_again"]
    await one.aclose()


# A5, A7
async def test_a_killed_redis_leaves_a_share_and_comes_back_empty(own: OwnRedis) -> None:
    one = limiter(own.url, account="a", settings=SETTINGS, tpm=6_000)
    other = limiter(own.url, account="a", settings=SETTINGS, tpm=6_000)
    await warm(one)
    await warm(other)
    await timed(one, 100)  # hears that there are two
    own.kill()
    await timed(one, 2_900)
    with pytest.raises(CallDeferred):  # 3,000 is the half, and 50 drain in a second
        await one.acquire(MODEL, 500, NOW, patience_s=0)
    await timed(other, 2_900)
    own.start()
    await asyncio.sleep(0.4)
    # Empty, but the processes remember how much they used.
    lease = await one.acquire(MODEL, 100, NOW, patience_s=20)
    with pytest.raises(CallDeferred):
        await other.acquire(MODEL, 100, NOW, patience_s=0)  # the server's view is unknown
    await one.settle(lease, reply(100))
    with pytest.raises(CallDeferred):
        await other.acquire(MODEL, 1_000, NOW, patience_s=0)
    await one.aclose()
    await other.aclose()


# A5
async def test_settling_never_fails(own: OwnRedis) -> None:
    one = limiter(own.url, settings=SETTINGS, tpm=6_000)
    lease = await one.acquire(MODEL, 100, NOW, patience_s=0)
    own.kill()
    await one.settle(lease, reply(100))
    await one.settle(lease, None)
    await one.aclose()


# A7
async def test_a_restarted_redis_with_an_old_state_is_not_believed(own: OwnRedis) -> None:
    one = limiter(own.url, account="a", settings=SETTINGS, tpm=6_000)
    await warm(one)
    client: Any = Redis.from_url(own.url)  # pyright: ignore[reportUnknownMemberType]
    with client:
        client.eval(_OF_ANOTHER_RUN, 1, f"citewell:allowance:{{a}}:{MODEL}", time.time() - 10)
    lease = await one.acquire(MODEL, 100, NOW, patience_s=0)
    with pytest.raises(CallDeferred):
        await one.acquire(MODEL, 100, NOW, patience_s=0)
    await one.settle(lease, reply(100, limit=6_000, remaining=5_000))
    await one.acquire(MODEL, 100, NOW, patience_s=0)
    await one.aclose()


# A7
def test_alone_it_keeps_order_heeds_refusals_and_goes_on_from_where_it_was() -> None:
    now = 0.0
    alone = LocalAllowance({MODEL: {"tpm": 6_000.0}}, SETTINGS, clock=lambda: now)
    alone.observe(MODEL, Answer(full={"tpm": 0.5}, limits={"tpm": 6_000.0}, sharers=2))
    assert alone.take(ticket(1_500), 9.0).granted  # half of 3,000 was used
    old, new = ticket(100, 1.0), ticket(10, 2.0)
    assert not alone.take(old, 9.0).granted
    now = 1.0
    assert not alone.take(new, 9.0).granted  # 50 have drained, but the older one waits for 100
    now = 2.01
    assert alone.take(old, 9.0).granted
    assert not alone.take(new, 9.0).granted
    alone.settle(old.id, MODEL, RateLimitFeedback(0, answered=True, refused=2.0))
    now = 4.0
    assert not alone.take(new, 9.0).granted
    now = 4.3
    assert alone.take(new, 9.0).granted
    assert alone.floor(MODEL) == pytest.approx({"tpm": 1 - 2.3 / 60 + 10 / 3_000}, abs=0.001)


# A7
def test_alone_a_day_that_nobody_heard_of_is_not_thought_used_up() -> None:
    limits: dict[Kind, float] = {"tpm": 6_000.0, "rpd": 500_000.0}
    alone = LocalAllowance({MODEL: limits}, LimiterTerms(alone_share=1), clock=lambda: 0.0)
    assert alone.take(ticket(10), 0.0).wait < 1
