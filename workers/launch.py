"""Starting work: after the commit, bounded in time, allowed to fail.

A start that could not be published is no loss: the row says that the work is unfinished, and the reconciler starts it.
"""

import uuid

import structlog
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from db.queries import queries
from db.session import current_tenant, transaction
from workers.celery_app import app
from workers.pipeline import Run, starting
from workers.queues import Queue

log = structlog.get_logger()


def launch_query(query_id: uuid.UUID) -> bool:
    """Start an accepted query; False when the broker could not be reached."""
    with transaction() as session:
        seen = queries.get_query(session, query_id).launch
    return relaunch_query(query_id, seen)


def relaunch_query(query_id: uuid.UUID, seen_launch: int) -> bool:
    """Start a query again from its first unfinished step, unless somebody else did since `seen_launch` was read."""
    with transaction() as session:
        launch = queries.mark_launched(session, query_id, seen_launch)
        round_ = queries.get_query(session, query_id).round
    if launch is None:
        return True
    try:
        starting(Run(str(query_id), launch, round_, current_tenant())).apply_async(retry=False)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("query_not_published", query_id=str(query_id), error=type(error).__name__)
        with transaction() as session:
            queries.unlaunch(session, query_id, launch)
        return False
    return True


def launch_ingestion(document_id: uuid.UUID) -> bool:
    """Start the ingestion of an accepted document; False when the broker could not be reached."""
    return _launch("document.ingest", Queue.INGESTION, document_id)


def launch_delivery(delivery_id: uuid.UUID) -> bool:
    """Start a delivery of a webhook; False when the broker could not be reached."""
    return _launch("webhook.deliver", Queue.WEBHOOKS, delivery_id)


def _launch(name: str, queue: Queue, row_id: uuid.UUID) -> bool:
    args = (str(row_id), current_tenant())
    task = app.signature(name, args=args, queue=queue.value, ignore_result=True)
    try:
        task.apply_async(retry=False)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("task_not_published", task=name, id=str(row_id), error=type(error).__name__)
        return False
    return True
