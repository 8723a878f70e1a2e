"""The fork server: its children are like separately started programs, and share its memory."""

import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from citewell.supervisor.errors import StartFailed
from citewell.supervisor.home import temporary_home
from citewell.supervisor.processes.fleet import Fleet
from citewell.supervisor.processes.process import ManagedProcess, ProcessSpec
from citewell.supervisor.supervisor import Supervisor
from config.settings import Settings
from tests.supervisor import loaded, slow_child
from tests.supervisor.forking import PROGRAM, SOURCE, server
from tests.supervisor.observers import gone
from tests.waiting import until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every process is started as a program"),
]


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    fleet = Fleet(tmp_path)
    yield fleet
    fleet.close()


@pytest.fixture
def forks(fleet: Fleet) -> ManagedProcess:
    return ready(fleet, fleet.launch_fork_server(server()))


def ready(fleet: Fleet, process: ManagedProcess) -> ManagedProcess:
    fleet.await_ready([process], within=60, deaths=1)
    return process


def said(process: ManagedProcess) -> dict[str, Any]:
    """The report of the latest start."""
    return next(json.loads(line) for line in reversed(process.output.tail) if line.startswith("{"))


def is_executed(process: ManagedProcess) -> bool:
    """Whether it loaded everything itself."""
    found = said(process)
    return found["loaded_by"] == found["pid"]


def test_what_is_forked_is_our_own_child_and_finds_what_a_program_finds(fleet: Fleet, forks: ManagedProcess) -> None:
    program = ready(fleet, fleet.launch(PROGRAM))
    assert said(program) == {
        "loaded_by": forks.pid,
        "pid": program.pid,
        "parent": os.getpid(),
        "session": program.pid,
        "arguments": ["word"],
        "variable": "set",
        "folder": str(SOURCE),
        "input": "",
    }
    assert psutil.Process(program.pid).cmdline() == list(PROGRAM.argv)
    assert psutil.Process(forks.pid).children() == []


def test_what_is_forked_shares_what_was_loaded(fleet: Fleet, forks: ManagedProcess) -> None:
    programs = [ready(fleet, fleet.launch(replace(PROGRAM, name=name))) for name in ("one", "other")]
    for program in programs:
        assert psutil.Process(program.pid).memory_full_info().uss < loaded.SIZE / 2


def test_a_forked_process_that_dies_is_forked_again(fleet: Fleet, forks: ManagedProcess) -> None:
    program = ready(fleet, fleet.launch(PROGRAM))
    first = program.pid
    program.kill()
    until(lambda: fleet.revive() or program.deaths)
    assert any("exit code -9; next start in 0.25 s" in line for line in program.output.tail)
    fleet.await_ready([program], within=60, deaths=2)
    assert (program.pid != first, is_executed(program)) == (True, False)


def test_a_forked_process_stops_at_the_first_signal_of_its_ladder(fleet: Fleet, forks: ManagedProcess) -> None:
    program = ready(fleet, fleet.launch(replace(PROGRAM, stop=((signal.SIGTERM, 60.0),))))
    process = psutil.Process(program.pid)
    fleet.stop([program])
    assert gone([process])


def test_without_a_fork_server_the_same_is_started_as_a_program(fleet: Fleet) -> None:
    assert is_executed(ready(fleet, fleet.launch(PROGRAM)))


def test_the_death_of_the_fork_server_touches_nobody(fleet: Fleet, forks: ManagedProcess) -> None:
    program = ready(fleet, fleet.launch(PROGRAM))
    process = psutil.Process(program.pid)
    forks.kill()
    until(lambda: fleet.revive() or forks.deaths)
    assert not gone([process])
    # While there is none, what dies does not wait for it.
    program.kill()
    until(lambda: fleet.revive() or program.deaths)
    fleet.revive(at_once=True)
    fleet.await_ready([program], within=60, deaths=2)
    fleet.await_ready([forks], within=60, deaths=2)
    other = ready(fleet, fleet.launch(replace(PROGRAM, name="other")))
    assert said(other)["loaded_by"] == forks.pid


def test_a_fork_server_that_hangs_holds_nothing_up_and_makes_nothing_later(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citewell.supervisor.processes.forkserver._PATIENCE_S", 0.2)
    mark = uuid.uuid4().hex
    spec = server()
    forks = ready(fleet, fleet.launch_fork_server(replace(spec, env={**spec.env, "MARK": mark})))
    hanging = psutil.Process(forks.pid)
    hanging.suspend()
    assert is_executed(ready(fleet, fleet.launch(PROGRAM)))
    hanging.resume()
    until(lambda: not [each for each in psutil.process_iter() if is_marked(each, mark)])


def test_a_server_killed_before_it_has_answered_leaves_nothing_that_nobody_watches(fleet: Fleet) -> None:
    before = zombies()
    forks = ready(
        fleet, fleet.launch_fork_server(server("tests.supervisor.server_that_dies", "tests.supervisor.loaded"))
    )
    killed = forks.pid
    program = ready(fleet, fleet.launch(PROGRAM))
    assert (said(program)["pid"], said(program)["loaded_by"]) == (program.pid, killed)
    until(lambda: fleet.revive() or forks.deaths)
    # Neither the server nor the process between the two, which became ours with it.
    until(lambda: fleet.revive() or zombies() <= before)
    process = psutil.Process(program.pid)
    fleet.stop([program])
    assert gone([process])


def test_what_is_made_when_nobody_waits_for_it_any_more_ends(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citewell.supervisor.processes.forkserver._PATIENCE_S", slow_child.PATIENCE_S)
    mark = uuid.uuid4().hex
    spec = server("tests.supervisor.slow_child", "tests.supervisor.loaded")
    forks = ready(fleet, fleet.launch_fork_server(replace(spec, env={**spec.env, "MARK": mark})))
    assert is_executed(ready(fleet, fleet.launch(PROGRAM)))
    late = [each for each in psutil.process_iter() if each.pid != forks.pid and is_marked(each, mark)]
    # Ours already, so that only the closed socket tells it.
    assert [each.ppid() for each in late] == [os.getpid()]
    until(lambda: gone(late))
    until(lambda: fleet.revive() or not any(map(psutil.Process.is_running, late)))


def test_where_no_process_can_adopt_orphans_everything_is_started_as_a_program(
    fleet: Fleet, forks: ManagedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        return -1

    monkeypatch.setattr("citewell.supervisor.processes.spawn._prctl", refuse)
    assert is_executed(ready(fleet, fleet.launch(PROGRAM)))
    fleet.revive()
    # It is not asked in vain, and so not started over and over.
    assert (forks.deaths, psutil.Process(forks.pid).is_running()) == (0, True)


def test_a_fork_server_that_cannot_load_ends_the_start_with_the_reason(fleet: Fleet) -> None:
    forks = fleet.launch_fork_server(server("tests.supervisor.no_such_module"))
    with pytest.raises(StartFailed, match=r"(?s)forkserver does not come up.*no_such_module"):
        fleet.await_ready([forks], within=60, deaths=1)


def test_a_killed_supervisor_takes_along_what_was_forked(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.supervisor.run_forking", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=SOURCE) as supervisor:
        assert supervisor.stdout is not None
        family = [psutil.Process(int(pid)) for pid in supervisor.stdout.readline().split()]
        # Without the guard the kernel alone ends them.
        for each in psutil.Process(supervisor.pid).children():
            if each not in family:
                each.kill()
        supervisor.kill()
        until(lambda: gone(family))


def test_what_a_supervisor_forks_gives_back_what_it_frees() -> None:
    argv = (sys.executable, "-m", "tests.supervisor.arenas")
    printed: list[str] = []

    def note(_: str, line: str) -> None:
        printed.append(line)

    def nothing(_: str) -> None:
        pass

    spec = ProcessSpec("arenas", argv, ready_line='"arenas"', forked=True)
    with (
        temporary_home() as home,
        Supervisor(
            Settings(home=home), port=0, apps=[spec], forks=server(), migrate=nothing, on_line=note
        ) as supervisor,
    ):
        forked, forks = supervisor.pids["arenas"], supervisor.pids["forkserver"]
        # It was started with what the fork server was started with.
        assert psutil.Process(forked).environ() == psutil.Process(forks).environ()
    found = next(json.loads(line) for line in printed if "arenas" in line and line.startswith("{"))
    assert found == {"arenas": 2, "large_is_mapped": False}


def zombies() -> set[psutil.Process]:
    """Zombie children of this process."""
    found: set[psutil.Process] = set()
    for each in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):
            if each.status() == psutil.STATUS_ZOMBIE:
                found.add(each)
    return found


def is_marked(process: psutil.Process, mark: str) -> bool:
    try:
        return process.environ().get("MARK") == mark
    except psutil.Error:
        return False
