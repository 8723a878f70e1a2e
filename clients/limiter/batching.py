"""Sends operations in batches: at once while they are rare, at a common beat when they are frequent."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from clients.limiter.request import Answer, Kind

_AT_ONCE = 10
_GAP_S = 0.02
SETTLE_WITHIN_S = 0.1
"""The longest delay of a settlement to batch it with others, when no call waits for the tokens that it returns."""

Op = dict[str, Any]
Send = Callable[[list[Op], Mapping[Kind, float] | None], Awaitable[list[Answer]]]
"""Sends a batch with the lower bounds of the fill levels; returns one answer per operation."""


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
