"""The lock that allows one supervisor per home."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager

from citewell.supervisor.errors import AlreadyRunning
from citewell.supervisor.home import Home
from citewell.supervisor.state import ServerState, read_state, running_server


def ensure_not_running(home: Home) -> None:
    """A first check, before anything is tried; `locked` decides. Raises AlreadyRunning."""
    if state := running_server(home.root):
        raise AlreadyRunning(_who_runs(home, str(state.pid), state))


@contextmanager
def locked(home: Home) -> Generator[None]:
    """Hold the home for this process; the kernel releases it when the process ends, however it ends.

    Raises AlreadyRunning with the pid and, once it serves, the address of the holder.
    """
    with (home.run / "lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise AlreadyRunning(_who_runs(home, file.read(), read_state(home.root))) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def _who_runs(home: Home, pid: str, state: ServerState | None) -> str:
    where = f"at {state.url}" if state and str(state.pid) == pid else "and is still starting"
    return f"Citewell already runs on {home.root} (pid {pid}) {where}; stop it first or set another CITEWELL_HOME"
