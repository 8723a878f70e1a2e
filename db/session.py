"""The only place that opens and commits transactions, and the place that says for whom.

`reading()` for a short look, `transaction()` for a change, both for one tenant; `system_transaction()` for work that
belongs to none. None of them is ever open during a model call.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from config.settings import settings
from domain.errors import DatabaseUnavailable

# SQLSTATE: connections, conflicts between transactions, resources, operators' interventions.
_PASSING_CLASSES = ("08", "40", "53", "57P")
# A lock that took too long, and a server that only reads until a failover is over.
_PASSING = frozenset({"55P03", "25006"})

_tenant: ContextVar[int] = ContextVar("tenant")
# Local to the transaction: a connection goes back to the pool without a tenant.
_ACT_FOR = text("SELECT set_config('citewell.tenant', :tenant, true)")
_ACT_FOR_ALL = text("SELECT set_config('citewell.system', 'on', true)")


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
def acting_for(tenant_id: int) -> Generator[None]:
    """Every transaction of this block, in this thread or task and those that it starts with its context, is for one
    tenant: row-level security shows no other rows and takes no other rows (A8)."""
    token = _tenant.set(tenant_id)
    try:
        yield
    finally:
        _tenant.reset(token)


def act_for(tenant_id: int) -> None:
    """The same until the end of the current context: for a request, which has one of its own."""
    _tenant.set(tenant_id)


def current_tenant() -> int:
    """Whom the next transaction is for. Raises LookupError when nobody said, which is a programming error."""
    return _tenant.get()


@contextmanager
def transaction() -> Generator[Session]:
    """Commit at the end, roll back on any error.

    Raises DatabaseUnavailable when Postgres cannot be reached, no connection of the pool gets free in time, or the
    same work may succeed in a moment; LookupError outside of `acting_for`.
    """
    tenant = current_tenant()
    with _begun() as session:
        session.execute(_ACT_FOR, {"tenant": str(tenant)})
        yield session


@contextmanager
def reading() -> Generator[Session]:
    """Like `transaction`, for code that only reads."""
    with transaction() as session:
        yield session


@contextmanager
def system_transaction() -> Generator[Session]:
    """Like `transaction`, over the rows of all tenants: for the reconciler, the lookup of keys, operators' commands.

    What it inserts must name its tenant.
    """
    with _begun() as session:
        session.execute(_ACT_FOR_ALL)
        yield session


@contextmanager
def _begun() -> Generator[Session]:
    session = Session(engine(), expire_on_commit=False)
    try:
        with session.begin():
            yield session
    except DBAPIError as error:
        if error.connection_invalidated or _will_pass(error):
            raise DatabaseUnavailable from error
        raise
    except PoolTimeout as error:
        raise DatabaseUnavailable("All database connections of this process are busy; try again.") from error
    finally:
        session.close()


def _will_pass(error: DBAPIError) -> bool:
    """Whether the same work may succeed in a moment: no server, a restart, a deadlock, a lock, a full disk."""
    state: str | None = getattr(error.orig, "sqlstate", "")
    if state is None:
        # There was no server to send one, or psycopg refused to send what no server would take.
        return isinstance(error, OperationalError)
    return state.startswith(_PASSING_CLASSES) or state in _PASSING


def dispose(*, close: bool = True) -> None:
    """Forget the pool. A forked child leaves the connections open (`close=False`): they are its parent's."""
    if engine.cache_info().currsize:
        engine().dispose(close=close)
        engine.cache_clear()
