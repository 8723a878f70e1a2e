"""A limiter without a known allowance, which learns from refusals alone."""

import asyncio
import time

from clients.limiter.protocol import Lease, Priority, Sleep
from clients.llm.protocol import CallDeferred, ModelError, ModelRateLimited, ModelReply
from config.limits import LimiterSettings


class RetryAfter:
    """A Limiter: after a 429 it pauses the model for as long as the server said, at most `longest_s`."""

    def __init__(self, longest_s: float = LimiterSettings().longest_wait_s) -> None:
        self._longest_s = longest_s
        self._not_before: dict[str, float] = {}

    async def acquire(
        self, model: str, tokens: int, priority: Priority, *, patience_s: float, sleep: Sleep = asyncio.sleep
    ) -> Lease:
        """Wait until the server accepts calls again. Raises CallDeferred when that takes too long."""
        del priority
        gives_up_at = time.monotonic() + patience_s
        while (until := self._not_before.get(model, 0.0)) > (now := time.monotonic()):
            if until > gives_up_at:
                raise CallDeferred(until - now, f"{model} takes no calls for now")
            await sleep(until - now)
        return Lease("", model, tokens)

    async def settle(self, lease: Lease, outcome: ModelReply | ModelError | None) -> None:
        """Remember the pause that a 429 names."""
        if isinstance(outcome, ModelRateLimited) and outcome.retry_after_s:
            until = time.monotonic() + min(outcome.retry_after_s, self._longest_s)
            self._not_before[lease.model] = max(until, self._not_before.get(lease.model, 0.0))

    async def aclose(self) -> None:
        """There is nothing to release."""
