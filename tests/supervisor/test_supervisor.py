"""The supervisor as users meet it: a process that is started, interrupted, killed, and whose children die."""

import os
import pwd
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import psutil
import psycopg
import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

import citewell
from citewell.supervisor.errors import AlreadyRunning, PortBusy, StartFailed
from citewell.supervisor.processes.process import ProcessSpec
from citewell.supervisor.servers.endpoints import free_port
from citewell.supervisor.state import ServerState, running_server, state_file
from citewell.supervisor.supervisor import Supervisor
from config.settings import Settings
from tests.supervisor.observers import gone, redis_says, value
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("supervisor")]  # its home is shared by all tests
PROGRAM = Path(__file__).with_name("run_supervisor.py")
SOURCE = Path(citewell.__file__).parents[1]


@dataclass(frozen=True)
class Running:
    process: subprocess.Popen[str]
    database_url: str
    redis_url: str
    url: str

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def child(self, name: str) -> psutil.Process:
        # Not those of Postgres: they come and go with its connections.
        return next(c for c in psutil.Process(self.process.pid).children() if c.name() == name)

    def database_answers(self) -> bool:
        try:
            return value(self.database_url, "SELECT step FROM migrated") == 1
        except psycopg.OperationalError:
            return False

    def redis_answers(self) -> bool:
        try:
            return redis_says(self.redis_url, "PING") is True
        except RedisConnectionError:
            return False


@contextmanager
def running(home: Path, *, python: str = sys.executable, uid: int | None = None) -> Generator[Running]:
    with subprocess.Popen(
        [python, "-u", PROGRAM, home], stdout=subprocess.PIPE, text=True, env=_env(), user=uid
    ) as process:
        assert process.stdout is not None
        said = dict(process.stdout.readline().split() for _ in ("database", "redis", "ready"))
        try:
            yield Running(process, said["database"], said["redis"], said["ready"])
        finally:
            process.send_signal(signal.SIGTERM)


def test_a_killed_supervisor_leaves_no_process_and_no_lock(home: Path) -> None:
    with running(home) as first:
        family = first.children()
        assert not gone([first.child("postgres")])
        assert not gone([first.child("valkey-server")])
        first.process.kill()
        first.process.wait()
        until(lambda: gone(family))
    assert running_server(home) is None
    with running(home) as second:
        assert second.database_answers()
        assert (second.database_url, second.redis_url) == (first.database_url, first.redis_url)


def test_a_server_that_dies_comes_back_on_its_port(home: Path) -> None:
    with running(home) as citewell:
        for name, answers in (("postgres", citewell.database_answers), ("valkey-server", citewell.redis_answers)):
            assert answers()
            dead = citewell.child(name)
            dead.kill()
            until(lambda dead=dead: not dead.is_running())
            until(answers)
            assert citewell.child(name).pid != dead.pid


def test_an_interrupted_supervisor_stops_everything_and_exits_with_zero(home: Path) -> None:
    with running(home) as citewell:
        family = citewell.children()
        state = running_server(home)
        assert state is not None
        assert (state.pid, state.url) == (citewell.process.pid, citewell.url)
        connection = HTTPConnection(citewell.url.removeprefix("http://"), timeout=20)
        connection.request("GET", "/readyz")
        assert connection.getresponse().status == 200
        connection.close()
        began = time.monotonic()
        citewell.process.send_signal(signal.SIGINT)
        assert citewell.process.wait(60) == 0
        # The worker's child, which ignores polite requests, would have 60 s.
        assert time.monotonic() - began < 40
        until(lambda: gone(family))
    assert not state_file(home).exists()


def test_a_second_supervisor_is_told_where_the_first_one_serves(home: Path) -> None:
    with running(home) as first:
        with pytest.raises(AlreadyRunning, match=f"pid {first.process.pid}.*at {first.url}"):
            Supervisor(Settings(home=home), port=0).start()
        assert first.database_answers()


def test_a_busy_port_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", free_port())) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(PortBusy, match=f"port {port} .*--port"):
            Supervisor(Settings(home=tmp_path), port=port).start()
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_keeps_dying_ends_the_start_with_its_last_words_and_leaves_nothing(home: Path) -> None:
    broken = ProcessSpec("broken", (sys.executable, "-c", "raise SystemExit('no such thing')"), ready_line="never")
    # Without their children: Postgres has one for each connection of others.
    before = psutil.Process().children()
    with pytest.raises(StartFailed, match=r"(?s)broken does not come up.*no such thing"):
        Supervisor(Settings(home=home), port=0, apps=[broken], migrate=_nothing).start()
    assert set(psutil.Process().children()) <= set(before)
    assert running_server(home) is None


def test_a_second_signal_does_not_wait_for_anybody(home: Path) -> None:
    # A signal that arrives just before `wait` is seen only after it, so the wait is short.
    script = "trap 'echo asked to end' TERM; echo up; while :; do sleep 1 & wait; done"
    stubborn = ProcessSpec("stubborn", ("/bin/sh", "-c", script), ready_line="up", stop=((signal.SIGTERM, 60),))
    before = signal.getsignal(signal.SIGTERM)
    began = 0.0

    def interrupt_again(_name: str, line: str) -> None:
        if line == "asked to end":
            # To this thread, so that it does not interrupt what the main thread waits for.
            signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

    citewell = Supervisor(Settings(home=home), port=0, apps=[stubborn], migrate=_nothing, on_line=interrupt_again)
    with suppress(KeyboardInterrupt), citewell:
        began = time.monotonic()
        signal.raise_signal(signal.SIGTERM)
    assert time.monotonic() - began < 40
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_state_of_a_process_that_is_gone_is_no_running_server(tmp_path: Path) -> None:
    def says(pid: int, started_at: float) -> bool:
        state = ServerState(pid=pid, url="http://127.0.0.1:1", started_at=started_at)
        state_file(tmp_path).write_text(state.model_dump_json())
        return running_server(tmp_path) == state

    (tmp_path / "run").mkdir()
    me = psutil.Process()
    assert says(me.pid, me.create_time())
    assert not says(me.pid, 0)  # the pid was given to another process
    with subprocess.Popen(["/bin/sleep", "60"]) as child:
        born = psutil.Process(child.pid).create_time()
        assert says(child.pid, born)
        child.kill()
        until(lambda: not says(child.pid, born))  # a zombie that has not been waited for yet
    assert not says(child.pid, born)


@pytest.mark.skipif(os.geteuid() != 0, reason="every other test runs as an ordinary user then")
def test_an_ordinary_user_runs_everything_under_one_account(new_home: Path) -> None:
    user = pwd.getpwnam("daemon")
    (new_home / "owned").mkdir()
    os.chown(new_home / "owned", user.pw_uid, user.pw_gid)
    with running(new_home / "owned" / "data", python=_python_for(user.pw_uid), uid=user.pw_uid) as citewell:
        assert citewell.database_answers()
        assert citewell.redis_answers()
        family = [psutil.Process(citewell.process.pid), *citewell.children()]
        assert set(_users(family)) == {user.pw_uid}
        citewell.process.kill()
        until(lambda: gone(family))


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a folder of another user")
def test_an_ordinary_user_is_told_that_a_home_is_not_writable(new_home: Path) -> None:
    uid = pwd.getpwnam("daemon").pw_uid
    argv = [_python_for(uid), "-u", PROGRAM, new_home / "data"]
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True, env=_env(), user=uid, check=False)
    assert done.returncode == 2
    assert "Permission denied" in done.stdout
    assert "set CITEWELL_HOME to a folder that you can write to" in done.stdout


def _users(processes: list[psutil.Process]) -> Iterator[int]:
    for process in processes:
        with suppress(psutil.NoSuchProcess):  # Postgres' process for a connection that was closed
            yield process.uids().effective


def _nothing(_database_url: str) -> None:
    """Needs no schema here."""


def _env() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(SOURCE), *sys.path])}


def _python_for(uid: int) -> str:
    """An interpreter like ours that the user can reach: ours may be in root's home."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        with suppress(PermissionError, FileNotFoundError):
            probe = "import sys; print(sys.version_info[:2])"
            done = subprocess.run([candidate, "-c", probe], stdout=subprocess.PIPE, text=True, user=uid, check=True)
            if done.stdout.strip() == str(sys.version_info[:2]):
                return candidate
    pytest.skip("no Python of this version that an ordinary user can reach")
