"""Which server a command talks to: the one it is told, the one that runs on this home, or one of its own."""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import Protocol

from citewell.client import CitewellClient
from citewell.supervisor.state import running_server
from config.settings import settings


class _OwnServer(Protocol):
    url: str

    def revive(self) -> None:
        """Start again what died."""


@contextmanager
def connected(url: str | None) -> Generator[CitewellClient]:
    """A client for the length of a command; a server that was started for it is stopped with it.

    Raises SupervisorError, ConfigurationInvalid; the client raises ServerUnreachable.
    """
    if url is None and (running := running_server(settings().home)):
        url = running.url
    if url is not None:
        with CitewellClient(url) as client:
            yield client
        return
    # Databases and process control are loaded by the commands that start them, not by those that only talk.
    own: AbstractContextManager[_OwnServer] = import_module("citewell.cli.embedded").started_server()
    with own as server, CitewellClient(server.url, after_each=server.revive) as client:
        yield client
