"""Chooses the server for a command: the given one, the one that runs on this home, or one of its own."""

import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Protocol

import httpx

from citewell.cli.console import err, say
from citewell.supervisor.errors import AlreadyRunning
from citewell.supervisor.state import ServerState, running_server
from citewell_client import CitewellClient, key_of_environment
from config.settings import settings

_PATIENCE_S, _LOOK_EVERY_S = 60.0, 0.2
_ASK_S = 3.0


class _OwnServer(Protocol):
    url: str

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def revive(self) -> None: ...


@contextmanager
def connected(url: str | None) -> Generator[CitewellClient]:
    """Yield a client for the length of a command, with the key in CITEWELL_API_KEY. A server that was started for the
    command stops with it.

    Raises SupervisorError, ConfigurationInvalid, ApiKeyUnusable; the client raises ServerUnreachable.
    """
    key, home = key_of_environment(), settings().home
    if url is None and (running := running_server(home)):
        url = running.url
    if url is not None:
        with CitewellClient(url, key, priority="interactive") as client:
            yield client
        return
    with ExitStack() as stack:
        try:
            server = stack.enter_context(_started_server())
            client = CitewellClient(server.url, key, priority="interactive", after_each=server.revive)
        except AlreadyRunning as already:
            client = CitewellClient(_awaited(already).url, key, priority="interactive")
        yield stack.enter_context(client)


def provider_chosen_on_page() -> str | None:
    """Return the provider that was chosen on the dashboard of this home's running server, where the settings name
    none."""
    running = running_server(settings().home) if settings().provider == "offline" else None
    if running is None:
        return None
    try:
        provider = str(httpx.get(f"{running.url}/healthz", timeout=_ASK_S).json()["provider"])
    except (httpx.HTTPError, ValueError, KeyError):
        return None
    return None if provider == "offline" else provider


@contextmanager
def _started_server() -> Generator[_OwnServer]:
    """Start a server for this command. Everything runs on free ports, and stops however the block ends. Raises
    SupervisorError."""
    say("starting a server for this command; `citewell up` keeps one running")
    # Databases and process control are loaded only by commands that start them, not by those that only connect.
    server: _OwnServer = import_module("citewell.supervisor.supervisor").Supervisor(settings(), port=0)
    try:
        with err.status("starting Postgres, Valkey, API and workers …"):
            server.start()
        yield server
    finally:
        with err.status("stopping everything …"):
            server.stop()


def _awaited(already: AlreadyRunning) -> ServerState:
    """Return the server that another process starts on this home, once it answers. Raises `already` when it does not
    come up."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        if running := running_server(settings().home):
            return running
        time.sleep(_LOOK_EVERY_S)
    raise already
