"""Runs one reading child, forked by the fork server of this process; it has always ended on return."""

import os
import select
import signal
import socket
import time
from collections.abc import Sequence
from contextlib import suppress

from citewell_documents.parsing.sandbox.child_process import RSS_UNIT, Ended, exchange
from citewell_documents.parsing.sandbox.fork_server import REPORT
from citewell_documents.parsing.sandbox.servers import Line, Server, servers

_ATTEMPTS = 2
# Seconds for the kernel to end a killed child; a server that takes longer was stopped.
_END_S = 10.0


def run_forked(feed: Sequence[bytes], *, deadline_s: float, max_output: int) -> Ended:
    """Have a child read `feed` and collect its output; the time counts once the child runs.

    Callable from any thread. Raises OSError when no child can be started. Any exception meanwhile, such as a worker's
    time limit, ends the child too. If the server dies, so does the child, as if it had been killed.
    """
    server, line = _forked()
    ended = Ended()
    try:
        pipes = line.stdin, line.stdout, line.stderr
        exchange(pipes, feed, ended, deadline=time.monotonic() + deadline_s, max_output=max_output)
    finally:
        _end(server, line, ended)
    return ended


def _forked() -> tuple[Server, Line]:
    for _ in range(_ATTEMPTS):  # a server may have died since the last file
        server, line = servers.take(), None
        try:
            line = server.fork()
        finally:
            if line is None:
                servers.give_back(server, is_good=False)
        if line is not None:
            return server, line
    raise OSError("the process that forks readers of files does not start, or can fork none")


def _end(server: Server, line: Line, ended: Ended) -> None:
    """End the child; one that is already exiting keeps its own exit code, which the signal comes too late to change."""
    report = b""
    with line.life as life, suppress(OSError):
        life.settimeout(_END_S)
        life.shutdown(socket.SHUT_WR)
        report = life.recv(REPORT.size)
    if report:
        status, peak = REPORT.unpack(report)
        ended.code, ended.peak_bytes = os.waitstatus_to_exitcode(status), peak * RSS_UNIT
    else:
        ended.code = -signal.SIGKILL
        _kill(line)
    for opened in (line.stdin, line.stdout, line.stderr, line.hold):
        if opened is not None:
            opened.close()
    # After a crash the next child has another layout of memory.
    servers.give_back(server, is_good=ended.code >= 0)


def _kill(line: Line) -> None:
    """Kill the child of a server that is dead or stopped.

    The death of the server kills its children, but what a file has taken over may have undone that.
    """
    if line.hold is not None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(line.hold.fileno(), signal.SIGKILL)
        select.select([line.hold], [], [], _END_S)
