"""The interface to rate limits: reserve before a call, settle after it, learn from the answer.

The two limiters that share nothing between processes are also in this module.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from clients.llm.protocol import CallDeferred, ModelError, ModelRateLimited, ModelReply


@dataclass(frozen=True, slots=True)
class LimiterTerms:
    """All times are in seconds. Operators set `margin` and `longest_wait_s` (`config.models.LimiterSettings`)."""

    margin: float = 0.02
    longest_wait_s: float = 60.0
    lease_s: float = 60.0
    """After this long, the holder of a reservation counts as dead."""
    probe_s: float = 5.0
    """The time for which the first call to an unknown model runs alone."""
    keep_place_s: float = 20.0
    """The time for which a deferred call keeps its place after it was due."""
    seen_s: float = 60.0
    """After this long without a sign, a process no longer counts as sharing the limits."""
    timeout_s: float = 0.5
    """Without a reply from Redis for this long, a process continues alone."""
    again_s: float = 3.0
    """The time for which a process continues alone before it asks Redis again."""
    alone_share: float = 0.25
    """The share of the limits that a process uses alone if it does not know the number of processes."""


Sleep = Callable[[float], Awaitable[None]]
"""The sleep of a call that waits for its turn."""


@dataclass(frozen=True, slots=True)
class Priority:
    """Order of waiting calls: interactive before batch, then by time of acceptance."""

    is_batch: bool = False
    since: float = 0.0
    """The time when the query was accepted, in Unix seconds by the database's clock."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A reservation of one request of `tokens` (prompt and allowed completion) for `model`."""

    id: str
    model: str
    tokens: int


class Limiter(Protocol):
    """One allowance for all processes."""

    async def acquire(
        self, model: str, tokens: int, priority: Priority, *, patience_s: float, sleep: Sleep = asyncio.sleep
    ) -> Lease:
        """Wait for `tokens` and one request, at most `patience_s` seconds.

        Raises CallDeferred with the seconds after which to retry. Nothing is reserved then, nor during a `sleep`.
        """
        ...

    async def settle(self, lease: Lease, outcome: ModelReply | ModelError | None) -> None:
        """Return unused tokens, and learn the limits that the server reported with its answer.

        `outcome` None: the call was never sent, or its result is unknown.
        """
        ...

    async def aclose(self) -> None: ...


def used_up(model: str, refusal: str | None) -> str:
    """The reason why a call has to wait; `refusal` is what the server said when it last refused a call of
    this process.
    """
    return f"the allowance of {model} is used up" + (f", last refused with: {refusal}" if refusal else "")


class Unlimited:
    """A Limiter for models without limits: those that run in this process."""

    async def acquire(
        self, model: str, tokens: int, priority: Priority, *, patience_s: float, sleep: Sleep = asyncio.sleep
    ) -> Lease:
        del priority, patience_s, sleep
        return Lease("", model, tokens)

    async def settle(self, lease: Lease, outcome: ModelReply | ModelError | None) -> None: ...
    async def aclose(self) -> None: ...


class RetryAfter:
    """A Limiter: after a 429 it pauses the model for as long as the server said, at most `longest_s`."""

    def __init__(self, longest_s: float = LimiterTerms().longest_wait_s) -> None:
        self._longest_s = longest_s
        self._not_before: dict[str, float] = {}
        self._refusals: dict[str, str] = {}

    async def acquire(
        self, model: str, tokens: int, priority: Priority, *, patience_s: float, sleep: Sleep = asyncio.sleep
    ) -> Lease:
        """Wait until the server accepts calls again. Raises CallDeferred when this takes too long."""
        del priority
        gives_up_at = time.monotonic() + patience_s
        while (until := self._not_before.get(model, 0.0)) > (now := time.monotonic()):
            if until > gives_up_at:
                raise CallDeferred(until - now, used_up(model, self._refusals.get(model)))
            await sleep(until - now)
        return Lease("", model, tokens)

    async def settle(self, lease: Lease, outcome: ModelReply | ModelError | None) -> None:
        if isinstance(outcome, ModelRateLimited) and outcome.retry_after_s:
            self._refusals[lease.model] = str(outcome)
            until = time.monotonic() + min(outcome.retry_after_s, self._longest_s)
            self._not_before[lease.model] = max(until, self._not_before.get(lease.model, 0.0))

    async def aclose(self) -> None: ...
