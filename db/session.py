"""The only place that opens and commits transactions, and the place that says for whom.

`reading()` for a short look, `transaction()` for a change, both for one tenant; `system_transaction()` for work that
belongs to none. None of them is ever open during a model call.
"""

import os
import threading
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from contextvars import ContextVar

import psycopg
from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from config.settings import settings
from domain.errors import DatabaseUnavailable

# SQLSTATE: connections, conflicts between transactions, resources, operators' interventions.
_PASSING_CLASSES = ("08", "40", "53", "57P")
# A lock that took too long, a server that only reads until a failover is over, a transaction that was idle for long.
_PASSING = frozenset({"55P03", "25006", "25P03"})

# No transaction waits for anything but the database, so one that is idle belongs to a process that hangs, and holds
# locks that others wait for.
LIMITS_MS = "-c statement_timeout=60000 -c lock_timeout=10000 -c idle_in_transaction_session_timeout=30000"

# A server that is gone without a word (a machine that failed, a forgotten translation of addresses) is noticed within
# half a minute and not when TCP gives up.
CONNECTING = {
    "autocommit": True,
    "connect_timeout": 5,
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 30_000,
}

_TOLD = "after_commit"

# Two threads that want the pool first must not make two.
_first = threading.Lock()

# Connections that are kept, and that are opened above them. Few: each is a process of Postgres that plans every
# statement for itself and grows to some 8 MB, and one interpreter keeps no more of them busy.
_FOR_WORK, _FOR_LEASES = (6, 0), (1, 1)
_engines: dict[tuple[int, int], Engine] = {}
_is_apart: ContextVar[bool] = ContextVar("is_apart", default=False)

_tenant: ContextVar[int] = ContextVar("tenant")
# Local to the transaction: a connection goes back to the pool without a tenant. Two statements that are sent as one.
_BEGIN_FOR = "BEGIN; SELECT set_config('citewell.tenant', '{:d}', true)"
_BEGIN_FOR_ALL = "BEGIN; SELECT set_config('citewell.system', 'on', true)"


def engine() -> Engine:
    """The pool of this process, or that of its leases (`apart`). Waits are bounded, so a stopped database is an error
    and not a hang.

    A connection has no transaction but what its own BEGIN begins.
    """
    sizes = _FOR_LEASES if _is_apart.get() else _FOR_WORK
    with _first:
        if sizes not in _engines:
            _engines[sizes] = _made(*sizes)
        return _engines[sizes]


def _made(kept: int, above: int) -> Engine:
    return create_engine(
        settings().database_url.get_secret_value(),
        # What is kept: above it a connection is opened, and its password computed, for every transaction.
        pool_size=kept,
        max_overflow=above,
        pool_timeout=10,
        # The one used last is taken first: each connection prepares and plans every statement for itself, so few of
        # them should do the work, and not all of them in turn.
        pool_use_lifo=True,
        # Errors print the parameters of a statement otherwise, and those hold document text.
        hide_parameters=True,
        # The driver would send a BEGIN of its own: one more round trip for every transaction.
        connect_args={**CONNECTING, "options": LIMITS_MS},
    )


@contextmanager
def apart() -> Generator[None]:
    """Transactions of this block have a connection that no work uses: a lease that waited for one would run out."""
    token = _is_apart.set(True)
    try:
        yield
    finally:
        _is_apart.reset(token)


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
    with _begun(_BEGIN_FOR.format(current_tenant())) as session:
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
    with _begun(_BEGIN_FOR_ALL) as session:
        yield session


def after_commit(session: Session, tell: Callable[[], None]) -> None:
    """Have `tell` called when the transaction is committed; once, however often it is asked for."""
    session.info.setdefault(_TOLD, {})[tell] = None


@contextmanager
def _begun(begin: str) -> Generator[Session]:
    try:
        with closing(_opened(begin)) as session:
            yield session
            session.commit()
        for tell in session.info.get(_TOLD, ()):
            tell()
    except DBAPIError as error:
        if error.connection_invalidated or will_pass(error.orig):
            raise DatabaseUnavailable from error
        raise
    except PoolTimeout as error:
        raise DatabaseUnavailable("All database connections of this process are busy; try again.") from error


def _opened(begin: str) -> Session:
    try:
        return _open(begin)
    except DBAPIError as error:
        # A connection of the pool that died since it was used last, as when Postgres was restarted: its first statement
        # finds it out, when there is nothing yet to be lost. All others are replaced, too.
        if not error.connection_invalidated:
            raise
    return _open(begin)


def _open(begin: str) -> Session:
    session = Session(engine(), expire_on_commit=False)
    try:
        session.connection().exec_driver_sql(begin)
    except BaseException:
        session.close()
        raise
    return session


def will_pass(error: BaseException | None) -> bool:
    """Whether the same work may succeed in a moment: no server, a restart, a deadlock, a lock, a full disk. `error` is
    the driver's."""
    state: str | None = getattr(error, "sqlstate", "")
    if state is None:
        # There was no server to send one, or psycopg refused to send what no server would take.
        return isinstance(error, psycopg.OperationalError)
    return state.startswith(_PASSING_CLASSES) or state in _PASSING


def dispose(*, close: bool = True) -> None:
    """Forget the pools. A forked child leaves the connections open (`close=False`): they are its parent's."""
    with _first:
        while _engines:
            _engines.popitem()[1].dispose(close=close)


def _after_fork_in_the_child() -> None:
    # Another thread of the parent may have held it.
    global _first
    _first = threading.Lock()


os.register_at_fork(after_in_child=_after_fork_in_the_child)
