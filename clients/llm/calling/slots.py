"""Slots for calls in flight, per process and model. A call takes a slot first, then tokens; only then its own time
begins (smell 10).

Each model has its own slots, so that a slow model does not hold up the questions to another.
"""

import asyncio
import time
from collections import deque
from types import TracebackType

from clients.llm.protocol import NO_FREE_SLOT, ModelError, ModelReply, ModelTimedOut, NoFreeSlot

_SHARE_OF_TIMEOUT = 0.5
"""Calls that are in flight together should be answered within this share of the time that one may take."""
_SPARE = 4
"""A reply that takes less than this fraction (1/n) of that time shows that the server could serve one call more."""


class Slots:
    """At most `most` slots of a model, and fewer once its server has let a call time out.

    A server with room for one call keeps the others waiting without a response until they time out and are asked again,
    so its work on them is lost. The number of calls that it answered meanwhile shows how many it serves at once.
    """

    def __init__(self, most: int) -> None:
        self.limit = self._most = most
        self._held = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._answered = 0

    @property
    def answered(self) -> int:
        """The number of calls that the server has answered so far; a call notes this number when it begins."""
        return self._answered

    async def take(self, ends_at: float) -> None:
        """Wait for a free slot; slots are granted in the order of asking. Raises NoFreeSlot at `ends_at`."""
        if not self.is_full() and not self._waiting:
            self._held += 1
            return
        granted = asyncio.get_running_loop().create_future()
        self._waiting.append(granted)
        try:
            async with asyncio.timeout(max(0.0, ends_at - time.monotonic())):
                await granted
        except TimeoutError:
            self._leave(granted)
            raise NoFreeSlot(NO_FREE_SLOT) from None
        except asyncio.CancelledError:
            self._leave(granted)
            raise

    def is_full(self) -> bool:
        return self._held >= self.limit

    def give_back(self) -> None:
        self._held -= 1
        self._grant()

    def _leave(self, granted: "asyncio.Future[None]") -> None:
        # A slot that was granted at the last moment is passed on.
        if granted.done() and not granted.cancelled():
            self.give_back()
        elif granted in self._waiting:
            self._waiting.remove(granted)

    def _grant(self) -> None:
        while self._waiting and not self.is_full():
            granted = self._waiting.popleft()
            # A waiting call that is cancelled has not left yet.
            if not granted.done():
                self._held += 1
                granted.set_result(None)

    def note(self, outcome: ModelReply | ModelError, seconds: float, timeout_s: float, answered_before: int) -> None:
        """Learn from the `outcome` of a call that took `seconds` of its `timeout_s` and began when the server had
        answered `answered_before` calls."""
        if isinstance(outcome, ModelTimedOut):
            meanwhile = self._answered - answered_before
            self._resize(min(self.limit, max(1, int(meanwhile * _SHARE_OF_TIMEOUT))))
        elif isinstance(outcome, ModelReply):
            self._answered += 1
            if self.limit < self._most and seconds * _SPARE < timeout_s:
                self._resize(self.limit + 1)

    def _resize(self, limit: int) -> None:
        self.limit = limit
        self._grant()


class Slot:
    """One of the `slots`, once taken; it is given back at the end of the block."""

    def __init__(self, slots: Slots, ends_at: float) -> None:
        self._slots = slots
        self._ends_at = ends_at
        self._is_held = False

    def __enter__(self) -> "Slot":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.give_back()

    async def take(self) -> None:
        """Wait for a free slot. Raises NoFreeSlot at `ends_at`."""
        await self._slots.take(self._ends_at)
        self._is_held = True

    async def take_now(self) -> bool:
        if self._slots.is_full():
            return False
        await self.take()
        return True

    async def sleep(self, seconds: float) -> None:
        self.give_back()
        await asyncio.sleep(seconds)
        await self.take()

    def give_back(self) -> None:
        if self._is_held:
            self._is_held = False
            self._slots.give_back()
