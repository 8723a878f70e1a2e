"""The fork servers of this process: the present one, and replaced ones as long as they have children.

A server is never shared with a process that this one forks. It ends with this process, or when it is idle for long;
then the next file starts another server.
"""

import atexit
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from weakref import WeakSet

from citewell_documents.parsing.sandbox.fork_server import RUNS

_ARGV = (sys.executable, "-P", "-B", "-m", "citewell_documents.parsing.sandbox.fork_server")
_ROOT = Path(__file__).resolve().parents[3]
# Some Python installations need these to find their libraries; nothing else is inherited.
_INHERITED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME")
# A server that takes longer to start or to end was stopped by somebody, and is killed.
_START_S, _END_S = 30.0, 5.0


@dataclass(frozen=True, slots=True)
class Line:
    """The connection to one child: its input, output and errors, the socket on which its server reports its start and
    end, and a hold on it (a pidfd) if the system has them."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]
    life: socket.socket
    hold: IO[bytes] | None


class Server:
    def __init__(self, argv: Sequence[str]) -> None:
        self._control, control_of_server = socket.socketpair()
        with control_of_server:
            # The kernel could only end the server at the end of this thread. The socket, which closes at the end of
            # this process, ends the server then.
            self._process = subprocess.Popen(  # noqa: S603 - argv is our own
                argv,
                env=environment(),
                cwd="/",
                stdin=control_of_server.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._control.settimeout(_END_S)
        self.users = 0
        _all.add(self)

    def fork(self) -> Line | None:
        """Fork a child; None if the server is dead or does not answer. Raises OSError if no descriptor is left."""
        with ExitStack() as kept, ExitStack() as passed_on:
            their_in, stdin = _pipe(passed_on, kept)
            stdout, their_out = _pipe(kept, passed_on)
            stderr, their_err = _pipe(kept, passed_on)
            life, their_life = socket.socketpair()
            kept.enter_context(life).settimeout(_START_S)
            passed_on.enter_context(their_life)
            passed = [end.fileno() for end in (their_in, their_out, their_err, their_life)]
            try:
                socket.send_fds(self._control, [b"f"], passed)
                passed_on.close()
                runs, holds, _, _ = socket.recv_fds(life, len(RUNS), 1)
            except OSError:
                return None
            hold = next((kept.enter_context(open(hold, "rb", buffering=0)) for hold in holds), None)
            if runs != RUNS:
                return None
            kept.pop_all()
            return Line(stdin, stdout, stderr, life, hold)

    def end(self) -> None:
        self._control.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def forget(self) -> None:
        """Close the copy of the socket in a forked process, because it would keep the server alive."""
        self._control.close()
        self._process.returncode = 0  # only the process that started the server waits for it


class Servers:
    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin without servers, also after a fork: another thread of the parent may have held the lock."""
        self._lock = threading.Lock()
        self._argv: Sequence[str] = _ARGV
        self._current: Server | None = None

    def take(self) -> Server:
        with self._lock:
            if self._current is None:
                self._current = Server(self._argv)
            self._current.users += 1
            return self._current

    def give_back(self, server: Server, *, is_good: bool = True) -> None:
        with self._lock:
            server.users -= 1
            if not is_good and self._current is server:
                self._current = None
            is_over = self._current is not server and not server.users
        if is_over:
            server.end()

    def replace(self, argv: Sequence[str] = _ARGV) -> None:
        """End the server once it has no children; the next file starts another one."""
        with self._lock:
            server, self._current, self._argv = self._current, None, argv
            is_over = server is not None and not server.users
        if server and is_over:
            server.end()


_all: WeakSet[Server] = WeakSet()
servers = Servers()


def _pipe(read: ExitStack, write: ExitStack) -> tuple[IO[bytes], IO[bytes]]:
    """The two ends of a pipe; each is closed by the stack that owns it."""
    read_end, write_end = os.pipe()
    return (
        read.enter_context(open(read_end, "rb", buffering=0)),
        write.enter_context(open(write_end, "wb", buffering=0)),
    )


def environment() -> dict[str, str]:
    """The environment of a child that reads untrusted files: it has no secrets of this process."""
    return {name: os.environ[name] for name in _INHERITED if name in os.environ} | {
        # The child runs the same code as this process, wherever that was found.
        "PYTHONPATH": os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH")))),
        "PYTHONUTF8": "1",
        # Each extra thread would reserve part of the memory limit.
        "OMP_NUM_THREADS": "1",
        "OMP_THREAD_LIMIT": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def _after_fork_in_the_child() -> None:
    for server in tuple(_all):
        server.forget()
    servers.begin()


atexit.register(servers.replace)
os.register_at_fork(after_in_child=_after_fork_in_the_child)
