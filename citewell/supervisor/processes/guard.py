"""The guard: a process that kills the process groups of a supervisor that was itself killed.

The kernel's parent-death signal reaches only direct children (and exists on Linux only); a worker's own children, and
everything on macOS, are ended by this program. It reads "+group" and "-group" lines from a pipe whose other end only
the supervisor holds: the end of the file is the supervisor's death.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

_GRACE_S = 1.0  # Postgres was told to shut down cleanly


class Guard:
    """The supervisor's side. `watch` a group after its start, `forget` it after its end."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def watch(self, group: int) -> None:
        if self._process is None:
            self._process = _start_guard()
        self._send(f"+{group}\n")

    def forget(self, group: int) -> None:
        self._send(f"-{group}\n")

    def close(self) -> None:
        """End the guard; groups that are still watched are killed."""
        if self._process is not None:
            with suppress(BrokenPipeError):
                self._process.communicate()

    def _send(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(BrokenPipeError):  # the guard was killed, but the parent-death signals remain
                self._process.stdin.write(line)


def _start_guard() -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - this very file
        [sys.executable, "-I", "-S", __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
        bufsize=1,
    )


def main() -> None:
    groups: set[int] = set()
    for line in sys.stdin:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    if groups:
        time.sleep(_GRACE_S)
    for group in groups:
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
