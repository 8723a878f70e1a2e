"""run/state.json: where to find the running server of a home."""

from pathlib import Path

import psutil
from pydantic import BaseModel, ValidationError

# A pid is not reused within this time, and clock corrections shift a start time by less.
_SAME_START_S = 60.0


class ServerState(BaseModel):
    """A server that answered `GET /readyz`; `started_at` is the start of the process in seconds since 1970."""

    pid: int
    url: str
    started_at: float


def running_server(home: Path) -> ServerState | None:
    """The server that runs on this home, or None: not started, not ready yet, stopped or killed."""
    state = read_state(home)
    if state is None:
        return None
    try:
        process = psutil.Process(state.pid)
        ended = process.status() == psutil.STATUS_ZOMBIE  # killed, and its parent has not waited for it yet
        same = abs(process.create_time() - state.started_at) < _SAME_START_S
    except psutil.Error:
        return None
    return state if same and not ended else None


def read_state(home: Path) -> ServerState | None:
    """The state written by the last server, alive or not."""
    try:
        return ServerState.model_validate_json(state_file(home).read_text())
    except (OSError, ValidationError):
        return None


def state_file(home: Path) -> Path:
    return home.expanduser() / "run" / "state.json"
