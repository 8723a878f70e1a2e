"""How many queries may run for this process: as many as it can work on without making all of them wait for each other.

With a model that is far away 32 queries wait side by side and none is slower for it. Where the processor is the limit,
more of them at a time end no sooner: each takes longer, and a person's question shares the processor with all of them.
What tells the two apart is for how much of the time this process has something to compute, with a core or waiting for
one: others that use the machine count, those that only wait for a model do not. Many threads that wake together wait
for each other also on a machine with time to spare, so waiting counts only where no core is idle.
"""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import structlog

from domain.errors import CitewellError

log = structlog.get_logger()

FIRST, FEWEST = 8, 2
"""Places of a process that has seen nothing yet, and of one whose machine is as busy as can be."""
LOOK_S = 1.0
_BUSY, _WAITING = 0.4, 0.5
"""Of a process that computes for so much of the time, this share of it without a core says that there are too few."""
SPARE = 0.1
"""Share of all cores. While at least so much is idle, more queries get more done instead of waiting for each other."""
_TASKS, _CORE_TIMES, _QUOTA = Path("/proc/self/task"), Path("/proc/stat"), Path("/sys/fs/cgroup/cpu.stat")
CALM, CROWDED = 0.7, 0.95
"""Share of the time in which this process has something to compute: below the first there is room for more, above the
second there is too much at a time."""


def next_room(room: int, strain: float, most: int, *, is_full: bool) -> int:
    """How many places there are from now on. It grows only while all are taken: an empty machine proves nothing."""
    if strain > CROWDED:
        return max(min(FEWEST, most), room * 2 // 3)
    if strain < CALM and is_full:
        return min(most, room + max(1, room // 2))
    return min(room, most)


def strain_of(used: float, demands: Sequence[float], idle: float) -> float:
    """Return the share of the time in which this process has something to compute.

    All are shares of the same time: `used` is the CPU time of the process, `demands` the CPU time and the waiting for a
    core of each thread, `idle` the part of all cores that nothing used.
    """
    # The process, whose threads share one interpreter lock, or a single thread that gets no core.
    strain = max(used, max(demands, default=0.0))
    wanted = max(sum(demands), used)
    if idle < SPARE and wanted > _BUSY and wanted - used > _WAITING * wanted:
        # The machine is fully used, by whatever programs: more queries here would only make everything wait.
        return max(strain, 1.0)
    return strain


class _Seen(NamedTuple):
    """What the system had counted at a moment, in seconds."""

    at: float
    used: float
    demands: dict[str, float]
    idle: float

    @classmethod
    def now(cls) -> "_Seen":
        return cls(time.perf_counter(), time.process_time(), _demands_s(), idle_s())


class Room:
    """The places of this process. `is_full` tells whether all of them, of all processes, are taken."""

    def __init__(self, most: int, is_full: Callable[[], bool]) -> None:
        self.places = min(FIRST, most)
        self._most, self._is_full = most, is_full
        self._strain = float("inf")
        self._seen: _Seen | None = None

    def look(self) -> bool:
        """Whether the number of places changes with how busy it was since the last look, a second ago."""
        before, now = self._seen, _Seen.now()
        self._seen = now
        if before is None:
            return False
        took = now.at - before.at
        used, idle = now.used - before.used, now.idle - before.idle
        each_s = [demand - before.demands.get(name, 0.0) for name, demand in now.demands.items()]
        strain = strain_of(used / took, [each / took for each in each_s], idle / (took * len(_cores())))
        places = self.places
        # A second alone says little: of two the calmer one counts. Whether all are taken is asked when it matters.
        told, self._strain = min(strain, self._strain), strain
        is_full = self.places < self._most and told < CALM and self._taken()
        self.places = next_room(self.places, told, self._most, is_full=is_full)
        if self.places != places:
            log.info("room", places=self.places, strain=round(told, 2))
        return self.places != places

    def _taken(self) -> bool:
        try:
            return self._is_full()
        except CitewellError:
            # The database is away: nothing is started now anyway.
            return False


def _demands_s() -> dict[str, float]:
    """For how long each thread of this process has computed, or was ready to and had no core; empty where the system
    does not tell."""
    demands = dict[str, float]()
    for told in _TASKS.glob("*/schedstat"):
        with suppress(OSError, ValueError, IndexError):
            used_ns, waited_ns, *_ = told.read_text().split()
            demands[told.parent.name] = (int(used_ns) + int(waited_ns)) / 1e9
    return demands


def _cores() -> set[int]:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def idle_s() -> float:
    """For how long these cores had nothing to do, all together; less for every second in which a quota kept this
    container from them. 0 where the system does not tell."""
    idle, names = 0.0, {f"cpu{number}" for number in _cores()}
    with suppress(OSError, ValueError, IndexError):
        times = (line.split() for line in _CORE_TIMES.read_text().splitlines())
        # Of each core: its name, then ticks of user, nice, system, idle and waiting for a disk.
        ticks = sum(int(each[4]) + int(each[5]) for each in times if each[0] in names)
        idle = ticks / os.sysconf("SC_CLK_TCK")
        idle -= _throttled_s() * len(names)
    return idle


def _throttled_s() -> float:
    with suppress(OSError, ValueError):
        told = dict(line.split() for line in _QUOTA.read_text().splitlines())
        return int(told.get("throttled_usec", 0)) / 1e6
    return 0.0
