"""Pool `ingestion`."""

import uuid
from typing import Any

from celery import Task

from config.settings import settings
from domain.errors import DatabaseUnavailable
from services.ingestion import ingest
from workers.celery_app import app
from workers.runtime import tools


@app.task(name="document.ingest", bind=True)
def ingest_document(task: Task[Any, Any], document_id: str) -> None:
    """Read, split, embed and store one document."""
    try:
        ingest(uuid.UUID(document_id), tools().embedder, settings().ingestion)
    except DatabaseUnavailable as error:
        raise task.retry(exc=error, countdown=5, max_retries=100) from error
