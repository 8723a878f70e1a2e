"""Measures the cost of processes: CPU and memory of whole trees, including ended ones, and the load by other
programs."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Generic, Self, TypeVar

import psutil

_SAMPLE_EVERY_S = 1.0

Key = TypeVar("Key")
Reading = TypeVar("Reading")


def cpu_seconds(roots: Iterable[int]) -> float:
    """Return the CPU time of these processes and of everything below them since they began.

    The figures of a process include children that it has waited for, so a worker that was replaced still counts.
    """
    return sum(_seconds(process) for process in _trees(roots))


def memory_mb(roots: Iterable[int]) -> float:
    """Return memory in MB: shared pages are divided among the processes that share them (where the system reports that:
    Linux)."""
    return sum(_bytes(process) for process in _trees(roots)) / 1e6


class Peak(Generic[Key, Reading]):
    """The reading with the largest size while the context is entered, of each of several kinds."""

    def __init__(
        self, looks: Mapping[Key, Callable[[], Reading]], size: Callable[[Reading], float], every_s: float
    ) -> None:
        self.readings = {key: look() for key, look in looks.items()}
        self._looks, self._size, self._every_s = looks, size, every_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="memory", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(self._every_s):
            for key, look in self._looks.items():
                self.readings[key] = max(self.readings[key], look(), key=self._size)


def peak_memory(groups: Mapping[str, list[int]]) -> Peak[str, float]:
    """Return the largest `memory_mb` of each group of processes."""
    return Peak({name: partial(memory_mb, roots) for name, roots in groups.items()}, float, _SAMPLE_EVERY_S)


@dataclass(frozen=True, slots=True)
class Machine:
    """CPU of the whole machine and of the benchmark until now, in seconds, and the load average of the last minute."""

    busy: float
    ours: float
    at: float
    load: float

    @classmethod
    def now(cls, ours: Iterable[int], at: float) -> "Machine":
        """Read the counters now; `at` is the time of the reading."""
        times = psutil.cpu_times()
        idle = times.idle + getattr(times, "iowait", 0.0)
        return cls(sum(times[:8]) - idle, cpu_seconds(ours), at, psutil.getloadavg()[0])

    def others(self, since: "Machine") -> float:
        """Return the cores that all other programs kept busy since then."""
        used = (self.busy - since.busy) - (self.ours - since.ours)
        return max(0.0, used / (self.at - since.at))


def _trees(roots: Iterable[int]) -> Iterator[psutil.Process]:
    seen: set[int] = set()
    for pid in roots:
        with suppress(psutil.NoSuchProcess):
            root = psutil.Process(pid)
            for process in (root, *root.children(recursive=True)):
                if process.pid not in seen:
                    seen.add(process.pid)
                    yield process


def _seconds(process: psutil.Process) -> float:
    with suppress(psutil.Error):
        times = process.cpu_times()
        return times.user + times.system + times.children_user + times.children_system
    return 0.0


def _bytes(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        full = process.memory_full_info()
        return getattr(full, "pss", full.uss)
    return 0
