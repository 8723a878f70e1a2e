"""The limiter as its callers see it (A7, A8)."""

import asyncio
import secrets
from typing import Any

import pytest
from pydantic import SecretStr
from redis import Redis

from clients.limiter import Priority, Unlimited, make_limiter
from clients.llm.protocol import CallDeferred
from config.models import ModelSettings
from config.settings import Settings
from tests.clients.limiter.stage import MODEL, NOW, limiter, until_one_waits, warm

KEY = "gsk_planted_canary"


# A7
async def test_a_call_of_no_tokens_never_waits() -> None:
    one = limiter("redis://127.0.0.1:1/0", tpm=1)
    lease = await one.acquire(MODEL, 0, NOW, patience_s=0)
    await one.settle(lease, None)
    await one.aclose()


# A7
async def test_who_cannot_wait_is_told_when_to_come_again(redis_url: str) -> None:
    one = limiter(redis_url, tpm=6_000)
    await warm(one)
    await one.acquire(MODEL, 6_000, NOW, patience_s=0)
    with pytest.raises(CallDeferred) as caught:
        await one.acquire(MODEL, 3_000, NOW, patience_s=2)
    assert 20 < caught.value.wait_s < 31
    assert MODEL in caught.value.reason
    await one.aclose()


# A7
async def test_who_is_cancelled_while_waiting_leaves_his_place(redis_url: str) -> None:
    account = secrets.token_hex(8)
    one = limiter(redis_url, account=account, tpm=6_000)
    await warm(one)
    await one.acquire(MODEL, 5_900, NOW, patience_s=0)
    waiting = asyncio.create_task(one.acquire(MODEL, 3_000, Priority(since=1.0), patience_s=60))
    await until_one_waits(redis_url, account)
    with pytest.raises(CallDeferred):
        await one.acquire(MODEL, 50, NOW, patience_s=0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await one.acquire(MODEL, 50, NOW, patience_s=20)
    await one.aclose()


# A7
def test_a_provider_without_limits_needs_no_limiter() -> None:
    assert isinstance(make_limiter(Settings(models=ModelSettings(provider="offline"))), Unlimited)


# A8
async def test_redis_never_sees_the_key(redis_url: str) -> None:
    one = make_limiter(
        Settings(redis_url=SecretStr(redis_url), groq_api_key=SecretStr(KEY), models=ModelSettings(provider="groq"))
    )
    await one.acquire(MODEL, 100, NOW, patience_s=5)
    await one.aclose()
    client: Any = Redis.from_url(redis_url, decode_responses=True)  # pyright: ignore[reportUnknownMemberType]
    with client:
        names = list(client.scan_iter(match="citewell:allowance:*"))
    assert names
    assert not any("canary" in name for name in names)
