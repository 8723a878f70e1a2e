"""The only place that opens and commits transactions, and that sets the tenant they act for.

`reading()` and `transaction()` act for one tenant, `system_transaction()` for all of them. None of them is ever open
during a model call.
"""

import os
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import closing, contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import psycopg
from sqlalchemy import Engine, ExceptionContext, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from config.settings import settings
from db.silence import Server
from domain.errors.service import DatabaseUnavailable, OutcomeUnknown

# Classes of transient SQLSTATEs: connections, transaction conflicts, resources, operator interventions.
_PASSING_CLASSES = ("08", "40", "53", "57P")
# Lock timeout, a server that is read-only during a failover, a transaction idle for too long.
_PASSING = frozenset({"55P03", "25006", "25P03"})
_PLAN_CHECK = "RevalidateCachedQuery"
"""The function of PostgreSQL that refuses to run a prepared statement whose result has other types now."""

# No transaction waits for anything but the database, so an idle one belongs to a hanging process, and holds locks that
# others wait for.
LIMITS_MS = "-c statement_timeout=60000 -c lock_timeout=10000 -c idle_in_transaction_session_timeout=30000"

# A server that vanished silently (a failed machine, an expired NAT entry) is noticed within half a minute, not when TCP
# gives up.
CONNECTING = {
    "autocommit": True,
    "connect_timeout": 5,
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 30_000,
}

_CALLBACKS = "after_commit"

# Guards creation, so that two threads that need the pool first do not create two.
_first = threading.Lock()

# Connections kept, and opened beyond those. Few: each is a Postgres process that plans every statement itself and grows
# to some 8 MB, and one interpreter cannot keep more of them busy. The statements of admission alone are 5 MB of that,
# so only the reserved ones run them. Two of these are kept: leases are renewed while queries are admitted, and with
# one kept connection the other would be opened each time and plan its statements again. Their statements are prepared
# the second time they run.
_FOR_WORK, _RESERVED = (6, 0), (2, 2)
_PREPARE_AFTER = {_FOR_WORK: 2, _RESERVED: 1}
_engines: dict[tuple[int, int], Engine] = {}
_server: Server | None = None
_is_reserved: ContextVar[bool] = ContextVar("is_reserved", default=False)

_tenant: ContextVar[int] = ContextVar("tenant")
_workspaces: ContextVar[tuple[int, ...] | None] = ContextVar("workspaces", default=None)
_creates: ContextVar[bool] = ContextVar("creates", default=True)
_acting: ContextVar["Acting"] = ContextVar("acting")
# The tenant is set locally to the transaction, so a connection returns to the pool without a tenant. Both statements
# are sent as one.
_BEGIN_FOR = "BEGIN; SELECT set_config('citewell.tenant', '{:d}', true)"
_BEGIN_LIMITED = _BEGIN_FOR + ", set_config('citewell.workspaces', '{{{}}}', true)"
_BEGIN_FOR_ALL = "BEGIN; SELECT set_config('citewell.system', 'on', true)"


class Acting(NamedTuple):
    """The caller of the current work: its `Caller.actor`, None if there is no caller, and the ids of the workspaces in
    which it may change the conversations and questions of others, None for all of them."""

    actor: str | None = None
    changes: tuple[int, ...] | None = None

    def may_change(self, begun_by: str | None, workspace_id: int) -> bool:
        """Return whether the caller may change something that `begun_by` began: they are the same, or the caller's role
        in the workspace allows it."""
        return self.changes is None or self.actor == begun_by or workspace_id in self.changes


_NOBODY = Acting()


def engine() -> Engine:
    """Return the pool of this process, or its reserved one (`reserved_connection`). Waits are bounded: a stopped
    database is an error, not a hang.

    The driver begins no transactions; each one starts with the BEGIN of `_begun`.
    """
    sizes = _RESERVED if _is_reserved.get() else _FOR_WORK
    with _first:
        if sizes not in _engines:
            _engines[sizes] = _made(*sizes)
        return _engines[sizes]


def end_silent_statements() -> None:
    """From now on, let a statement fail within some five seconds if the server stops answering (db.silence). This is
    for a process that serves requests; work waits for the server instead.
    """
    global _server
    dispose()
    _server = Server()


def _made(kept: int, above: int) -> Engine:
    made = create_engine(
        settings().database_url.get_secret_value(),
        # Connections beyond the kept ones are opened, with a password computation, for every transaction.
        pool_size=kept,
        max_overflow=above,
        pool_timeout=10,
        # The most recently used connection goes first: each one prepares and plans every statement itself, so a few
        # should do the work instead of all in turn.
        pool_use_lifo=True,
        # Otherwise errors would print statement parameters, which contain document text.
        hide_parameters=True,
        # The driver's own BEGIN would cost one more round trip per transaction.
        connect_args={**CONNECTING, "options": LIMITS_MS, "prepare_threshold": _PREPARE_AFTER[kept, above]},
    )
    if (server := _server) is not None:

        def opened(_dialect: Any, _record: Any, _arguments: Any, named: dict[str, Any]) -> psycopg.Connection[Any]:
            return server.opened(named)

        event.listen(made, "do_connect", opened)
    event.listen(made, "handle_error", _leave_stale_plans)
    return made


def _leave_stale_plans(context: ExceptionContext) -> None:
    """Replace connections whose prepared statements were planned for a schema that a migration has changed since."""
    if has_stale_plan(context.original_exception):
        context.is_disconnect = True


@contextmanager
def reserved_connection() -> Generator[None]:
    """Use a connection reserved for leases, admission and the reconciler: a renewal that waited for a work connection
    would let the lease expire."""
    token = _is_reserved.set(True)
    try:
        yield
    finally:
        _is_reserved.reset(token)


@contextmanager
def acting_for(tenant_id: int) -> Generator[None]:
    """Act for one tenant in every transaction of this block, including tasks and threads that inherit its context:
    row-level security hides and rejects all other rows (A8).
    """
    token = _tenant.set(tenant_id)
    try:
        yield
    finally:
        _tenant.reset(token)


def act_for(
    tenant_id: int, workspaces: Iterable[int] | None = None, *, creates: bool = True, acting: Acting | None = None
) -> None:
    """Act as `acting_for` does until the end of the current context, for a request, which has a context of its own.

    With `workspaces` (ids) row-level security also hides and rejects the rows of all other workspaces of the tenant, in
    every transaction but `system_transaction`. With `workspaces`, or without `creates`, naming a workspace does not
    create it.
    """
    _tenant.set(tenant_id)
    _creates.set(creates and workspaces is None)
    _acting.set(acting or Acting())
    _workspaces.set(None if workspaces is None else tuple(workspaces))


def is_limited() -> bool:
    return _workspaces.get() is not None


def may_create_workspaces() -> bool:
    return _creates.get()


def acting() -> Acting:
    """Return the caller of the current request. Work that no request began has no caller, and may change everything."""
    return _acting.get(_NOBODY)


def limited_to() -> tuple[int, ...] | None:
    """Return the ids of the workspaces that the next transaction is limited to; None means no limit."""
    return _workspaces.get()


def current_tenant() -> int:
    """Return the tenant of the next transaction. Raises LookupError when none was set, which is a programming error."""
    return _tenant.get()


@contextmanager
def transaction() -> Generator[Session]:
    """Commit at the end, roll back on any error.

    Raises DatabaseUnavailable when Postgres is unreachable, no pooled connection becomes free in time, or the error is
    transient; LookupError outside of `acting_for`.
    """
    with _begun(_begin()) as session:
        yield session
        _commit(session)


def _begin() -> str:
    workspaces = _workspaces.get()
    if workspaces is None:
        return _BEGIN_FOR.format(current_tenant())
    return _BEGIN_LIMITED.format(current_tenant(), ",".join(f"{workspace:d}" for workspace in workspaces))


@contextmanager
def reading() -> Generator[Session]:
    with _begun(_begin()) as session:
        yield session


@contextmanager
def system_transaction() -> Generator[Session]:
    """Like `transaction`, over the rows of all tenants: for the reconciler, key lookups and operators' commands.

    Rows that it inserts must name their tenant.
    """
    with _begun(_BEGIN_FOR_ALL) as session:
        yield session
        _commit(session)


def after_commit(session: Session, callback: Callable[[], None]) -> None:
    session.info.setdefault(_CALLBACKS, {})[callback] = None


def _commit(session: Session) -> None:
    session.flush()
    try:
        session.commit()
    except DBAPIError as error:
        if error.connection_invalidated:
            raise OutcomeUnknown from error
        raise


@contextmanager
def _begun(begin: str) -> Generator[Session]:
    try:
        with closing(_opened(begin)) as session:
            yield session
            session.commit()
        for callback in session.info.get(_CALLBACKS, ()):
            callback()
    except DBAPIError as error:
        if error.connection_invalidated or is_transient(error.orig):
            raise DatabaseUnavailable from error
        raise
    except PoolTimeout as error:
        raise DatabaseUnavailable("All database connections of this process are busy; try again.") from error


def _opened(begin: str) -> Session:
    try:
        return _open(begin)
    except DBAPIError as error:
        # A pooled connection that died since its last use, as after a restart of Postgres: the first statement reveals
        # it, before anything can be lost. The pool then replaces all its connections.
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


def is_transient(error: BaseException | None) -> bool:
    """Return whether the driver's `error` is transient: no server, a restart, a deadlock, a lock, a full disk."""
    state: str | None = getattr(error, "sqlstate", "")
    if state is None:
        # No SQLSTATE: there was no server to send one, or psycopg rejected values that no server would accept.
        return isinstance(error, psycopg.OperationalError)
    return state.startswith(_PASSING_CLASSES) or state in _PASSING or has_stale_plan(error)


def has_stale_plan(error: BaseException | None) -> bool:
    """Return whether a prepared statement returns other types than when this connection prepared it. PostgreSQL has no
    SQLSTATE of its own for that, and its message may be in any language."""
    return isinstance(error, psycopg.errors.FeatureNotSupported) and error.diag.source_function == _PLAN_CHECK


def dispose(*, close: bool = True) -> None:
    """Dispose of the pools. A forked child keeps the connections open (`close=False`), because they are its
    parent's."""
    with _first:
        while _engines:
            _engines.popitem()[1].dispose(close=close)


def _after_fork_in_the_child() -> None:
    # Another thread of the parent may have held the lock.
    global _first
    _first = threading.Lock()


os.register_at_fork(after_in_child=_after_fork_in_the_child)
