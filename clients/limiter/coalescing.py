"""Coalescing delay: none for rare operations, a common beat for frequent ones."""

import time
from collections.abc import Callable

_AT_ONCE = 10
_GAP_S = 0.02


class Pace:
    """Allows a few operations at once, then one every 20 ms: a busy process batches more, a lone query never waits."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._at = clock()
        self._credit = float(_AT_ONCE)

    def pause_s(self) -> float:
        """Seconds to wait before the next operation."""
        now = self._clock()
        self._credit = min(_AT_ONCE, self._credit + (now - self._at) / _GAP_S) - 1
        self._at = now
        return max(0.0, -self._credit * _GAP_S)
