"""A server owned by a command: child processes that end with it however it ends."""

from collections.abc import Generator
from contextlib import contextmanager

from citewell.cli.console import err, say
from citewell.supervisor.supervisor import Supervisor
from config.settings import settings


@contextmanager
def started_server() -> Generator[Supervisor]:
    """Start everything on free ports, yield the supervisor, and stop everything at the end. Raises SupervisorError."""
    say("starting a server for this command; `citewell up` keeps one running")
    supervisor = Supervisor(settings(), port=0)
    try:
        with err.status("starting Postgres, Valkey, API and workers …"):
            supervisor.start()
        yield supervisor
    finally:
        with err.status("stopping everything …"):
            supervisor.stop()
