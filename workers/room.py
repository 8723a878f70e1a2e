"""How many queries may run for this process: as many as it can work on without making all of them wait for each other.

With a model that is far away 32 queries wait side by side and none is slower for it. Where this machine is the limit,
more of them at a time end no sooner: each takes longer, and a person's question shares the machine with all of them.
Three things tell the two apart: how much of a core this process uses (its threads take turns on one), how long its
threads are ready and wait for a core, and how late it wakes when it wanted to.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import structlog

from domain.errors import CitewellError

log = structlog.get_logger()

FIRST, FEWEST = 8, 2
"""Places of a process that has seen nothing yet, and of one whose machine is as busy as can be."""
LOOKS, LOOK_EVERY_S = 20, 0.05
_TASKS = Path("/proc/self/task")


class Strain(NamedTuple):
    """Of a second: the share of a core that was used, the share of its working time for which it waited for a core, and
    how late it woke on average, in seconds."""

    used: float
    waited: float
    late_s: float


CALM, CROWDED = Strain(0.6, 0.2, 0.004), Strain(0.85, 0.35, 0.012)
"""Below all of the first there is room for more; above one of the second there is too much at a time."""


def next_room(room: int, strain: Strain, most: int, *, is_full: bool) -> int:
    """How many places there are from now on. It grows only while all are taken: an empty machine proves nothing."""
    if any(found > limit for found, limit in zip(strain, CROWDED, strict=True)):
        return max(min(FEWEST, most), room * 2 // 3)
    if is_calm(strain) and is_full:
        return min(most, room * 2)
    return min(room, most)


def is_calm(strain: Strain) -> bool:
    """Whether there is room for more."""
    return all(found < limit for found, limit in zip(strain, CALM, strict=True))


class Room:
    """The places of this process. `is_full` tells whether all of them, of all processes, are taken."""

    def __init__(self, most: int, is_full: Callable[[], bool]) -> None:
        self.places = min(FIRST, most)
        self._most, self._is_full = most, is_full

    def look(self, leaving: threading.Event) -> bool:
        """Watch for a second, or until `leaving`; whether the number of places has changed."""
        late, began, used, waited = 0.0, time.perf_counter(), time.process_time(), _waited_s()
        for _ in range(LOOKS):
            asleep = time.perf_counter()
            if leaving.wait(LOOK_EVERY_S):
                return False
            late += max(0.0, time.perf_counter() - asleep - LOOK_EVERY_S)
        used, waited = time.process_time() - used, max(0.0, _waited_s() - waited)
        strain = Strain(used / (time.perf_counter() - began), waited / max(used + waited, 0.1), late / LOOKS)
        before = self.places
        # Asked only when the answer matters.
        is_full = self.places < self._most and is_calm(strain) and self._taken()
        self.places = next_room(self.places, strain, self._most, is_full=is_full)
        if self.places != before:
            log.info("room", places=self.places, **{name: round(each, 3) for name, each in strain._asdict().items()})
        return self.places != before

    def _taken(self) -> bool:
        try:
            return self._is_full()
        except CitewellError:
            # The database is away: nothing is started now anyway.
            return False


def _waited_s() -> float:
    """How long the threads of this process have been ready without a core; 0 where the system does not tell."""
    waited_ns = 0
    for told in _TASKS.glob("*/schedstat"):
        with suppress(OSError, ValueError, IndexError):
            waited_ns += int(told.read_text().split()[1])
    return waited_ns / 1e9
