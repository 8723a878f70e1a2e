"""The Limiter of a provider's account: shared through Redis, with a local share while Redis is down."""

import asyncio
import os
import secrets
import socket
import time
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import structlog
from redis.exceptions import RedisError

from clients.limiter.feedback import RateLimitFeedback
from clients.limiter.local import LocalAllowance
from clients.limiter.protocol import Lease, Limiter, LimiterTerms, Priority, Sleep, Unlimited, used_up
from clients.limiter.request import Answer, Ticket, configured
from clients.limiter.shared import SharedAllowance, account_of
from clients.llm.protocol import CallDeferred, ModelError, ModelRateLimited, ModelReply
from clients.telemetry.meter import ALONE, METER
from config.settings import Settings

log = structlog.get_logger()
# A call may wait for its connection, and its end may be reported a little late; only a dead call exceeds this.
_LEASE_PER_CALL = 1.5


class SharedLimiter:
    """A Limiter. One per process and event loop, made after fork.

    A call of no tokens takes nothing from the allowance and never waits. The same holds for a call to a model whose
    server has answered without reporting limits, until it reports some.
    """

    def __init__(self, shared: SharedAllowance, local: LocalAllowance, terms: LimiterTerms) -> None:
        self._shared = shared
        self._local = local
        self._terms = terms
        self._away_until: float | None = None
        self._free: set[str] = set()
        self._refusals: dict[str, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def acquire(
        self, model: str, tokens: int, priority: Priority, *, patience_s: float, sleep: Sleep = asyncio.sleep
    ) -> Lease:
        """Wait for `tokens` and one request, at most `patience_s` seconds.

        Raises CallDeferred with the seconds after which to retry; the place in line is kept until then.
        """
        if tokens <= 0 or model in self._free:
            return Lease("", model, 0)
        ticket = Ticket.of(model, tokens, priority)
        ends_at = time.monotonic() + patience_s
        try:
            while True:
                left = max(0.0, ends_at - time.monotonic()) if patience_s > 0 else 0.0
                answer = await self._take(ticket, left)
                if answer.granted:
                    return Lease(ticket.id, model, tokens)
                if answer.wait > left:
                    raise CallDeferred(answer.wait, used_up(model, self._refusals.get(model)))
                await sleep(min(answer.poll, max(left, 0.001)))
        except asyncio.CancelledError:
            self._start(self._leave(ticket))
            raise

    async def settle(self, lease: Lease, outcome: ModelReply | ModelError | None) -> None:
        """Return unused tokens, and learn the limits that the server reported. Never raises.

        Returns at once: the shared state is updated soon, together with other operations (see SharedAllowance.settle).
        """
        feedback = RateLimitFeedback.from_outcome(outcome, self._terms.longest_wait_s)
        if isinstance(outcome, ModelRateLimited):
            self._refusals[lease.model] = str(outcome)
        if lease.id:
            self._local.settle(lease.id, lease.model, feedback)
        if lease.id or feedback.reports_limits:
            self._start(self._settle(lease, feedback))

    async def flush(self) -> None:
        await asyncio.sleep(0)  # lets tasks that were just created start
        await self._shared.flush()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def aclose(self) -> None:
        await self.flush()
        await self._shared.aclose()

    async def _take(self, ticket: Ticket, patience_s: float) -> Answer:
        if self._asks_redis():
            try:
                answer = await self._shared.take(ticket, patience_s, self._local.floor(ticket.model))
            except (RedisError, OSError) as error:
                self._lost(error)
            else:
                self._found()
                ticket.first = False
                self._local.end(ticket.model)
                self._observe(ticket.model, answer)
                return answer
        return self._local.take(ticket, patience_s)

    async def _settle(self, lease: Lease, feedback: RateLimitFeedback) -> None:
        if self._asks_redis():
            try:
                self._observe(lease.model, await self._shared.settle(lease.id, lease.model, feedback))
                self._found()
            except (RedisError, OSError) as error:
                self._lost(error)

    async def _leave(self, ticket: Ticket) -> None:
        self._local.leave(ticket)
        if self._asks_redis():
            try:
                await self._shared.leave(ticket)
            except (RedisError, OSError) as error:
                self._lost(error)

    def _observe(self, model: str, answer: Answer) -> None:
        self._local.observe(model, answer)
        if answer.is_free:
            self._free.add(model)
        else:
            self._free.discard(model)

    def _asks_redis(self) -> bool:
        # During an outage only one call at a time asks Redis.
        now = time.monotonic()
        if self._away_until is None:
            return True
        if now < self._away_until:
            return False
        self._away_until = now + self._terms.again_s
        return True

    def _lost(self, error: Exception) -> None:
        if self._away_until is None:
            METER.set(ALONE, 1.0)
            log.warning("limiter_alone", error=type(error).__name__)
            self._local.begin()
        self._away_until = time.monotonic() + self._terms.again_s

    def _found(self) -> None:
        if self._away_until is not None:
            METER.set(ALONE, 0.0)
            log.info("limiter_shared_again")
            self._away_until = None

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def make_limiter(settings: Settings, terms: LimiterTerms | None = None) -> Limiter:
    if settings.provider == "offline":
        return Unlimited()
    terms = terms or LimiterTerms(settings.limiter.margin, settings.limiter.longest_wait_s)
    terms = replace(terms, lease_s=max(terms.lease_s, settings.models.call_timeout_s * _LEASE_PER_CALL))
    limits = {model: configured(info.limits) for model, info in settings.models.catalogue.items()}
    process = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    account = account_of(settings.provider_key, settings.provider_url)
    shared = SharedAllowance(settings.redis_url.get_secret_value(), account, process, limits, terms)
    return SharedLimiter(shared, LocalAllowance(limits, terms), terms)
