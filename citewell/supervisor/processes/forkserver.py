"""The fork server (Linux): a process that has imported Citewell and loaded its model, and forks API and workers.

Code and data that the processes have in common are computed once and in memory once. The fork server has one thread, no
event loop and no connection, so all its state survives a fork. A forked process is a child of the supervisor, not of
the fork server: the intermediate process between them exits at once, while the supervisor adopts orphans. So the death
of the fork server affects none of the forked processes. The supervisor waits for these children, signals them and takes
them along when it dies, as it does with those that it starts as programs.
"""

import ctypes
import gc
import json
import os
import pkgutil
import runpy
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

import psutil

from citewell.supervisor.processes.process import Child, ProcessSpec, execute
from citewell.supervisor.processes.spawn import adopting_orphans, bind_to

READY = "fork server is ready"
_PATIENCE_S = 5.0
_LENGTH, _IDS = struct.Struct("!I"), struct.Struct("!ii")
_GO = b"1"
_ARG_START, _ARG_END = 45, 46
"""Field numbers in /proc/PID/stat, counted from after the name."""


class ForkServer:
    """The supervisor's side, for its main thread."""

    def __init__(self) -> None:
        self._link: socket.socket | None = None
        self._late: list[socket.socket] = []
        """Sockets on which processes that did not report in time may still report."""
        self._unwatched = set[int]()
        """Intermediate processes that may be our children; without a wait they would stay zombies."""

    def begin(self, spec: ProcessSpec) -> Child:
        self._close_link()
        self._link, child_end = socket.socketpair()
        self._link.settimeout(_PATIENCE_S)
        with child_end:
            return execute(spec, stdin=child_end.fileno())

    def fork(self, spec: ProcessSpec) -> Child:
        """Fork `spec` from the server. Raises OSError if that fails; a process that is created later exits at once."""
        if self._link is None:
            raise ConnectionError("there is no fork server")
        # A system that cannot adopt orphans raises an error here, before the server is involved, so the server stays
        # usable.
        with adopting_orphans():
            forked = self._split_off(self._link, spec)
        self.reap()
        return forked

    def reap(self) -> None:
        """Reap exited processes without an owner: intermediate processes whose server was killed before it could
        wait for them, and new processes that reported too late."""
        for late in tuple(self._late):
            try:
                self._unwatched.update(_IDS.unpack(_exactly(late, _IDS.size)))
            except BlockingIOError:
                continue
            except ConnectionError:
                # The process was never created.
                pass
            late.close()
            self._late.remove(late)
        self._unwatched = {pid for pid in self._unwatched if not _is_over(pid)}

    def _split_off(self, server: socket.socket, spec: ProcessSpec) -> "Forked":
        read, write = os.pipe()
        stdout = os.fdopen(read, "rb")
        ours, child_end = socket.socketpair()
        ours.settimeout(_PATIENCE_S)
        try:
            try:
                request = {
                    "argv": spec.argv,
                    "env": {**spec.env},
                    "cwd": str(spec.cwd),
                    "death": spec.death_signal.value,
                }
                body = json.dumps(request).encode()
                socket.send_fds(server, [_LENGTH.pack(len(body))], [write, child_end.fileno()])
                server.sendall(body)
            finally:
                child_end.close()
                os.close(write)
            pid, between = _IDS.unpack(_exactly(ours, _IDS.size))
            forked = Forked(pid, stdout)
        except (OSError, psutil.NoSuchProcess) as error:
            stdout.close()
            # A late reply would be read as the reply to the next request.
            self._close_link()
            # The socket is closed for writing: a process that reports late exits at once, even if the server has died.
            ours.shutdown(socket.SHUT_WR)
            ours.setblocking(False)
            self._late.append(ours)
            raise ChildProcessError(f"nothing was forked: {error}") from error
        self._unwatched.add(between)
        # A process that exits before this is still this process's child, so its exit is handled as any other.
        with ours, suppress(ConnectionError):
            ours.sendall(_GO)
        return forked

    def close(self) -> None:
        self._close_link()
        for late in self._late:
            late.close()

    def _close_link(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None


def _is_over(pid: int) -> bool:
    """Return whether the process has ended; also true if it is not a child of this process and does not exist."""
    try:
        return os.waitpid(pid, os.WNOHANG) != (0, 0)
    except ChildProcessError:
        return not psutil.pid_exists(pid)


class Forked:
    """A child of this process, forked by the server."""

    def __init__(self, pid: int, stdout: IO[bytes]) -> None:
        self.pid = pid
        self.stdout = stdout
        self._process = psutil.Process(pid)
        self._code: int | None = None

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process. Raises subprocess.TimeoutExpired."""
        if self._code is None:
            try:
                # psutil returns None for the end of a process that was not a child of this one.
                code = cast("int | None", self._process.wait(timeout))
                self._code = 1 if code is None else code
            except psutil.TimeoutExpired as late:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0) from late
        return self._code

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, sig)


def main() -> None:
    """Import the arguments (`module`, or `module:function` to be called), then fork on request."""
    # A process started with SIGCHLD ignored could not wait for its children.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # Nothing of what is imported is garbage, and to look for some takes a sixth of the time.
    gc.disable()
    for name in filter(str.strip, sys.argv[1:]):
        named: Any = pkgutil.resolve_name(name)
        if ":" in name:
            named()
    # A later garbage collection would write to shared pages, and thereby copy them.
    gc.collect()
    gc.freeze()
    gc.enable()
    link, supervisor = socket.socket(fileno=sys.stdin.fileno()), os.getppid()
    sys.stdout.write(f"{READY}\n")
    sys.stdout.flush()
    while request := _received(link):
        process, output, word = request
        if between := _split_off():
            link.detach()
            _report(socket.socket(fileno=word), supervisor, signal.Signals(process["death"]), between)
            _become(process, output)
            return
        # If the fork failed these are the last copies: closing them tells the supervisor.
        os.close(output)
        os.close(word)


def _received(link: socket.socket) -> tuple[dict[str, Any], int, int] | None:
    head, descriptors, _, _ = socket.recv_fds(link, _LENGTH.size, 2)
    if len(head) < _LENGTH.size:
        return None
    output, word = descriptors
    return json.loads(_exactly(link, *_LENGTH.unpack(head))), output, word


def _split_off() -> int | None:
    """Fork twice, so that the supervisor adopts the new process. Returns the id of the intermediate process there, None
    here."""
    try:
        between = os.fork()
    except OSError:
        return None
    if between:
        os.waitpid(between, 0)
        return None
    between = os.getpid()
    with suppress(OSError):
        if os.fork() == 0:
            os.setsid()
            while os.getppid() == between:
                time.sleep(0.001)
            return between
    os._exit(0)


def _report(word: socket.socket, supervisor: int, death_signal: signal.Signals, between: int) -> None:
    """Report to the supervisor from the new process, which exits unless the supervisor answers."""
    bind_to(supervisor, death_signal)
    with word, suppress(ConnectionError):
        word.sendall(_IDS.pack(os.getpid(), between))
        if word.recv(len(_GO)) == _GO:
            return
    os._exit(1)


def _become(process: dict[str, Any], output: int) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for number, stream in enumerate((nothing, output, output)):
        os.dup2(stream, number)
    os.close(nothing)
    os.close(output)
    os.chdir(process["cwd"])
    os.environ.update(process["env"])
    _show_command(process["argv"])
    _, _, module, *sys.argv[1:] = process["argv"]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _show_command(argv: Sequence[str]) -> None:
    """Let `ps` show `argv`, as far as there is room."""
    facts = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, room = int(facts[_ARG_START]), int(facts[_ARG_END]) - int(facts[_ARG_START])
    title = " ".join(argv).encode()[: room - 2]
    # A non-zero last byte tells the kernel that the arguments were overwritten, and end at the first zero.
    ctypes.memmove(start, title.ljust(room - 1, b"\0") + b"\1", room)


def _exactly(link: socket.socket, size: int) -> bytes:
    """Read exactly `size` bytes. Raises ConnectionError when the other side ends before."""
    received = b""
    while len(received) < size:
        if not (part := link.recv(size - len(received))):
            raise ConnectionError("the other side ended")
        received += part
    return received


if __name__ == "__main__":
    main()
