"""Pool `retrieval`."""

from typing import Any

from celery import Signature

from domain.batches import batches
from services.retrieval import retrieve
from services.step import StepContext
from workers import pipeline
from workers.step import Step, step_task


def spread_scoring(run: pipeline.Run, context: StepContext) -> Signature[Any]:
    """One reranking call per candidate, a few candidates per task."""
    keys = [str(key) for key, _ in context.retrieved["candidates"]]
    return pipeline.scoring(run, batches(keys, context.query.options.rerank_batch))


retrieve_task = step_task(
    Step("retrieve", "retrieving", retrieve, failed={"status": "failed", "candidates": []}, then=spread_scoring)
)
