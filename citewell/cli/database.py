"""The database of questions and answers, for commands that work without the API."""

import os
import signal
from collections.abc import Generator
from contextlib import ExitStack, contextmanager

from citewell.cli.console import err, say
from citewell.supervisor.home import home_at
from citewell.supervisor.servers.endpoints import running_database
from citewell.supervisor.servers.pair import EmbeddedServers
from citewell.supervisor.state import running_server
from config.settings import settings
from db.migrate import head_revision, schema_revision, schema_state, upgrade
from db.models import DEFAULT_TENANT
from db.session import acting_for, dispose, system_transaction
from domain.errors.service import SchemaUnknown

_VARIABLE = "CITEWELL_DATABASE_URL"


@contextmanager
def database() -> Generator[None]:
    """Point `db.session`, for the length of the block, to the configured database or that of this home, for the first
    tenant.

    When no server runs on the home, its database is started and stopped again; this works only from the main thread.
    Raises SupervisorError, SchemaUnknown, DatabaseUnavailable.
    """
    with ExitStack() as stack:
        stack.enter_context(_terminable())
        if "database_url" not in settings().model_fields_set:
            home = settings().home
            url = running_database(home_at(home)) if running_server(home) else None
            url = url or stack.enter_context(_started())
            stack.enter_context(_settings_with(url))
        with system_transaction() as session:
            revision, state = schema_revision(session), schema_state(session)
        if state == "outdated":
            raise SchemaUnknown(
                f"The database's schema is {revision}, this version of Citewell needs {head_revision()}; "
                "start `citewell up` of this version, or run its migrations with `alembic upgrade head`."
            )
        with acting_for(DEFAULT_TENANT):
            yield


@contextmanager
def _started() -> Generator[str]:
    say("starting a database for this command; `citewell up` keeps one running")
    servers = EmbeddedServers(settings().home)
    try:
        with err.status("starting Postgres …"):
            servers.start()
            upgrade(servers.database_url)
        yield servers.database_url
    finally:
        servers.stop()


@contextmanager
def _settings_with(url: str) -> Generator[None]:
    os.environ[_VARIABLE] = url
    _forget()
    try:
        yield
    finally:
        dispose()
        del os.environ[_VARIABLE]
        _forget()


def _forget() -> None:
    settings.cache_clear()
    dispose()


@contextmanager
def _terminable() -> Generator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:  # nohup stays effective
            signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(*_: object) -> None:
    signal.raise_signal(signal.SIGINT)
