"""A database as a whole, for copies of it: what it holds at one moment, and how one takes the place of another.

Every connection here sees the rows of all tenants. Whatever connects raises DatabaseUnavailable.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, NullPool, create_engine, make_url, text
from sqlalchemy.exc import OperationalError

from domain.errors import DatabaseUnavailable

SEES_ALL = "-c citewell.system=on"
# What people put in; the other tables follow from these, or tell of processes.
_WORK = ("documents", "queries", "api_keys", "webhook_endpoints", "imports", "batches", "evaluations", "workspaces")
_TABLES = text("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`id` lets another connection see the same moment, as long as the block lasts; `tables` counts rows."""

    id: str
    revision: str | None
    postgres: str
    tables: Mapping[str, int]


@contextmanager
def snapshot(url: str) -> Generator[Snapshot]:
    """One moment of the database behind `url`, kept open."""
    with _connected(url, "REPEATABLE READ") as connection:
        id_: str = connection.execute(text("SELECT pg_export_snapshot()")).scalar_one()
        version: str = connection.execute(text("SHOW server_version")).scalar_one()
        tables = _rows(connection)
        revision: str | None = None
        if "alembic_version" in tables:
            revision = connection.scalar(text("SELECT version_num FROM alembic_version"))
        yield Snapshot(id_, revision, version, tables)


def count_rows(url: str) -> dict[str, int]:
    """The rows of every table."""
    with _connected(url, "REPEATABLE READ") as connection:
        return _rows(connection)


def holds_work(url: str) -> bool:
    """Whether anybody has put something in: a database that was only migrated holds nothing."""
    tables = count_rows(url)
    return any(tables.get(name) for name in _WORK)


def create_beside(url: str, name: str) -> str:
    """An empty database on the same server, in the place of one of that name that nobody uses; return its address."""
    with _administering(url) as connection:
        connection.execute(text(f'DROP DATABASE IF EXISTS "{name}"'))
        connection.execute(text(f'CREATE DATABASE "{name}"'))
    return make_url(url).set(database=name).render_as_string(hide_password=False)


def drop_beside(url: str, name: str) -> None:
    """Remove a database of the same server, whoever is connected."""
    with _administering(url) as connection:
        connection.execute(text(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'))


def take_the_place(url: str, name: str, replaced: str) -> None:
    """Give the database `name` the name of the one behind `url`, which becomes `replaced`: both or neither.

    Ends the connections to the latter. Raises OperationalError when others keep connecting.
    """
    of = make_url(url).database
    everybody = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :of AND usename = current_user"
    )
    drop_beside(url, replaced)
    for left in reversed(range(_TRIES)):
        with _administering(url) as connection:
            try:
                connection.execute(everybody, {"of": of})
                # One simple statement of two parts is one transaction.
                connection.exec_driver_sql(
                    f'ALTER DATABASE "{of}" RENAME TO "{replaced}"; ALTER DATABASE "{name}" RENAME TO "{of}"'
                )
                return
            except OperationalError:
                if not left:
                    raise


@contextmanager
def _administering(url: str) -> Generator[Connection]:
    """A connection to the server's own database, which each statement commits."""
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
