"""run/state.json, which says where the running server of a home is; and the lock that allows one supervisor per
home."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil
from pydantic import BaseModel, ValidationError

from citewell.supervisor.errors import AlreadyRunning
from citewell.supervisor.home import Home

# A pid is not reused within this time, and clock corrections shift a start time by less.
_SAME_START_S = 60.0


class ServerState(BaseModel):
    """A server that answered `GET /readyz`; `started_at` is the start of the process in seconds since 1970."""

    pid: int
    url: str
    started_at: float


def running_server(home: Path) -> ServerState | None:
    state = read_state(home)
    if state is None:
        return None
    try:
        process = psutil.Process(state.pid)
        ended = process.status() == psutil.STATUS_ZOMBIE  # killed, but not yet awaited by its parent
        same = abs(process.create_time() - state.started_at) < _SAME_START_S
    except psutil.Error:
        return None
    return state if same and not ended else None


def read_state(home: Path) -> ServerState | None:
    try:
        return ServerState.model_validate_json(state_file(home).read_text())
    except (OSError, ValidationError):
        return None


def state_file(home: Path) -> Path:
    return home.expanduser() / "run" / "state.json"


def ensure_not_running(home: Home) -> None:
    """Raise AlreadyRunning if a server runs on this home; this is a first check, and `locked` decides."""
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
