"""Pool `graph`, and the step that plans a search in the graph (S5.1)."""

import uuid
from typing import Any

import structlog
from celery import Task

from config.settings import settings
from db.session import acting_for
from domain.errors import DatabaseUnavailable
from services.core.context import Outcome
from services.documents.graph_building import Builder, build_graph
from services.graph.planning import plan_graph
from workers.celery_app import app
from workers.execution.step_tasks import define_step, step_task
from workers.processes.runtime import leases, run, tools
from workers.starting.launch import launch_graphs

NOT_PLANNED: Outcome = {"status": "fallback", "low_level": [], "high_level": []}

plan_graph_task = step_task(define_step("plan_graph", plan_graph, failed=NOT_PLANNED))


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


def _builder() -> Builder:
    models = tools().models if settings().graph_extractor == "model" else None
    return Builder(models, tools().embedder, settings().graph, settings().models.catalogue, run)
