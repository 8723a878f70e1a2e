"""`python -m benchmarks.cost.memory`: what `citewell up` takes of a laptop's memory, process by process. Linux only.

All that the command starts counts, and the command itself: before the first question, after some, and at most while
many are in flight. PSS divides what processes share among them, so the sum is what the machine lacks; USS is what a
process would give back by ending. The model is simulated, in a process that does not count.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from benchmarks.cost.meter import DOCUMENT, QUESTION, asking, burst
from benchmarks.load.provider import simulated_provider
from benchmarks.rivals.measuring import Peak
from citewell.supervisor.home import temporary_home
from citewell.supervisor.state import running_server
from citewell_client import CitewellClient

_SAMPLE_EVERY_S = 0.5
_LOOK_EVERY_S = 0.05
_WORKER = re.compile(r"([\w-]+)@%h")
_SERVERS = ("postgres", "valkey")


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of one process, or of several together; in bytes."""

    rss: int = 0
    pss: int = 0
    uss: int = 0
    processes: int = 0

    def __add__(self, other: "Memory") -> "Memory":
        return Memory(
            self.rss + other.rss, self.pss + other.pss, self.uss + other.uss, self.processes + other.processes
        )


Reading = Mapping[str, Memory]


def read(root: int) -> Reading:
    """Return the memory of a process and of all processes below it, by name; the processes of a server count as one."""
    found: dict[str, Memory] = {}
    for name, process in _named(psutil.Process(root), "up"):
        with suppress(psutil.Error):
            full = process.memory_full_info()
            found[name] = found.get(name, Memory()) + Memory(full.rss, full.pss, full.uss, 1)
    return found


def total(reading: Reading) -> Memory:
    return sum(reading.values(), Memory())


def _pss(reading: Reading) -> int:
    return total(reading).pss


def _named(process: psutil.Process, name: str) -> Iterator[tuple[str, psutil.Process]]:
    yield name, process
    with suppress(psutil.Error):
        for child in process.children():
            own = _name(child)
            # The children of a server are its connections.
            yield from _named(child, own or (name if name in _SERVERS else f"{name}, child"))


def _name(process: psutil.Process) -> str | None:
    command = " ".join(process.cmdline())
    if worker := _WORKER.search(command):
        return worker[1]
    known = {
        "forkserver": "forkserver",
        "api.app:app": "api",
        "guard.py": "guard",
        "bin/postgres": "postgres",
        "valkey-server": "valkey",
    }
    return next((name for part, name in known.items() if part in command), None)


@contextmanager
def running(environment: Mapping[str, str]) -> Generator[tuple[int, str, float]]:
    """Run `citewell up` with a home of its own, as a process: yield its id, its address, and the seconds that its start
    took."""
    with temporary_home() as home, (home / "up.log").open("w") as log:
        began = time.monotonic()
        command = [sys.executable, "-m", "citewell.cli.main", "up", "--port", "0"]
        own = {**os.environ, "CITEWELL_HOME": str(home), **environment}
        with subprocess.Popen(command, env=own, stdout=log, stderr=log) as up:  # noqa: S603 - ours
            try:
                while (state := running_server(home)) is None:
                    if up.poll() is not None:
                        raise RuntimeError(f"`citewell up` ended: {Path(log.name).read_text()[-2000:]}")
                    time.sleep(_LOOK_EVERY_S)
                yield up.pid, state.url, time.monotonic() - began
            finally:
                up.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cost.memory", description=(__doc__ or "").partition(":")[0]
    )
    parser.add_argument("--idle", type=float, default=60.0, help="seconds before the first look")
    parser.add_argument("--some", type=int, default=20, help="questions before the second")
    parser.add_argument("--queries", type=int, default=128)
    parser.add_argument("--in-flight", type=int, default=32)
    options = parser.parse_args()
    with simulated_provider() as url, running(asking(url)) as (pid, address, started_in):
        time.sleep(options.idle)
        found = {f"idle for {options.idle:g} s": read(pid)}
        with CitewellClient(address) as client:
            client.upload(DOCUMENT, wait=True)
            ask = partial(_ask, client)
            burst(ask, options.some, 2)
            time.sleep(options.idle)
            found[f"after {options.some} questions and {options.idle:g} s"] = read(pid)
            with Peak({"all": partial(read, pid)}, _pss, _SAMPLE_EVERY_S) as peak:
                began = time.monotonic()
                burst(ask, options.queries, options.in_flight)
                took = time.monotonic() - began
            found[f"at most, {options.in_flight} in flight"] = peak.readings["all"]
    _print(found)
    Console().print(f"started in {started_in:.1f} s; {options.queries / took:.1f} questions/s", highlight=False)


def _ask(client: CitewellClient, _: int) -> None:
    query = client.ask(QUESTION, retrieval={"k": 10}, rerank={"top_k": 3})
    if query["status"] != "succeeded":
        raise RuntimeError(f"a query failed: {query['error']}")


def _print(found: Mapping[str, Reading]) -> None:
    table = Table("MB: PSS (RSS, USS)", *(f"{when}" for when in found))
    names = list(dict.fromkeys(name for reading in found.values() for name in reading))
    for name in names:
        table.add_row(name, *(_cell(reading.get(name)) for reading in found.values()))
    table.add_section()
    table.add_row("all", *(_cell(total(reading)) for reading in found.values()))
    Console(width=140).print(table)


def _cell(memory: Memory | None) -> str:
    if memory is None:
        return ""
    rss, pss, uss = (round(size / 1e6) for size in (memory.rss, memory.pss, memory.uss))
    return f"{pss} ({rss}, {uss})" + (f" of {memory.processes}" if memory.processes > 1 else "")


if __name__ == "__main__":
    main()
