"""Pool `ingestion`."""

import uuid
from typing import Any

from celery import Task

from config.settings import settings
from db.session import acting_for
from domain.errors import DatabaseUnavailable
from services.ingestion import ingest
from workers.celery_app import app
from workers.launch import launch_graphs
from workers.runtime import leases, tools

# Below the visibility timeout: nobody else is given the message while this process may still work on it.
SOFT_LIMIT_S, HARD_LIMIT_S = 500, 540


@app.task(name="document.ingest", bind=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S)
def ingest_document(task: Task[Any, Any], document_id: str, tenant: int) -> None:
    """Read, split, embed and store one document."""
    try:
        with acting_for(tenant):
            graph = settings().graph_extractor != "off"
            ingest(uuid.UUID(document_id), tools().embedder, settings().ingestion, leases().hold, graph=graph)
        if graph:
            launch_graphs()
    except DatabaseUnavailable as error:
        raise task.retry(exc=error, countdown=5, max_retries=100) from error
