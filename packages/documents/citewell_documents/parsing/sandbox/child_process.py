"""Runs one child process with input, output and a deadline; the child has always ended on return."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import IO, Any

_PIECE = 1 << 18
_MAX_ERRORS = 8_192


class Cut(Enum):
    """The reason why a child was killed before it closed its output."""

    TIME = "time"
    OUTPUT = "output"


@dataclass(slots=True)
class Ended:
    """A finished child: its output, the first kilobytes of its errors, and the way in which it ended.

    `code` is the exit code, or the negative number of the signal that ended it; `peak_bytes` is its peak memory.
    """

    output: bytearray = field(default_factory=bytearray)
    errors: bytearray = field(default_factory=bytearray)
    cut: Cut | None = None
    code: int = 0
    peak_bytes: int = 0


def run_child(
    argv: Sequence[str], env: Mapping[str, str], feed: Sequence[bytes], *, deadline_s: float, max_output: int
) -> Ended:
    """Run `argv` in its own session, in the root folder, feed its input and collect its output.

    No code runs between fork and exec, because threads of this process may hold locks. Raises OSError when the child
    cannot be started. Any exception meanwhile, such as a worker's time limit, also ends the child.
    """
    deadline = time.monotonic() + deadline_s
    child = subprocess.Popen(  # noqa: S603 - argv is our own
        argv,
        env=env,
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
    )
    pipes: Any = child.stdin, child.stdout, child.stderr
    ended = Ended()
    try:
        exchange(pipes, feed, ended, deadline=deadline, max_output=max_output)
    finally:
        _end(child, pipes, ended)
    return ended


Pipes = tuple[IO[bytes], IO[bytes], IO[bytes]]
"""The input, the output and the errors of a child."""


def exchange(pipes: Pipes, feed: Sequence[bytes], ended: Ended, *, deadline: float, max_output: int) -> None:
    """Write and read what the pipes accept, until the output is closed, too large, or late."""
    _Exchange(pipes, feed, ended, max_output).run(deadline)


class _Exchange:
    def __init__(self, pipes: Pipes, feed: Sequence[bytes], ended: Ended, max_output: int) -> None:
        stdin, stdout, stderr = pipes
        self._feed = [memoryview(part) for part in reversed(feed)]
        self._ended = ended
        self._max_output = max_output
        self._actions = (
            (stdin, selectors.EVENT_WRITE, self._write),
            (stdout, selectors.EVENT_READ, self._read),
            (stderr, selectors.EVENT_READ, self._read_errors),
        )
        self._open = True

    def run(self, deadline: float) -> None:
        with selectors.DefaultSelector() as selector:
            for pipe, event, action in self._actions:
                os.set_blocking(pipe.fileno(), False)
                selector.register(pipe, event, partial(self._act, selector, pipe, action))
            while self._open and self._ended.cut is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    self._ended.cut = Cut.TIME
                    break
                for key, _ in selector.select(left):
                    key.data()

    def _act(self, selector: selectors.BaseSelector, pipe: IO[bytes], action: Callable[[int], bool]) -> None:
        if not action(pipe.fileno()):
            selector.unregister(pipe)
            pipe.close()

    def _write(self, pipe: int) -> bool:
        if not self._feed:
            return False
        part = self._feed.pop()
        try:
            written = os.write(pipe, part[:_PIECE])
        except BrokenPipeError:
            return False
        if written < len(part):
            self._feed.append(part[written:])
        return True

    def _read(self, pipe: int) -> bool:
        piece = os.read(pipe, _PIECE)
        self._ended.output += piece
        if len(self._ended.output) > self._max_output:
            self._ended.cut = Cut.OUTPUT
        self._open = bool(piece)
        return self._open

    def _read_errors(self, pipe: int) -> bool:
        piece = os.read(pipe, _PIECE)
        self._ended.errors += piece[: _MAX_ERRORS - len(self._ended.errors)]
        return bool(piece)


def _end(child: subprocess.Popen[bytes], pipes: Pipes, ended: Ended) -> None:
    """End the child; one that is already exiting keeps its own exit code, since this signal comes too late."""
    with suppress(ProcessLookupError, PermissionError):  # macOS answers EPERM for a group of zombies
        os.killpg(child.pid, signal.SIGKILL)
    _, status, usage = os.wait4(child.pid, 0)
    ended.code = child.returncode = os.waitstatus_to_exitcode(status)
    ended.peak_bytes = usage.ru_maxrss * RSS_UNIT
    for pipe in pipes:
        pipe.close()


# BSDs and macOS count bytes, Linux kilobytes.
RSS_UNIT = 1024 if os.uname().sysname == "Linux" else 1
