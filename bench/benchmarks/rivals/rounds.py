"""One round of one system: start it, ask it alone, ask it with many in flight, stop it; all of this is measured."""

import os
import subprocess
import sys
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from benchmarks.rivals.environments import CannotInstall
from benchmarks.rivals.measuring import Machine, cpu_seconds, peak_memory
from benchmarks.rivals.results import Cell, Round, cell_of, singles
from benchmarks.rivals.systems import Given, Running, System

_WARMING = {"in_flight": 2, "seconds": 30.0, "queries": 4}


@dataclass(frozen=True, slots=True)
class Plan:
    """The amount of measuring: queries alone, and seconds of asking for each number in flight."""

    alone: int
    seconds: float
    in_flight: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The process of the simulated models."""

    url: str
    pid: int

    def forget(self) -> None:
        httpx.post(f"{self.url}/__reset").raise_for_status()

    def ledger(self) -> list[dict[str, Any]]:
        """Return the calls since the last reset."""
        return httpx.get(f"{self.url}/__ledger", timeout=30).raise_for_status().json()


@contextmanager
def simulated_models() -> Generator[ModelServer]:
    """Run the models as a process of their own, until the end of the context."""
    command = [sys.executable, "-m", "benchmarks.rivals.simulated"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
        try:
            assert process.stdout  # noqa: S101 - it was opened with a pipe
            yield ModelServer(process.stdout.readline().strip(), process.pid)
        finally:
            process.terminate()


def measure(system: System, given: Given, models: ModelServer, plan: Plan) -> Round:
    """Measure one system once. A system that cannot be installed or started is skipped, with the reason."""
    found, before = Round(system.name), _machine(models)
    found.load_before = before.load
    began = time.monotonic()
    try:
        with system.start(given) as running:
            found.start_s = time.monotonic() - began
            running.run(_WARMING)
            before = _machine(models, running)
            with peak_memory({"own": running.own, "servers": running.servers}) as peak:
                _ask(running, models, plan, found)
            after = _machine(models, running)
            found.peak_mb, found.load_after, found.others = peak.readings, after.load, after.others(before)
    except (CannotInstall, RuntimeError) as error:
        found.skipped = str(error)
    return found


def _ask(running: Running, models: ModelServer, plan: Plan, found: Round) -> None:
    models.forget()
    lines = running.run({"in_flight": 1, "seconds": 60.0, "queries": plan.alone})
    found.singles = singles(lines[:-1], models.ledger())
    found.cells = [_cell(running, models, in_flight, plan.seconds) for in_flight in plan.in_flight]


def _cell(running: Running, models: ModelServer, in_flight: int, seconds: float) -> Cell:
    models.forget()
    groups = {"own": running.own, "servers": running.servers, "models": [models.pid]}
    before = {name: cpu_seconds(pids) for name, pids in groups.items()}
    machine = _machine(models, running)
    lines = running.run({"in_flight": in_flight, "seconds": seconds, "queries": None})
    used = {name: cpu_seconds(pids) - before[name] for name, pids in groups.items()}
    return cell_of(lines, in_flight, used, _machine(models, running).others(machine))


def _machine(models: ModelServer, running: Running | None = None) -> Machine:
    theirs: Iterable[int] = [*running.own, *running.servers] if running else ()
    return Machine.now([os.getpid(), models.pid, *theirs], time.monotonic())
