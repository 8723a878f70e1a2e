"""Small shell programs under a fleet: starting, reading, reviving, stopping."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from citewell.supervisor.errors import StartFailed
from citewell.supervisor.processes.fleet import Fleet
from citewell.supervisor.processes.process import ProcessSpec
from citewell.supervisor.servers.endpoints import free_port
from tests.supervisor.observers import gone
from tests.waiting import until


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    fleet = Fleet(tmp_path)
    yield fleet
    fleet.close()


def shell(script: str, *, name: str = "program", ready: str | None = "up", patience: float = 5) -> ProcessSpec:
    ladder = ((signal.SIGTERM, patience),)
    return ProcessSpec(name=name, argv=("/bin/sh", "-c", script), env=os.environ, ready_line=ready, stop=ladder)


def test_output_goes_to_the_file_the_memory_and_the_listener(tmp_path: Path) -> None:
    heard: list[tuple[str, str]] = []
    fleet = Fleet(tmp_path, lambda name, line: heard.append((name, line)))
    process = fleet.launch(shell("echo one; echo two >&2; printf '\\377\\n'; echo up; exec sleep 60"))
    fleet.await_ready([process], within=60, deaths=1)
    fleet.close()
    assert heard == [("program", line) for line in ("one", "two", "\ufffd", "up")]
    assert list(process.output.tail) == [line for _, line in heard]
    assert (tmp_path / "program.log").read_text(encoding="utf-8").splitlines() == list(process.output.tail)


def test_a_listener_that_fails_does_not_stop_the_process(tmp_path: Path) -> None:
    def closed_terminal(_name: str, _line: str) -> None:
        raise BrokenPipeError

    fleet = Fleet(tmp_path, closed_terminal)
    process = fleet.launch(shell("seq 20000; echo up; exec sleep 60"))  # more than a pipe holds
    fleet.await_ready([process], within=60, deaths=1)
    fleet.close()


def test_a_dead_process_is_started_again_and_is_not_ready_before_it_says_so(fleet: Fleet) -> None:
    process = fleet.launch(shell("echo up; exec sleep 60"))
    fleet.await_ready([process], within=60, deaths=1)
    first = process.pid
    process.kill()
    while not process.deaths:
        fleet.revive()
    assert (process.is_ready(), process.pid) == (False, None)
    fleet.await_ready([process], within=60, deaths=2)
    assert process.pid != first
    assert any("exit code -9; next start in 0.25 s" in line for line in process.output.tail)


def test_a_process_that_keeps_dying_fails_the_start_with_its_last_lines(fleet: Fleet) -> None:
    process = fleet.launch(shell("echo no such module; exit 3"))
    with pytest.raises(StartFailed, match=r"(?s)program does not come up.*no such module.*exit code 3"):
        fleet.await_ready([process], within=60, deaths=2)


def test_a_program_that_does_not_exist_fails_the_start(fleet: Fleet) -> None:
    process = fleet.launch(ProcessSpec(name="ghost", argv=("/nonexistent/program",), ready_line="up"))
    with pytest.raises(StartFailed, match=r"cannot be started.*No such file"):
        fleet.await_ready([process], within=60, deaths=1)


def test_a_process_that_says_nothing_fails_the_start_in_time(fleet: Fleet) -> None:
    process = fleet.launch(shell("exec sleep 60"))
    with pytest.raises(StartFailed, match=r"not ready after 0\.2 s"):
        fleet.await_ready([process], within=0.2, deaths=1)


def test_stopping_climbs_the_ladder_and_takes_the_whole_group(fleet: Fleet) -> None:
    process = fleet.launch(shell("trap '' TERM; sleep 60 & echo up; wait", patience=0.3))
    fleet.await_ready([process], within=60, deaths=1)
    assert process.pid is not None
    family = [psutil.Process(process.pid), *psutil.Process(process.pid).children()]
    assert len(family) == 2
    began = time.monotonic()
    fleet.stop([process])
    assert 0.3 <= time.monotonic() - began < 40  # and not the 60 s of its child
    until(lambda: gone(family))


def test_a_kind_process_is_not_waited_for(fleet: Fleet) -> None:
    processes = [fleet.launch(shell("echo up; exec sleep 60", name=f"program-{i}", patience=30)) for i in range(3)]
    fleet.await_ready(processes, within=60, deaths=1)
    began = time.monotonic()
    fleet.stop(processes)
    assert time.monotonic() - began < 20  # and not the 30 s that they have
    assert fleet.processes == []


def test_a_page_that_answers_makes_a_process_ready(fleet: Fleet, tmp_path: Path) -> None:
    port = free_port()
    argv = (sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(tmp_path), str(port))
    process = fleet.launch(ProcessSpec("web", argv, os.environ, ready_url=f"http://127.0.0.1:{port}/readyz"))
    with pytest.raises(StartFailed, match="not ready"):
        fleet.await_ready([process], within=1, deaths=1)  # it listens, and answers 404
    (tmp_path / "readyz").touch()
    fleet.await_ready([process], within=60, deaths=1)
