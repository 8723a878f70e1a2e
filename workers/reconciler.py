"""The reconciler: starts what was accepted but never started, and starts again what stopped.

It runs in every process that serves the maintenance queue; a Postgres advisory lock lets one of them work at a time.
No scheduler is needed for correctness.
"""

import threading
import time
import uuid

import structlog

from config.settings import RecoverySettings, settings
from db.models import QueryStatus
from db.queries import batches, documents, imports, queries
from db.queries.events import drop_old_drafts
from db.queries.idempotency import forget_old_keys
from db.queries.locks import try_leader_lock
from db.queries.queries import Launch
from db.session import acting_for, system_transaction, transaction
from domain.errors import CitewellError
from services.batches import cancel_more
from services.finishing import finish
from workers.launch import launch_graphs, launch_import, launch_ingestion, launch_waiting, relaunch_query
from workers.runtime import ring

log = structlog.get_logger()

# A start is normally published within milliseconds of the commit.
PUBLISH_GRACE_S = 3.0
TIDY_EVERY_S = 300.0


def reconcile(recovery: RecoverySettings) -> int:
    """Look once; return how much was started. Does nothing when another process leads."""
    with system_transaction() as session:
        if not try_leader_lock(session):
            return 0
        lost = queries.list_unpublished(session, PUBLISH_GRACE_S)
        lost += queries.list_stalled(session, lease_s=recovery.lease_s, stalled_s=recovery.stalled_s)
        for query in lost:
            with acting_for(query.tenant_id):
                _start_again(query, recovery)
        waiting = documents.list_unstarted_documents(session, older_than_s=recovery.lease_s)
        documents.touch_documents(session, [document_id for document_id, _ in waiting])
        packed = imports.list_unstarted_imports(session, older_than_s=recovery.lease_s)
        imports.touch_imports(session, [import_id for import_id, _ in packed])
        for import_id in imports.list_unpacked_imports(session):
            imports.settle_import(session, import_id)
        queued = batches.list_waiting_batches(session, settings().verifying.batch_in_flight)
        cancelled = batches.list_cancelling_batches(session)
    for document_id, tenant_id in waiting:
        with acting_for(tenant_id):
            launch_ingestion(document_id)
    for import_id, tenant_id in packed:
        with acting_for(tenant_id):
            launch_import(import_id)
    launch_graphs(older_than_s=recovery.lease_s)
    for batch_id, tenant_id in cancelled:
        _go_on_cancelling(batch_id, tenant_id)
    return len(lost) + len(waiting) + len(packed) + sum(_advance(batch_id, tenant_id) for batch_id, tenant_id in queued)


def _go_on_cancelling(batch_id: uuid.UUID, tenant_id: int) -> None:
    # Some at a time: what else was lost should not wait for the end of a large batch.
    with acting_for(tenant_id):
        for query_id in cancel_more(batch_id):
            ring(query_id)


def _advance(batch_id: uuid.UUID, tenant_id: int) -> int:
    with acting_for(tenant_id):
        return launch_waiting(batch_id)


def _start_again(query: Launch, recovery: RecoverySettings) -> None:
    if query.launch >= recovery.max_launches:
        _give_up(query.query_id, query.launch)
    else:
        log.info("query_relaunched", query_id=str(query.query_id), launch=query.launch + 1)
        relaunch_query(query.query_id, query.launch)


def _give_up(query_id: uuid.UUID, launch: int) -> None:
    reason = f"The query stopped {launch} times without finishing a step; see the worker logs."
    with transaction() as session:
        finish(session, query_id, QueryStatus.FAILED, error={"code": "gave_up", "message": reason})
    ring(query_id)
    log.error("query_given_up", query_id=str(query_id), launches=launch)


def tidy() -> None:
    """Forget what nobody can ask for any more: old drafts, Idempotency-Keys of yesterday."""
    with system_transaction() as session:
        if try_leader_lock(session):
            forget_old_keys(session)
            drop_old_drafts(session, settings().stream.keep_drafts_s)


def start_reconciler() -> None:
    """Run `reconcile` every `recovery.check_s` seconds in a daemon thread."""
    threading.Thread(target=_run, name="reconciler", daemon=True).start()


def _run() -> None:
    pause, recovery, tidied = threading.Event(), settings().recovery, time.monotonic()
    while True:
        pause.wait(recovery.check_s)
        try:
            reconcile(recovery)
            if time.monotonic() - tidied > TIDY_EVERY_S:
                tidy()
                tidied = time.monotonic()
        except CitewellError as error:
            # Postgres is away or restarting: the next look will do.
            log.warning("reconcile_failed", error=type(error).__name__)
        except Exception:
            # Nobody would start this thread again.
            log.exception("reconcile_failed")
