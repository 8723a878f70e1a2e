"""Snapshots and replacement of a whole database, for backup and restore.

Connections here see the rows of all tenants. Connecting raises DatabaseUnavailable.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, NullPool, create_engine, make_url, text
from sqlalchemy.exc import OperationalError

from domain.errors.service import DatabaseUnavailable

SEES_ALL = "-c citewell.system=on"
# Tables that users fill; the other tables are derived from these or describe processes.
_WORK = (
    "documents", "queries", "api_keys", "webhook_endpoints", "imports", "batches", "evaluations", "workspaces",
    "conversations",
)  # fmt: skip
_TABLES = text("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The view of a transaction: while it lasts, other connections can read the same data by its `id`; `tables` maps
    names to row counts."""

    id: str
    revision: str | None
    postgres: str
    tables: Mapping[str, int]


@contextmanager
def snapshot(url: str) -> Generator[Snapshot]:
    with _connected(url, "REPEATABLE READ") as connection:
        id_: str = connection.execute(text("SELECT pg_export_snapshot()")).scalar_one()
        version: str = connection.execute(text("SHOW server_version")).scalar_one()
        tables = _rows(connection)
        revision: str | None = None
        if "alembic_version" in tables:
            revision = connection.scalar(text("SELECT version_num FROM alembic_version"))
        yield Snapshot(id_, revision, version, tables)


def count_rows(url: str) -> dict[str, int]:
    with _connected(url, "REPEATABLE READ") as connection:
        return _rows(connection)


def holds_work(url: str) -> bool:
    """Return whether users have stored anything: a freshly migrated database contains no data of users."""
    tables = count_rows(url)
    return any(tables.get(name) for name in _WORK)


def create_database(url: str, name: str) -> str:
    """Create an empty database on the same server, replacing an unused one of that name; return its URL."""
    with _administering(url) as connection:
        connection.execute(text(f'DROP DATABASE IF EXISTS "{name}"'))
        connection.execute(text(f'CREATE DATABASE "{name}"'))
    return make_url(url).set(database=name).render_as_string(hide_password=False)


def drop_database(url: str, name: str) -> None:
    with _administering(url) as connection:
        connection.execute(text(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'))


def replace_database(url: str, name: str, replaced: str) -> None:
    """Rename the database at `url` to `replaced` and give its name to `name`, atomically.

    Ends the connections to the database at `url`. Raises OperationalError if others keep reconnecting.
    """
    of = make_url(url).database
    everybody = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :of AND usename = current_user"
    )
    drop_database(url, replaced)
    for left in reversed(range(_TRIES)):
        with _administering(url) as connection:
            try:
                connection.execute(everybody, {"of": of})
                # Two statements sent as one simple query run in one transaction.
                connection.exec_driver_sql(
                    f'ALTER DATABASE "{of}" RENAME TO "{replaced}"; ALTER DATABASE "{name}" RENAME TO "{of}"'
                )
                return
            except OperationalError:
                if not left:
                    raise


@contextmanager
def _administering(url: str) -> Generator[Connection]:
    of_the_server = make_url(url).set(database="postgres").render_as_string(hide_password=False)
    with _connected(of_the_server, "AUTOCOMMIT") as connection:
        yield connection


@contextmanager
def _connected(url: str, isolation: str) -> Generator[Connection]:
    engine = create_engine(
        url,
        poolclass=NullPool,
        isolation_level=isolation,  # pyright: ignore[reportArgumentType] - one of its literals
        hide_parameters=True,
        connect_args={"connect_timeout": 5, "options": SEES_ALL},
    )
    try:
        connection = engine.connect()
    except OperationalError as error:
        raise DatabaseUnavailable from error
    with connection:
        yield connection


def _rows(connection: Connection) -> dict[str, int]:
    names: list[str] = list(connection.scalars(_TABLES))
    return {name: connection.execute(text(f'SELECT count(*) FROM "{name}"')).scalar_one() for name in names}  # noqa: S608
