"""The reconciler: starts what was accepted but never started, and starts again what stopped.

It runs in every process that serves the maintenance queue; a Postgres advisory lock lets one of them work at a time.
No scheduler is needed for correctness.
"""

import threading
import uuid

import structlog
from sqlalchemy.exc import SQLAlchemyError

from config.settings import RecoverySettings, settings
from db.models import QueryStatus
from db.queries import documents, queries, records
from db.queries.locks import try_leader_lock
from db.session import transaction
from domain.errors import CitewellError
from workers.launch import launch_ingestion, relaunch_query

log = structlog.get_logger()

# A start is normally published within milliseconds of the commit.
PUBLISH_GRACE_S = 3.0


def reconcile(recovery: RecoverySettings) -> int:
    """Look once; return how many queries and documents were started again. Does nothing when another process leads."""
    with transaction() as session:
        if not try_leader_lock(session):
            return 0
        lost = queries.list_unpublished(session, PUBLISH_GRACE_S)
        lost += queries.list_stalled(session, lease_s=recovery.lease_s, stalled_s=recovery.stalled_s)
        for query_id, launch in lost:
            if launch >= recovery.max_launches:
                _give_up(query_id, launch)
            else:
                log.info("query_relaunched", query_id=str(query_id), launch=launch + 1)
                relaunch_query(query_id, launch)
        waiting = documents.list_unstarted_documents(session, older_than_s=recovery.lease_s)
        documents.touch_documents(session, waiting)
    for document_id in waiting:
        launch_ingestion(document_id)
    return len(lost) + len(waiting)


def _give_up(query_id: uuid.UUID, launch: int) -> None:
    reason = f"The query stopped {launch} times without finishing a step; see the worker logs."
    with transaction() as session:
        if queries.mark_finished(session, query_id, QueryStatus.FAILED, error={"code": "gave_up", "message": reason}):
            records.add_event(session, "failed", {"reason": reason}, query_id=query_id)
    log.error("query_given_up", query_id=str(query_id), launches=launch)


def start_reconciler() -> None:
    """Run `reconcile` every `recovery.check_s` seconds in a daemon thread."""
    threading.Thread(target=_run, name="reconciler", daemon=True).start()


def _run() -> None:
    pause, recovery = threading.Event(), settings().recovery
    while True:
        pause.wait(recovery.check_s)
        try:
            reconcile(recovery)
        except (CitewellError, SQLAlchemyError) as error:
            # Postgres is away or restarting: the next look will do.
            log.warning("reconcile_failed", error=type(error).__name__)
