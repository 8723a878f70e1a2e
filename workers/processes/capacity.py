"""The number of queries that may run for this process: as many as it can process without slowing all of them down.

With a remote model 32 queries wait side by side and none is slower for it. Where the processor is the limit, more of
them at a time end no sooner: each takes longer, and a person's question shares the processor with all of them. The
share of time in which this process has something to compute, with a core or waiting for one, tells the two cases apart:
other programs on the machine count, threads that only wait for a model do not. Many threads that wake together wait for
each other even on a machine with time to spare, so waiting counts only where no core is idle.
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
"""The places of a process that has measured nothing yet, and of one whose machine is fully busy."""
LOOK_S = 1.0
_BUSY, _WAITING = 0.4, 0.5
"""If a process computes for the first share of the time, and the second share of that without a core, cores are too
few."""
SPARE = 0.1
"""The share of all cores. While at least this much is idle, more queries get more done instead of waiting for each
other."""
_TASKS, _CORE_TIMES, _QUOTA = Path("/proc/self/task"), Path("/proc/stat"), Path("/sys/fs/cgroup/cpu.stat")
CALM, CROWDED = 0.7, 0.95
"""Shares of the time in which this process has something to compute: under the first there is room for more queries,
above the second there are too many."""


def next_room(room: int, strain: float, most: int, *, is_full: bool) -> int:
    """The new number of places. It grows only while all are taken, because an empty machine proves nothing."""
    if strain > CROWDED:
        return max(min(FEWEST, most), room * 2 // 3)
    if strain < CALM and is_full:
        return min(most, room + max(1, room // 2))
    return min(room, most)


def strain_of(used: float, demands: Sequence[float], idle: float) -> float:
    """Return the share of the time in which this process has something to compute.

    All are shares of the same time: `used` is the CPU time of the process, `demands` the CPU time plus the wait for a
    core of each thread, `idle` the part of all cores that nothing used.
    """
    # Either the process, whose threads share one interpreter lock, or a single thread that gets no core.
    strain = max(used, max(demands, default=0.0))
    wanted = max(sum(demands), used)
    if idle < SPARE and wanted > _BUSY and wanted - used > _WAITING * wanted:
        # The machine is fully used, by whatever programs: more queries here would only make everything wait.
        return max(strain, 1.0)
    return strain


class _Seen(NamedTuple):
    """The system's counters at a moment, in seconds."""

    at: float
    used: float
    demands: dict[str, float]
    idle: float

    @classmethod
    def now(cls) -> "_Seen":
        return cls(time.perf_counter(), time.process_time(), _demands_s(), idle_s())


class Room:
    """The places of this process. `is_full` tells whether all places of all processes are taken."""

    def __init__(self, most: int, is_full: Callable[[], bool]) -> None:
        self.places = min(FIRST, most)
        self._most, self._is_full = most, is_full
        self._strain = float("inf")
        self._seen: _Seen | None = None

    def look(self) -> bool:
        """Adjust the number of places to the load since the last look, a second ago; return whether it changed."""
        before, now = self._seen, _Seen.now()
        self._seen = now
        if before is None:
            return False
        took = now.at - before.at
        used, idle = now.used - before.used, now.idle - before.idle
        each_s = [demand - before.demands.get(name, 0.0) for name, demand in now.demands.items()]
        strain = strain_of(used / took, [each / took for each in each_s], idle / (took * len(_cores())))
        places = self.places
        # One second says little, so the calmer of two counts. Whether all are taken is asked only when it matters.
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
            # The database is unreachable, so nothing is started now anyway.
            return False


def _demands_s() -> dict[str, float]:
    """The time that each thread of this process has computed or waited for a core; empty where the system does not
    report it."""
    demands = dict[str, float]()
    for told in _TASKS.glob("*/schedstat"):
        with suppress(OSError, ValueError, IndexError):
            used_ns, waited_ns, *_ = told.read_text().split()
            demands[told.parent.name] = (int(used_ns) + int(waited_ns)) / 1e9
    return demands


def _cores() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def idle_s() -> float:
    """The idle time of these cores together, minus the time in which a quota kept this container from them. 0 where
    the system does not report it."""
    idle, names = 0.0, {f"cpu{number}" for number in _cores()}
    with suppress(OSError, ValueError, IndexError):
        times = (line.split() for line in _CORE_TIMES.read_text().splitlines())
        # For each core: its name, then ticks of user, nice, system, idle and waiting for a disk.
        ticks = sum(int(each[4]) + int(each[5]) for each in times if each[0] in names)
        idle = ticks / os.sysconf("SC_CLK_TCK")
        idle -= _throttled_s() * len(names)
    return idle


def _throttled_s() -> float:
    with suppress(OSError, ValueError):
        told = dict(line.split() for line in _QUOTA.read_text().splitlines())
        return int(told.get("throttled_usec", 0)) / 1e6
    return 0.0
