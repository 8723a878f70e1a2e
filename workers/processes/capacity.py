"""Measures the capacity of this process: the number of queries that it can run without slowing all of them down.

With a remote model 32 queries wait concurrently, and none of them is slower for it. When the CPU is the bottleneck,
more concurrency only makes every query slower, including those that a person waits for. The load, the share of time in
which this process computes or waits for a core, distinguishes the two cases: it includes the effect of other programs
on the machine, but not threads that only wait for a model. Threads that wake together wait for each other even on an
idle machine, so waiting for a core counts only while no core is idle.
"""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import structlog

from citewell_verify.errors import CitewellError

log = structlog.get_logger()

INITIAL_PLACES, MIN_PLACES = 8, 2
"""The places of a process before its first measurement, and on a fully busy machine."""
MEASURE_EVERY_S = 1.0
_BUSY, _WAITING = 0.4, 0.5
"""There are too few cores if a process wants to compute for the first share of the time, and waits for a core in the
second share of that."""
IDLE_SHARE = 0.1
"""A share of all cores. While at least this much is idle, more queries increase throughput."""
_THREADS, _CORE_TIMES, _QUOTA = Path("/proc/self/task"), Path("/proc/stat"), Path("/sys/fs/cgroup/cpu.stat")
LOW_LOAD, HIGH_LOAD = 0.7, 0.95
"""Below the first load there is capacity for more queries; above the second there are too many."""


def next_capacity(capacity: int, load: float, most: int, *, is_full: bool) -> int:
    """Return the new number of places. It grows only while all are in use, because an idle machine proves nothing."""
    if load > HIGH_LOAD:
        return max(min(MIN_PLACES, most), capacity * 2 // 3)
    if load < LOW_LOAD and is_full:
        return min(most, capacity + max(1, capacity // 2))
    return min(capacity, most)


def load_of(used: float, demands: Sequence[float], idle: float) -> float:
    """Return the share of the time in which this process computes or waits for a core.

    All arguments are shares of the same time: `used` is the CPU time of the process, `demands` the CPU time plus the
    wait for a core of each thread, `idle` the unused part of all cores.
    """
    # The load is that of the whole process, whose threads share an interpreter lock, or of a single thread that gets no
    # core.
    load = max(used, max(demands, default=0.0))
    wanted = max(sum(demands), used)
    if idle < IDLE_SHARE and wanted > _BUSY and wanted - used > _WAITING * wanted:
        # The machine is fully used, if only by other programs: more queries here would make everything slower.
        return max(load, 1.0)
    return load


class _Counters(NamedTuple):
    """The system's counters at a moment, in seconds."""

    at: float
    used: float
    demands: dict[str, float]
    idle: float

    @classmethod
    def now(cls) -> "_Counters":
        return cls(time.perf_counter(), time.process_time(), _demands_s(), idle_s())


class Capacity:
    """The places of this process. `is_full` returns whether all places of all processes are in use."""

    def __init__(self, most: int, is_full: Callable[[], bool]) -> None:
        self.places = min(INITIAL_PLACES, most)
        self._most, self._is_full = most, is_full
        self._load = float("inf")
        self._counters: _Counters | None = None

    def adjust(self) -> bool:
        before, now = self._counters, _Counters.now()
        self._counters = now
        if before is None:
            return False
        took = now.at - before.at
        used, idle = now.used - before.used, now.idle - before.idle
        demands_s = [demand - before.demands.get(name, 0.0) for name, demand in now.demands.items()]
        load = load_of(used / took, [demand_s / took for demand_s in demands_s], idle / (took * len(_cores())))
        places = self.places
        # One second is a small sample, so the lower of two loads counts. `is_full` is called only when it matters.
        lower, self._load = min(load, self._load), load
        is_full = self.places < self._most and lower < LOW_LOAD and self._check_full()
        self.places = next_capacity(self.places, lower, self._most, is_full=is_full)
        if self.places != places:
            log.info("capacity", places=self.places, load=round(lower, 2))
        return self.places != places

    def _check_full(self) -> bool:
        try:
            return self._is_full()
        except CitewellError:
            # The database is unreachable, so nothing can be started now anyway.
            return False


def _demands_s() -> dict[str, float]:
    """Return the time that each thread of this process computed or waited for a core; empty where the system does not
    report it."""
    demands = dict[str, float]()
    for file in _THREADS.glob("*/schedstat"):
        with suppress(OSError, ValueError, IndexError):
            used_ns, waited_ns, *_ = file.read_text().split()
            demands[file.parent.name] = (int(used_ns) + int(waited_ns)) / 1e9
    return demands


def _cores() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def idle_s() -> float:
    """Return the total idle time of these cores, minus the time in which a quota throttled this container. 0 where the
    system does not report it."""
    idle, names = 0.0, {f"cpu{number}" for number in _cores()}
    with suppress(OSError, ValueError, IndexError):
        times = (line.split() for line in _CORE_TIMES.read_text().splitlines())
        # Per core: its name, then ticks of user, nice, system, idle and I/O wait.
        ticks = sum(int(core[4]) + int(core[5]) for core in times if core[0] in names)
        idle = ticks / os.sysconf("SC_CLK_TCK")
        idle -= _throttled_s() * len(names)
    return idle


def _throttled_s() -> float:
    with suppress(OSError, ValueError):
        counters = dict(line.split() for line in _QUOTA.read_text().splitlines())
        return int(counters.get("throttled_usec", 0)) / 1e6
    return 0.0
