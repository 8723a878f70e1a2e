"""How many queries may run for this process: as many as it can work on without making all of them wait for each other.

With a model that is far away 32 queries wait side by side and none is slower for it. Where this machine is the limit,
more of them at a time end no sooner: each takes longer, and a person's question shares the machine with all of them.
What tells the two apart is how late this process wakes when it wanted to: that is how long any step waits for its turn.
"""

import threading
import time
from collections.abc import Callable

import structlog

from domain.errors import CitewellError

log = structlog.get_logger()

FIRST, FEWEST = 8, 2
"""Places of a process that has seen nothing yet, and of one whose machine is as busy as can be."""
CALM_S, CROWDED_S = 0.004, 0.012
"""Late by so much on average: there is room for more; there is too much at a time."""
LOOKS, LOOK_EVERY_S = 20, 0.05


def next_room(room: int, late_s: float, most: int, *, is_full: bool) -> int:
    """How many places there are from now on. It grows only while all are taken: an empty machine proves nothing."""
    if late_s > CROWDED_S:
        return max(min(FEWEST, most), room * 2 // 3)
    if late_s < CALM_S and is_full:
        return min(most, room * 2)
    return min(room, most)


class Room:
    """The places of this process. `is_full` tells whether all of them, of all processes, are taken."""

    def __init__(self, most: int, is_full: Callable[[], bool]) -> None:
        self.places = min(FIRST, most)
        self._most, self._is_full = most, is_full

    def look(self, leaving: threading.Event) -> bool:
        """Watch for a second, or until `leaving`; whether the number of places has changed."""
        late = 0.0
        for _ in range(LOOKS):
            began = time.perf_counter()
            if leaving.wait(LOOK_EVERY_S):
                return False
            late += max(0.0, time.perf_counter() - began - LOOK_EVERY_S)
        before, late_s = self.places, late / LOOKS
        # Asked only when the answer matters.
        is_full = late_s < CALM_S and self.places < self._most and self._taken()
        self.places = next_room(self.places, late_s, self._most, is_full=is_full)
        if self.places != before:
            log.info("room", places=self.places, late_ms=round(1000 * late_s, 1))
        return self.places != before

    def _taken(self) -> bool:
        try:
            return self._is_full()
        except CitewellError:
            # The database is away: nothing is started now anyway.
            return False
