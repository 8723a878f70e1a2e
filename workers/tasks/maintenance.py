"""Pool `maintenance`."""

import uuid
from typing import Any

from celery import Task

from db.models import QueryStatus
from db.queries import queries
from db.session import acting_for, transaction
from domain.errors import DatabaseUnavailable
from services.finishing import finish
from workers.celery_app import app
from workers.launch import launch_waiting
from workers.runtime import ring

REASON = "A step broke in a way that was not foreseen; the worker logs have the details."


@app.task(name="query.fail", bind=True)
def fail_query(task: Task[Any, Any], query_id: str, launch: int, round_: int, tenant: int) -> None:
    """The errback of every canvas: end the query with a reason, once."""
    try:
        with acting_for(tenant), transaction() as session:
            query = queries.find_current(session, query_id, launch)
            error = {"code": "step_broke", "message": REASON}
            if query is not None:
                event = {"reason": REASON, "round": round_}
                finish(session, query.id, QueryStatus.FAILED, error=error, event=event)
        if query is not None and query.batch_id is not None:
            with acting_for(tenant):
                launch_waiting(query.batch_id)
        ring(uuid.UUID(query_id))
    except DatabaseUnavailable as error:
        raise task.retry(exc=error, countdown=5, max_retries=100) from error


@app.task(name="batch.advance", bind=True)
def advance_batch(task: Task[Any, Any], batch_id: str, tenant: int) -> None:
    """A hint that an item of a batch has ended: start the next (N2)."""
    try:
        with acting_for(tenant):
            launch_waiting(uuid.UUID(batch_id))
    except DatabaseUnavailable as error:
        raise task.retry(exc=error, countdown=5, max_retries=100) from error
