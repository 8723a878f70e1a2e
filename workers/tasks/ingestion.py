"""Reads documents, and builds their knowledge graph (S5.1): pools `ingestion` and `graph`."""

import uuid
from typing import Any

import structlog
from celery import Task

from config.settings import settings
from db.session import acting_for
from domain.errors.service import DatabaseUnavailable, EmbeddingUnavailable, OriginalUnavailable, SecretUnreadable
from services.core.model_choice import current_settings
from services.documents.graph_building import Builder, build_graph
from services.documents.ingestion import ingest
from services.documents.unpacking import unpack
from workers.celery_app import app
from workers.processes.runtime import leases, run, tools, tools_of
from workers.starting.launch import launch_graphs, launch_import, launcher

# The most time for which a document occupies a process.
SOFT_LIMIT_S, HARD_LIMIT_S = 500, 540


@app.task(name="document.ingest", bind=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S)
def ingest_document(task: Task[Any, Any], document_id: str, tenant: int) -> None:
    """Read, split, embed and store one document."""
    try:
        with acting_for(tenant), structlog.contextvars.bound_contextvars(document_id=document_id):
            graph = settings().graph_extractor != "off"
            ingest(
                uuid.UUID(document_id),
                tools().embedder,
                settings().ingestion,
                leases().hold,
                graph=graph,
                lease_s=settings().recovery.lease_s,
                price=settings().embeddings.price,
            )
        launcher().documents()
        if graph:
            launch_graphs()
    except (DatabaseUnavailable, EmbeddingUnavailable, OriginalUnavailable) as error:
        raise task.retry(exc=error, countdown=5, max_retries=100) from error


@app.task(name="import.unpack", bind=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S)
def unpack_import(task: Task[Any, Any], import_id: str, tenant: int) -> None:
    """Turn files of an archive into documents for a limited time; the rest is queued after other work."""
    try:
        with acting_for(tenant), structlog.contextvars.bound_contextvars(import_id=import_id):
            if unpack(uuid.UUID(import_id), settings(), leases().hold, lambda _: launcher().documents()):
                launch_import(uuid.UUID(import_id))
    except (DatabaseUnavailable, OriginalUnavailable) as error:
        raise task.retry(exc=error, countdown=5, max_retries=100) from error


@app.task(name="document.graph", bind=True)
def build_document_graph(task: Task[Any, Any], document_id: str, tenant: int) -> None:
    """Build the knowledge graph of one document, and start the next ones."""
    try:
        with acting_for(tenant), structlog.contextvars.bound_contextvars(document_id=document_id):
            built = build_graph(uuid.UUID(document_id), _builder(), leases().hold)
        if built:
            launch_graphs()
    except DatabaseUnavailable as error:
        raise task.retry(exc=error, countdown=5, max_retries=100) from error


def _builder() -> Builder | SecretUnreadable:
    configured = settings()
    try:
        # The local extractor reads names and sentences alone and needs no key.
        chosen = configured if configured.graph.extractor == "local" else current_settings()
        models = tools_of(chosen.model_choice).models if chosen.graph_extractor == "model" else None
    except SecretUnreadable as error:
        return error
    return Builder(models, tools().embedder, configured.graph, chosen.models.catalogue, run)
