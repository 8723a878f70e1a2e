"""The program that forks one child for each file: `python -m citewell_documents.parsing.sandbox.fork_server`.

`citewell_documents.parsing.sandbox.isolated` starts it, with a socket as standard input. It has imported what most
readers need, so that a child costs a fork instead of a fresh Python. It has one thread and never sees a byte of a
file: a request is the three pipes of the child and a socket for it. On that socket the server reports that the child
runs. Once the other side closes the socket or shuts it down, the server kills the child's group, waits for the child,
and reports how it ended. At the end of the server's standard input, when the process that started it closes the input
or dies, the server kills all children and ends.

Each child has fresh memory, a fresh session and limits of its own (`confinement.py`), and no descriptor but its pipes.
All children of one server share its environment, which has no secrets, its hash seed, and its layout of memory. So the
server is replaced after a child that crashed: no file can guess the layout twice. A file that takes over its child runs
as the same user. It cannot read or write the server's memory (the kernel forbids this even if ptrace is allowed), but
it can kill or stop the server or the worker, as it could without a server; then a new one is started.
"""

import ctypes
import gc
import os
import resource
import selectors
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable
from contextlib import ExitStack, suppress
from importlib import import_module

from citewell_documents.parsing.sandbox.confinement import bind_to

RUNS = b"+"
REPORT = struct.Struct("!iq")
"""The status of the child as of waitpid, and its peak memory as of getrusage."""
PIPES = 3
# Importing more would cost more memory than it saves time. The libraries for PDFs use libraries of macOS that must not
# be loaded before a fork.
_PRELOADED = ("citewell_documents.parsing.text.reader", "citewell_documents.parsing.html.reader")
_PRELOADED_ON_LINUX = (
    "citewell_documents.parsing.pdf.reader",
    "citewell_documents.parsing.pdf.picture",
    "PIL.WebPImagePlugin",
)
_PR_SET_DUMPABLE = 4
_DESCRIPTORS = 1024
_IDLE_S = 60.0
"""It holds some 37 MB, and starts within a second of CPU time."""


def main() -> None:
    from citewell_documents.parsing.sandbox.child import read_file  # noqa: PLC0415 - tests serve without it

    for name in (*_PRELOADED, *(_PRELOADED_ON_LINUX if sys.platform == "linux" else ())):
        import_module(name)
    serve(read_file)


def serve(read: Callable[[], object]) -> None:
    """Call `read` in a child for each request. Returns at the end of the server's input."""
    # Only the parent ends this process. A Ctrl-C in the terminal must not fail the file that is being read.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    _set_dumpable(False)
    # With a low limit, a child closes all descriptors quickly.
    most = min(_DESCRIPTORS, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    # A later garbage collection would write to shared pages, and thereby copy them.
    gc.collect()
    gc.freeze()
    _Server(socket.socket(fileno=os.dup(0)), read).run()


class _Server:
    def __init__(self, control: socket.socket, read: Callable[[], object]) -> None:
        self._control = control
        self._read = read
        self._children: dict[socket.socket, int] = {}

    def run(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            while (ready := selector.select(_IDLE_S)) or self._children:
                lives = [key.fileobj for key, _ in ready if key.fileobj is not self._control]
                for life in lives:
                    assert isinstance(life, socket.socket)  # noqa: S101 - only sockets are registered
                    selector.unregister(life)
                    self._end(life)
                if len(ready) > len(lives) and not self._accept(selector):
                    break
        for pid in self._children.values():
            _kill(pid)

    def _accept(self, selector: selectors.BaseSelector) -> bool:
        request, descriptors, _, _ = socket.recv_fds(self._control, 1, PIPES + 1)
        if not request:
            return False
        *pipes, number = descriptors
        life = socket.socket(fileno=number)
        try:
            pid = self._forked(pipes)
        except OSError:  # no more processes, or no memory: the other side learns of it when `life` is closed
            life.close()
        else:
            self._children[life] = pid
            selector.register(life, selectors.EVENT_READ)
            _say_it_runs(life, pid)
        finally:
            for pipe in pipes:
                os.close(pipe)
        return True

    def _forked(self, pipes: list[int]) -> int:
        server = os.getpid()
        if pid := os.fork():
            return pid
        try:
            os.setsid()
            if sys.platform == "linux":
                bind_to(server)
            for number, pipe in enumerate(pipes):
                os.dup2(pipe, number)
            os.closerange(PIPES, _DESCRIPTORS)
            # The child has no secrets, and has to write its own entries in /proc.
            _set_dumpable(True)
            self._read()
        except BaseException:  # noqa: BLE001 - nothing may return from here into the server's loop
            traceback.print_exc()
        os._exit(1)

    def _end(self, life: socket.socket) -> None:
        pid = self._children.pop(life)
        _kill(pid)
        _, status, usage = os.wait4(pid, 0)
        with life, suppress(OSError):
            life.send(REPORT.pack(status, usage.ru_maxrss))


def _say_it_runs(life: socket.socket, pid: int) -> None:
    """Report that the child runs, with a hold on it (a pidfd) if the system has them, in case this process dies
    first.
    """
    with ExitStack() as opened, suppress(OSError):
        holds = list[int]()
        with suppress(AttributeError, OSError):
            holds.append(os.pidfd_open(pid))
            opened.callback(os.close, holds[0])
        socket.send_fds(life, [RUNS], holds)


def _kill(pid: int) -> None:
    """Kill a child, which may not have called setsid() yet. Only this process reaps it, so its pid cannot be reused."""
    with suppress(ProcessLookupError, PermissionError):  # macOS answers EPERM for a group of zombies
        os.killpg(pid, signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)


def _set_dumpable(allowed: bool) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, int(allowed), 0, 0, 0)


if __name__ == "__main__":
    main()
