"""The shared allowance in Redis: one run of the script for all operations that are batched together.

Operations are sent at once while they are rare, and at a common beat when they are frequent.
"""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from pydantic import TypeAdapter
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import TimeoutError as RedisTimeout

from clients.limiter.feedback import RateLimitFeedback
from clients.limiter.protocol import LimiterTerms
from clients.limiter.request import Answer, Kind, Ticket
from clients.limiter.script import ALLOWANCE
from clients.llm.protocol import Allowance

_AT_ONCE = 10
_GAP_S = 0.02
SETTLE_WITHIN_S = 0.1
"""The longest delay of a settlement to batch it with others, when no call waits for the tokens that it returns."""

Op = dict[str, Any]
Send = Callable[[list[Op], Mapping[Kind, float] | None], Awaitable[list[Answer]]]
"""Sends a batch with the lower bounds of the fill levels; returns one answer per operation."""
_JSON: TypeAdapter[Op] = TypeAdapter(Op)
"""Writes a batch in a tenth of the time of `json`."""


class Pace:
    """Allows a few operations at once, then one every 20 ms: a busy process batches more, and a lone query never
    waits.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._at = clock()
        self._credit = float(_AT_ONCE)

    def pause_s(self) -> float:
        now = self._clock()
        self._credit = min(_AT_ONCE, self._credit + (now - self._at) / _GAP_S) - 1
        self._at = now
        return max(0.0, -self._credit * _GAP_S)


@dataclass(slots=True, eq=False)
class _PendingOp:
    """An op that waits to be sent, and the future of its answer."""

    op: Op
    answer: asyncio.Future[Answer]
    floor: Mapping[Kind, float] | None


class Batcher:
    """Batches the ops of one model. Ops of the same tick of the loop, and ops that arrive during a run, are sent
    together.
    """

    def __init__(self, send: Send) -> None:
        self._send_batch = send
        self._pending: list[_PendingOp] = []
        self._is_calm = False
        self._pace = Pace()
        self._sending: asyncio.Task[None] | None = None
        self._later: asyncio.TimerHandle | None = None

    async def ask(self, op: Op, floor: Mapping[Kind, float] | None = None, *, may_wait: bool = False) -> Answer:
        """The script's answer. With `may_wait` the op is sent with the next one, or a little later."""
        loop = asyncio.get_running_loop()
        pending = _PendingOp(op, loop.create_future(), floor)
        self._pending.append(pending)
        if not (may_wait and self._is_calm):
            self._send()
        elif self._later is None:
            self._later = loop.call_later(SETTLE_WITHIN_S, self._send)
        return await pending.answer

    async def flush(self) -> None:
        self._send()
        if self._sending is not None:
            await self._sending

    def _send(self) -> None:
        if self._sending is None:
            self._sending = asyncio.create_task(self._send_all())

    async def _send_all(self) -> None:
        try:
            while self._pending:
                await asyncio.sleep(self._pace.pause_s())
                await self._send_once()
        finally:
            self._sending = None

    async def _send_once(self) -> None:
        if self._later is not None:
            self._later.cancel()
            self._later = None
        # A call that was cancelled meanwhile must not be granted anything.
        batch = [pending for pending in self._pending if not pending.answer.done()]
        self._pending.clear()
        if not batch:
            return
        floor = next((pending.floor for pending in batch if pending.floor), None)
        try:
            answers = await self._send_batch([pending.op for pending in batch], floor)
        except Exception as error:  # noqa: BLE001 - passed on to the callers
            # Ops that arrived meanwhile need not run into the same failure.
            for pending in (*batch, *self._pending):
                if not pending.answer.done():
                    pending.answer.set_exception(error)
            self._pending.clear()
            return
        self._is_calm = answers[-1].is_calm
        for pending, answer in zip(batch, answers, strict=True):
            if not pending.answer.done():
                pending.answer.set_result(answer)


_CONNECTIONS = 4
# A ticket outlives its next due poll by this long: a busy process is late, a dead one never polls.
_GRACE_S = 3.0
_FOR_EVER_S = 1e9
_LATE = 1.5
_LIMITS = tuple(field.name for field in fields(Allowance))
_TOLD = tuple(field.name for field in fields(RateLimitFeedback) if field.name not in {"used", "allowance"})
_PREFIX = "citewell:allowance"


def account_of(api_key: str, base_url: str) -> str:
    return hashlib.sha256(f"{base_url.rstrip('/')}\n{api_key}".encode()).hexdigest()[:16]


def key_of(account: str, model: str) -> str:
    return f"{_PREFIX}:{{{account}}}:{model}"


class SharedAllowance:
    """The allowance of one account, for one event loop. `take`, `settle` and `leave` raise RedisError or OSError if
    Redis is down or slow.
    """

    def __init__(
        self,
        url: str,
        account: str,
        process: str,
        limits: Mapping[str, Mapping[Kind, float]],
        terms: LimiterTerms,
        *,
        script: str = ALLOWANCE,
    ) -> None:
        pool: BlockingConnectionPool = BlockingConnectionPool.from_url(  # pyright: ignore[reportUnknownMemberType]
            url,
            max_connections=_CONNECTIONS,
            timeout=None,
            socket_timeout=terms.timeout_s,
            socket_connect_timeout=terms.timeout_s,
            # There is one try: a call that would wait for a slow Redis uses the local fallback instead.
            retry=Retry(NoBackoff(), 0),
            protocol=2,
        )
        self._redis: Any = Redis(connection_pool=pool)
        self._script: Any = self._redis.register_script(script)
        # This comes before the pool, so that waiting for a connection does not count as waiting for Redis.
        self._slots = asyncio.Semaphore(_CONNECTIONS)
        self._account = account
        self._limits = limits
        self._terms = terms
        self._same: Op = {
            "margin": terms.margin,
            "process": process,
            "grace_s": _GRACE_S,
            "lease_s": terms.lease_s,
            "probe_s": terms.probe_s,
            "seen_s": terms.seen_s,
            "longest_s": terms.longest_wait_s,
        }
        self._batchers: dict[str, Batcher] = {}

    async def take(self, ticket: Ticket, patience_s: float, floor: Mapping[Kind, float] | None = None) -> Answer:
        """Reserve for `ticket`, or say when to ask again; a wait over `patience_s` gives up the ticket.

        `floor` holds lower bounds of the fill levels (see `Answer.full`).
        """
        op: Op = {
            "op": "take",
            "id": ticket.id,
            "tokens": ticket.tokens,
            "score": ticket.score,
            "claim": ticket.claim,
            "first": ticket.first,
            "patience": min(max(patience_s, 0.0), _FOR_EVER_S),
            "keep_s": self._terms.keep_place_s if patience_s > 0 else 0.0,
        }
        return await self._batcher(ticket.model).ask(op, floor)

    async def settle(self, lease_id: str, model: str, feedback: RateLimitFeedback) -> Answer:
        """Return unused tokens and learn from the feedback. This may be delayed for batching, see
        `SETTLE_WITHIN_S`.
        """
        known = {name: getattr(feedback.allowance, name) for name in _LIMITS}
        known |= {name: getattr(feedback, name) for name in _TOLD}
        op = _without_none({"op": "settle", "id": lease_id, "used": feedback.used, "told": _without_none(known)})
        return await self._batcher(model).ask(op, may_wait=feedback.refused is None)

    async def leave(self, ticket: Ticket) -> Answer:
        return await self._batcher(ticket.model).ask({"op": "leave", "id": ticket.id})

    async def flush(self) -> None:
        await asyncio.gather(*(batcher.flush() for batcher in self._batchers.values()))

    async def aclose(self) -> None:
        await self._redis.aclose(close_connection_pool=True)

    def _batcher(self, model: str) -> Batcher:
        if model not in self._batchers:
            self._batchers[model] = Batcher(partial(self._decide, model))
        return self._batchers[model]

    async def _decide(self, model: str, ops: list[Op], floor: Mapping[Kind, float] | None) -> list[Answer]:
        call = self._same | {"ops": ops, "limits": self._limits.get(model, {})}
        if floor:
            call["floor"] = dict(floor)
        keys, args = [key_of(self._account, model)], [_JSON.dump_json(call)]
        async with self._slots:
            started = time.monotonic()
            try:
                answer = await self._script(keys=keys, args=args)
            except RedisTimeout:
                # If the timeout is noticed late, this process was busy itself. Ops may be repeated (see the script).
                if time.monotonic() - started < _LATE * self._terms.timeout_s:
                    raise
                answer = await self._script(keys=keys, args=args)
        return _Decided.model_validate_json(answer).each()


class _Decided(Answer):
    """The result of one run of the script: the common part, and an answer to each op."""

    answers: list[Answer]

    def each(self) -> list[Answer]:
        same = {
            name: getattr(self, name) for name in ("full", "limits", "sharers", "waiting", "known", "refusing", "now")
        }
        return [answer.model_copy(update=same) for answer in self.answers]


def _without_none(call: Mapping[str, object]) -> dict[str, object]:
    # Lua would take a null for a value that counts as true.
    return {name: value for name, value in call.items() if value is not None}
