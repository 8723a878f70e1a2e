"""Slots for calls in flight per process: a slot first, then tokens, then the call with its own time (smell 10)."""

import asyncio
import time
from types import TracebackType

from clients.llm.protocol import NoFreeSlot


class Slot:
    """One of the `free` slots, once taken; given back at the end of the block."""

    def __init__(self, free: asyncio.Semaphore, ends_at: float) -> None:
        self._free = free
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
        try:
            async with asyncio.timeout(max(0.0, self._ends_at - time.monotonic())):
                await self._free.acquire()
        except TimeoutError:
            raise NoFreeSlot("no free slot in time") from None
        self._is_held = True

    async def take_now(self) -> bool:
        if self._free.locked():
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
            self._free.release()
