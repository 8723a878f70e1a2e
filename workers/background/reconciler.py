"""The reconciler: restarts stalled work, starts work that waits although there is capacity, and deletes expired rows.

It runs in every process that serves the maintenance queue, so no separate scheduler is needed. One of them looks in
each `recovery.check_s`: it takes the turn in Redis. Without Redis all of them look, and a Postgres advisory lock elects
one at a time.
"""

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from math import inf

import structlog
from sqlalchemy.orm import Session

from clients.broker import waiting_rows
from clients.notifications import notify_end, process_notifier
from clients.telemetry import meter
from clients.telemetry.meter import METER
from config.settings import RecoverySettings, settings
from db.models import QueryStatus
from db.queries.access import workspaces
from db.queries.access.idempotency import delete_old_keys
from db.queries.access.model_choices import forget_keys
from db.queries.access.people import delete_old_deeds
from db.queries.admission import admission
from db.queries.admission.processes import delete_dead_processes, try_leader_lock, wait_briefly
from db.queries.documents import imports
from db.queries.reports.meters import fold_dead_meters
from db.queries.runs import budgets, queries
from db.queries.runs.events import drop_old_drafts
from db.queries.runs.model_calls import write_off_calls
from db.queries.runs.queries import Launch
from db.queries.runs.replies import SWEEP, drop_old_replies
from db.queries.verifications import audits, batches
from db.session import acting_for, reserved_connection, system_transaction, transaction
from domain.errors.service import DatabaseUnavailable
from domain.query.budget import DEADLINE
from services.documents.files import delete_loose
from services.external.batches import cancel_next_items
from services.finishing.completion import finish
from services.operations.workspaces import remove_more
from workers.processes.runtime import Periodic
from workers.queues import Queue
from workers.starting.launch import (
    NotPublished,
    Unreadable,
    launch_documents,
    launch_graphs,
    launch_import,
    launch_waiting,
    relaunch_query,
)

log = structlog.get_logger()

TIDY_EVERY_S = 300.0
TURN = "reconciler"
MAX_WAITING = 1_000
WRITTEN_OFF_AFTER_LEASES = 3
MAX_RESTART_S = MAX_END_S = MAX_REMOVE_S = 2.0
KEEP_DRAFTS_S = 3_600.0
"""The time for which drafts of finished queries are kept."""
GRACE_S = 30.0
"""A query that no worker has touched for this long after its deadline fails."""
UNREADABLE_LAUNCHES = 5
"""The number of launches after which a query that this program cannot read is given up; a newer program may be starting
up."""

_OVERDUE = "The query's deadline passed while no worker processed it."
_HOPELESS = "The query waited so long that it could not be finished within its deadline; no model was asked."
_UNREADABLE = "This version cannot read the query's stored options; ask again, or start the version that accepted it."


def reconcile(recovery: RecoverySettings) -> int:
    """Reconcile once; return the number of started items. Does nothing when another process is the leader.

    Postgres ends the leader's transaction if it is idle for too long (`admission.processes`). So other work during the
    transaction is limited in time, and the rest waits for the next run. Stalled queries come before overdue ones.
    """
    with reserved_connection():
        return _reconcile(recovery)


def _reconcile(recovery: RecoverySettings) -> int:
    with system_transaction() as session:
        if not try_leader_lock(session):
            return 0
        overdue = dict.fromkeys(admission.list_expired(session), _HOPELESS)
        overdue |= dict.fromkeys(budgets.list_overdue(session, GRACE_S), _OVERDUE)
        stalled = queries.list_stalled(session, lease_s=recovery.lease_s, stalled_s=recovery.stalled_s)
        stalled += _list_unqueued(session, recovery, stalled)
        over = {query.query_id for query in overdue}
        stalled = [query for query in stalled if query.query_id not in over]
        for query in _within(stalled, MAX_RESTART_S):
            # The broker is unreachable, and each further query would wait for it.
            if not _restart(query, recovery):
                break
        packed = imports.list_unstarted_imports(session, older_than_s=recovery.lease_s)
        imports.touch_imports(session, [import_id for import_id, _ in packed])
        for import_id in imports.list_unpacked_imports(session):
            imports.finish_import(session, import_id)
        for query in _within(list(overdue), MAX_END_S):
            _end_overdue(query.query_id, overdue[query])
        cancelled = batches.list_cancelling_batches(session)
        deleting = workspaces.list_deleting(session)
    for import_id, tenant_id in packed:
        with acting_for(tenant_id):
            launch_import(import_id)
    launch_graphs(older_than_s=recovery.lease_s)
    for batch_id, tenant_id in cancelled:
        # Some items at a time, so that other stalled work does not wait for the end of a large batch.
        with acting_for(tenant_id):
            for query_id in cancel_next_items(batch_id):
                notify_end(query_id)
    for workspace_id, tenant_id in deleting:
        with acting_for(tenant_id):
            remove_more(workspace_id, MAX_REMOVE_S, notify_end)
    return len(stalled) + len(packed) + _launch_admissible()


def _within(launches: Sequence[Launch], seconds: float) -> Iterator[Launch]:
    until = time.monotonic() + seconds
    for query in launches:
        with acting_for(query.tenant_id):
            yield query
        if time.monotonic() > until:
            return


def _list_unqueued(session: Session, recovery: RecoverySettings, known: Sequence[Launch]) -> list[Launch]:
    """Return queries without a worker and without a message, because the broker was emptied or a process died with the
    message.

    A long queue cannot be searched; then the time limit `recovery.stalled_s` decides.
    """
    # A backlog cannot be mistaken for a loss here, so one doubling of the wait is enough.
    patience_s = recovery.lease_s
    quiet = queries.list_stalled(session, lease_s=patience_s, stalled_s=patience_s, doublings=1, limit=MAX_WAITING)
    quiet = [query for query in quiet if query not in known]
    if not quiet:
        return []
    url, queues = settings().redis_url.get_secret_value(), [queue.value for queue in Queue]
    waiting = waiting_rows(url, queues, MAX_WAITING)
    return [] if waiting is None else [query for query in quiet if str(query.query_id) not in waiting]


def _launch_admissible() -> int:
    """Start the work that may run now. Normally the process that accepted or ended something has already done this
    (workers.starting.launch)."""
    try:
        return launch_waiting() + launch_documents()
    except NotPublished:
        return 0


def _restart(query: Launch, recovery: RecoverySettings) -> bool:
    if query.launch >= recovery.max_launches:
        _give_up(query.query_id, query.launch)
        return True
    METER.count(meter.QUERIES_RELAUNCHED)
    log.info("query_relaunched", query_id=str(query.query_id), launch=query.launch + 1)
    try:
        return relaunch_query(query.query_id, query.launch)
    except Unreadable:
        log.exception("query_unreadable", query_id=str(query.query_id))
        if query.launch >= UNREADABLE_LAUNCHES:
            _give_up(query.query_id, query.launch, _UNREADABLE)
    except Exception:
        # A single unexpected row must not keep all others from being started.
        log.exception("relaunch_failed", query_id=str(query.query_id))
    return True


def _give_up(query_id: uuid.UUID, launch: int, reason: str | None = None) -> None:
    reason = reason or f"The query stopped {launch} times without finishing a step; see the worker logs."
    with transaction() as session:
        finish(session, query_id, QueryStatus.FAILED, error={"code": "gave_up", "message": reason})
    notify_end(query_id)
    log.error("query_given_up", query_id=str(query_id), launches=launch)


def _end_overdue(query_id: uuid.UUID, reason: str) -> None:
    error = {"code": DEADLINE, "message": reason}
    try:
        with transaction() as session:
            wait_briefly(session)
            finish(session, query_id, QueryStatus.FAILED, error=error)
    except DatabaseUnavailable:
        # The row is locked; try again in the next run and continue with other work.
        log.warning("query_not_ended", query_id=str(query_id))
        return
    notify_end(query_id)
    log.warning("query_overdue", query_id=str(query_id))


def write_off(recovery: RecoverySettings) -> None:
    with system_transaction() as session:
        if count := write_off_calls(session, WRITTEN_OFF_AFTER_LEASES * recovery.lease_s):
            log.warning("calls_written_off", count=count)


def tidy() -> None:
    with system_transaction() as session:
        if try_leader_lock(session):
            delete_old_keys(session)
            if days := settings().access.keep_deeds_days:
                delete_old_deeds(session, days)
            drop_old_drafts(session, KEEP_DRAFTS_S)
            delete_dead_processes(session)
            fold_dead_meters(session)
            forget_keys(session)
    while True:
        with system_transaction() as session:
            if not try_leader_lock(session) or drop_old_replies(session, settings().models.keep_replies_s) < SWEEP:
                return


def erase_old_replies() -> None:
    """Erase old replies, unless the settings keep them forever (N6)."""
    keep_s = settings().audit.keep_replies_s
    while keep_s is not None:
        with system_transaction() as session:
            if not try_leader_lock(session) or audits.erase_old_replies(session, keep_s) < audits.ERASED_AT_A_TIME:
                return


def start_reconciler() -> None:
    recovery, written_off = settings().recovery, -inf
    tidied = time.monotonic()

    def look() -> None:
        nonlocal tidied, written_off
        reconcile(recovery)
        if time.monotonic() - written_off > recovery.lease_s:
            write_off(recovery)
            written_off = time.monotonic()
        if time.monotonic() - tidied > TIDY_EVERY_S:
            tidy()
            erase_old_replies()
            delete_loose()
            tidied = time.monotonic()

    Periodic("reconciler", recovery.check_s, lambda: look_in_turn(look, recovery), failed="reconcile_failed").start()


def look_in_turn(look: Callable[[], None], recovery: RecoverySettings) -> None:
    """Look if no other process has the turn. One that fails leaves the turn to the others."""
    if not process_notifier().takes_turn(TURN, recovery.check_s):
        return
    try:
        look()
    except Exception:
        # A process that cannot look would otherwise keep the turn from those that can.
        process_notifier().give_turn_up(TURN)
        raise
