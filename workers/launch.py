"""Starting work: after the commit, bounded in time, allowed to fail.

A start that could not be published is no loss: the row says that the work is unfinished, and the reconciler starts it.
"""

import uuid
from typing import Any

import structlog
from celery import Signature
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from config.settings import settings
from db.models import QueryKind
from db.queries import batches, graph_jobs, queries
from db.session import acting_for, current_tenant, reading, system_transaction, transaction
from domain.options import QueryOptions
from workers.celery_app import app
from workers.pipeline import Run, starting, verifying
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
        query = queries.get_query(session, query_id)
        options = QueryOptions(**query.options)
        is_given = query.kind == QueryKind.VERIFICATION
    if launch is None:
        return True
    run = Run(str(query_id), launch, query.round, current_tenant())
    try:
        (verifying(run) if is_given else starting(run, options)).apply_async(retry=False)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("query_not_published", query_id=str(query_id), error=type(error).__name__)
        with transaction() as session:
            queries.unlaunch(session, query_id, launch)
        return False
    return True


def advancing(batch_id: uuid.UUID) -> Signature[Any]:
    """The hint that an item of a batch has ended."""
    args = (str(batch_id), current_tenant())
    return app.signature("batch.advance", args=args, queue=Queue.MAINTENANCE.value, ignore_result=True)


def launch_waiting(batch_id: uuid.UUID) -> int:
    """Start as many items of a batch as may run beside those that do; return how many were published.

    Called whenever an item ends. A call that is lost is no loss: the reconciler makes it again.
    """
    with reading() as session:
        waiting = batches.next_items(session, batch_id, settings().verifying.batch_in_flight)
    published = 0
    for query_id, launch in waiting:
        if not relaunch_query(query_id, launch):
            break
        published += 1
    return published


def launch_ingestion(document_id: uuid.UUID) -> bool:
    """Start the ingestion of an accepted document; False when the broker could not be reached."""
    return _launch("document.ingest", Queue.INGESTION, document_id)


def launch_import(import_id: uuid.UUID) -> bool:
    """Start, or go on, to unpack an archive; False when the broker could not be reached."""
    return _launch("import.unpack", Queue.INGESTION, import_id)


def launch_graphs(older_than_s: float | None = None) -> int:
    """Start as many of the waiting graphs, of all tenants, as may be built beside those that are; return how many.

    Called whenever one is asked for and whenever one ends. A call that is lost is no loss: the reconciler makes it
    again, for those of `older_than_s`. Two that start the same one are none either: only one of them can claim it.
    """
    if settings().graph_extractor == "off":
        return 0
    with system_transaction() as session:
        waiting = graph_jobs.list_waiting_graphs(session, settings().graph.documents, older_than_s)
    started = 0
    for document_id, tenant_id in waiting:
        with acting_for(tenant_id):
            started += _launch("document.graph", Queue.GRAPH, document_id)
    return started


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
