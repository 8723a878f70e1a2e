"""One child process and its output: started, read, restarted with backoff when it dies, stopped in steps."""

import logging
import os
import re
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO, Protocol
from urllib.parse import urlsplit

from citewell.supervisor.home import Account
from citewell.supervisor.processes.guard import Guard
from citewell.supervisor.processes.spawn import spawn

# A function that is called with the name of the process and one line, from the thread that reads that process.
OnLine = Callable[[str, str], None]


class Output:
    """One process's lines. A failing listener or disk costs lines, never the process that prints them."""

    def __init__(self, name: str, folder: Path, on_line: OnLine | None = None) -> None:
        self.name = name
        self.path = folder / f"{name}.log"
        self.tail: deque[str] = deque(maxlen=20)
        self._on_line = on_line
        self._file = _QuietFile(self.path, maxBytes=10_000_000, backupCount=3, encoding="utf-8", delay=True)

    def write(self, line: str) -> None:
        self.tail.append(line)
        self._file.emit(logging.makeLogRecord({"msg": line}))
        if self._on_line is not None:
            with suppress(OSError, ValueError):  # the terminal was closed
                self._on_line(self.name, line)

    def close(self) -> None:
        self._file.close()


class _QuietFile(RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        # On a full disk there is nowhere to report the error.
        ...


@dataclass
class Backoff:
    """Doubles from `first` to `longest` seconds; a process that ran for `quiet` seconds or more resets it."""

    first: float = 0.25
    longest: float = 30.0
    quiet: float = 60.0
    _next: float = field(init=False)

    def __post_init__(self) -> None:
        self._next = self.first

    def after(self, lifetime: float) -> float:
        """Return the seconds to wait after a death that followed `lifetime` seconds of running."""
        delay = self.first if lifetime >= self.quiet else self._next
        self._next = min(delay * 2, self.longest)
        return delay


@dataclass(frozen=True)
class ProcessSpec:
    """A program to run, and the signs that it is ready.

    It is ready when a line of its output has matched `ready_line` and `GET ready_url` has answered 200 (each if given).
    `stop` is a sequence of signals and seconds to wait after each; SIGKILL to the process group ends it. `death_signal`
    is the signal that the kernel sends it when the supervisor dies. `forked`: its `argv`, a Python and `-m MODULE` with
    arguments, is run in the fork server where there is one.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    ready_line: str | None = None
    ready_url: str | None = None
    stop: tuple[tuple[signal.Signals, float], ...] = ((signal.SIGTERM, 5.0),)
    death_signal: signal.Signals = signal.SIGKILL
    account: Account | None = None
    cwd: Path | None = None
    forked: bool = False


class Child(Protocol):
    """A process that was started: the part of `subprocess.Popen` that is used."""

    @property
    def pid(self) -> int: ...

    @property
    def stdout(self) -> IO[bytes] | None:
        """The output of the process, with its errors."""
        ...

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def send_signal(self, sig: int) -> None: ...


Begin = Callable[[ProcessSpec], Child]
"""A function that starts a process. Raises OSError."""


def execute(spec: ProcessSpec, stdin: int = subprocess.DEVNULL) -> Child:
    return spawn(
        spec.argv, env=spec.env, account=spec.account, death_signal=spec.death_signal, cwd=spec.cwd, stdin=stdin
    )


class ManagedProcess:
    """A process that is restarted when it dies. The main thread calls `start` and `revive`; after each start, a thread
    reads its output.
    """

    def __init__(self, spec: ProcessSpec, output: Output, guard: Guard, begin: Begin = execute) -> None:
        self.spec = spec
        self.output = output
        self.deaths = 0
        self._guard = guard
        self._begin = begin
        self._backoff = Backoff()
        self._child: Child | None = None
        self._reader = threading.Thread()
        self._line_seen = threading.Event()
        self._url_seen = False
        self._started_at = 0.0
        self._start_due = 0.0

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child else None

    def is_ready(self) -> bool:
        """Return whether the process has shown since its last start that it is ready. Asks `ready_url` until it has."""
        if self._child is None or not (self.spec.ready_line is None or self._line_seen.is_set()):
            return False
        self._url_seen = self._url_seen or self.spec.ready_url is None or _answers(self.spec.ready_url)
        return self._url_seen

    def start(self) -> None:
        """Start the process. A refusal by the system counts as a death: the next attempt comes after the backoff."""
        self._line_seen, self._url_seen = threading.Event(), False
        self._started_at = time.monotonic()
        try:
            self._child = self._begin(self.spec)
        except OSError as error:
            self._record_death(f"cannot be started ({error})")
            return
        self._guard.watch(self._child.pid)
        self._reader = threading.Thread(target=self._read, args=(self._child, self._line_seen), daemon=True)
        self._reader.start()

    def revive(self, *, at_once: bool = False) -> None:
        """Notice a death, and restart the process after its backoff, or `at_once`; to be called often."""
        if self._child is None:
            if at_once or time.monotonic() >= self._start_due:
                self.start()
        elif (code := self._child.poll()) is not None:
            self._end_group(self._child)
            self._record_death(f"ended with exit code {code}")

    def stop(self) -> None:
        child = self._child
        if child is None:
            return
        for step, patience in self.spec.stop:
            child.send_signal(step)
            with suppress(subprocess.TimeoutExpired):
                child.wait(patience)
                break
        self._end_group(child)

    def kill(self) -> None:
        if self._child is not None:
            _kill_group(self._child.pid)

    def _end_group(self, child: Child) -> None:
        _kill_group(child.pid)
        child.wait()
        self._guard.forget(child.pid)
        self._reader.join(2)  # not for ever: a grandchild in a group of its own may still hold the pipe
        self._child = None

    def _record_death(self, how: str) -> None:
        self.deaths += 1
        delay = self._backoff.after(time.monotonic() - self._started_at)
        self._start_due = time.monotonic() + delay
        self.output.write(f"[supervisor] {self.spec.name} {how}; next start in {delay:g} s")

    def _read(self, child: Child, line_seen: threading.Event) -> None:
        assert child.stdout is not None  # noqa: S101 - there always is a pipe
        with child.stdout as pipe:
            for raw in iter(lambda: pipe.readline(65_536), b""):
                line = raw.decode(errors="replace").rstrip("\r\n")
                self.output.write(line)
                if self.spec.ready_line is not None and re.search(self.spec.ready_line, line):
                    line_seen.set()


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS answers EPERM for a group of zombies
        os.killpg(group, signal.SIGKILL)


def _answers(url: str) -> bool:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=2)
    try:
        connection.request("GET", parts.path)
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
