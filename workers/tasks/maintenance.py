"""Pool `maintenance`."""

import uuid
from typing import Any

import structlog
from celery import Task

from db.models import QueryStatus
from db.queries.runs import queries, steps
from db.session import acting_for, transaction
from domain.errors import DatabaseUnavailable
from services.finishing.completion import finish
from workers.celery_app import app
from workers.processes.notifying import notify_end

log = structlog.get_logger()

REASON = "A step failed unexpectedly; the worker logs have the details."


@app.task(name="query.fail", bind=True)
def fail_query(task: Task[Any, Any], query_id: str, launch: int, round_: int, tenant: int) -> None:
    """The errback of every canvas: end the query with a reason, once."""
    try:
        with acting_for(tenant), transaction() as session:
            query = queries.find_current(session, query_id, launch)
            error = {"code": "step_broke", "message": REASON}
            if query is not None and not steps.is_claimed(session, query.id):
                # All steps finished: publishing the next one failed because of the broker. The reconciler restarts the
                # query, a limited number of times.
                log.warning("not_failed", query_id=query_id)
                return
            if query is not None:
                event = {"reason": REASON, "round": round_}
                finish(session, query.id, QueryStatus.FAILED, error=error, event=event)
        notify_end(uuid.UUID(query_id))
    except DatabaseUnavailable as error:
        raise task.retry(exc=error, countdown=5, max_retries=100) from error
