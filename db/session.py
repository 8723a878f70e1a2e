"""The only place that opens and commits transactions.

`reading()` for a short look, `transaction()` for a change. Neither is ever open during a model call.
"""

from collections.abc import Generator
from contextlib import contextmanager
from functools import cache

from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from config.settings import settings
from domain.errors import DatabaseUnavailable


@cache
def engine() -> Engine:
    """One pool per process. Waits are bounded, so a stopped database is an error and not a hang."""
    return create_engine(
        settings().database_url.get_secret_value(),
        pool_size=8,
        max_overflow=24,
        pool_timeout=10,
        pool_pre_ping=True,
        # Errors print the parameters of a statement otherwise, and those hold document text.
        hide_parameters=True,
        connect_args={"connect_timeout": 5, "options": "-c statement_timeout=60000 -c lock_timeout=10000"},
    )


@contextmanager
def transaction() -> Generator[Session]:
    """Commit at the end, roll back on any error.

    Raises DatabaseUnavailable when Postgres cannot be reached or no connection of the pool gets free in time.
    """
    session = Session(engine(), expire_on_commit=False)
    try:
        with session.begin():
            yield session
    except OperationalError as error:
        if error.connection_invalidated or _is_connection_failure(error):
            raise DatabaseUnavailable from error
        raise
    except PoolTimeout as error:
        raise DatabaseUnavailable("All database connections of this process are busy; try again.") from error
    finally:
        session.close()


@contextmanager
def reading() -> Generator[Session]:
    """Like `transaction`, for code that only reads."""
    with transaction() as session:
        yield session


def _is_connection_failure(error: OperationalError) -> bool:
    # psycopg gives no SQLSTATE when there was no server to send one.
    return getattr(error.orig, "sqlstate", None) is None


def dispose(*, close: bool = True) -> None:
    """Forget the pool. A forked child leaves the connections open (`close=False`): they are its parent's."""
    if engine.cache_info().currsize:
        engine().dispose(close=close)
        engine.cache_clear()
