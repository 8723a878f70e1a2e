"""A stage for limiter scenarios: a Redis, a separate account, and a clock that tests control."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any

from redis import Redis

from clients.limiter.feedback import RateLimitFeedback
from clients.limiter.limiter import SharedLimiter
from clients.limiter.local import LocalAllowance
from clients.limiter.protocol import LimiterTerms, Priority
from clients.limiter.request import Answer, Kind, Ticket
from clients.limiter.script import ALLOWANCE
from clients.limiter.shared import SharedAllowance, key_of
from clients.llm.protocol import Allowance, ModelReply, Usage

MODEL = "m"
NOW = Priority()
_CLOCK = "redis.call('TIME')"
_LINE = "for _ in pairs(cmsgpack.unpack(redis.call('GET', KEYS[1])).line) do return 1 end return 0"


def reply(used: int, *, limit: int | None = None, remaining: int | None = None) -> ModelReply:
    """A reply that used `used` tokens, with the server's headers about tokens per minute."""
    allowance = Allowance(limit_tokens=limit, remaining_tokens=remaining)
    return ModelReply("x", MODEL, Usage(prompt_tokens=used), "stop", allowance=allowance)


class Turned:
    """The shared allowance on a clock that stops until `turn`; the rest of the script is unchanged."""

    def __init__(self, url: str, limits: Mapping[Kind, float], settings: LimiterTerms) -> None:
        assert _CLOCK in ALLOWANCE
        self.account = secrets.token_hex(8)
        self._redis: Any = Redis.from_url(url)  # pyright: ignore[reportUnknownMemberType]
        self._clock = f"citewell:allowance:{{{self.account}}}:{MODEL}:clock"
        script = ALLOWANCE.replace(_CLOCK, "redis.call('LRANGE', KEYS[1] .. ':clock', 0, 1)")
        self._shared = SharedAllowance(url, self.account, "p", {MODEL: limits}, settings, script=script)
        self.now = 1_000_000.0
        self.turn(0)

    def turn(self, seconds: float) -> None:
        """Advance the clock."""
        self.now += seconds
        whole, micro = divmod(round(self.now * 1_000_000), 1_000_000)
        self._redis.delete(self._clock)
        self._redis.rpush(self._clock, whole, micro)

    def forget(self) -> None:
        """Delete this account's keys, as FLUSHALL would."""
        for key in self._redis.scan_iter(match=f"*{self.account}*"):
            if key.decode() != self._clock:
                self._redis.delete(key)

    async def take(self, ticket: Ticket, patience_s: float = 1e6) -> Answer:
        return await self._shared.take(ticket, patience_s)

    async def settle(self, ticket: Ticket, told: RateLimitFeedback) -> Answer:
        return await self._shared.settle(ticket.id, MODEL, told)

    async def leave(self, ticket: Ticket) -> Answer:
        return await self._shared.leave(ticket)

    async def known(self) -> None:
        """Make a first call that only shows that the server is there: no longer a cold start."""
        first = ticket(0)
        await self.take(first)
        await self.settle(first, RateLimitFeedback(0, answered=True))

    async def aclose(self) -> None:
        await self._shared.aclose()
        self._redis.close()


def ticket(tokens: int, since: float = 1.0, *, is_batch: bool = False) -> Ticket:
    """A ticket of a query accepted at `since`."""
    return Ticket.of(MODEL, tokens, Priority(is_batch, since))


@asynccontextmanager
async def account(url: str, *, settings: LimiterTerms | None = None, **limits: float) -> AsyncGenerator[Turned]:
    """An account of these limits, without a margin unless `settings` has one."""
    known: dict[Kind, float] = {kind: limits[kind] for kind in ("rpm", "rpd", "tpm", "tpd") if kind in limits}
    # A Redis that is late on a busy machine is no part of the scene.
    of_settings = replace(settings or LimiterTerms(margin=0), timeout_s=10.0)
    async with aclosing(Turned(url, known, of_settings)) as turned:
        yield turned


@asynccontextmanager
async def known_account(url: str, *, settings: LimiterTerms | None = None, **limits: float) -> AsyncGenerator[Turned]:
    """An account that has answered once."""
    async with account(url, settings=settings, **limits) as turned:
        await turned.known()
        yield turned


def limiter(url: str, *, account: str = "", settings: LimiterTerms | None = None, **limits: float) -> SharedLimiter:
    """A complete limiter on the real clock; limiters with the same `account` share it."""
    of_settings = settings or LimiterTerms(margin=0, timeout_s=10)
    known: dict[str, dict[Kind, float]] = {
        MODEL: {kind: limits[kind] for kind in ("rpm", "rpd", "tpm", "tpd") if kind in limits}
    }
    shared = SharedAllowance(url, account or secrets.token_hex(8), secrets.token_hex(4), known, of_settings)
    return SharedLimiter(shared, LocalAllowance(known, of_settings), of_settings)


async def warm(one: SharedLimiter) -> None:
    """Make the first call, which goes alone."""
    await one.settle(await one.acquire(MODEL, 1, NOW, patience_s=10), reply(0))
    await one.flush()


async def until_one_waits(url: str, account: str) -> None:
    client: Any = Redis.from_url(url)  # pyright: ignore[reportUnknownMemberType]
    with client:
        async with asyncio.timeout(60):
            while not client.eval(_LINE, 1, key_of(account, MODEL)):
                await asyncio.sleep(0.01)
