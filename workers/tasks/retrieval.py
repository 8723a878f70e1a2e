"""Pool `retrieval`."""

from typing import Any

from celery import Signature

from domain.batches import batches
from services.research import search
from services.retrieval import retrieve
from services.searches import next_turn
from services.step import StepContext
from workers import pipeline
from workers.step import Step, step_task


def spread_scoring(run: pipeline.Run, context: StepContext) -> Signature[Any]:
    """One reranking call per candidate, a few candidates per task."""
    keys = [str(key) for key, _ in context.retrieved["candidates"]]
    return pipeline.scoring(run, batches(keys, context.query.options.rerank_batch))


def go_on_searching(run: pipeline.Run, context: StepContext) -> Signature[Any]:
    """What comes next is read from what is there, so a turn that is delivered again repeats nothing."""
    what, turn = next_turn(context)
    if what == "gather":
        return pipeline.gathering(run)
    return pipeline.deciding(run, turn) if what == "decide" else pipeline.looking(run, turn)


search_task = step_task(
    Step("search", "researching", search, failed={"status": "failed", "searches": []}, then=go_on_searching)
)
retrieve_task = step_task(
    Step("retrieve", "retrieving", retrieve, failed={"status": "failed", "candidates": []}, then=spread_scoring)
)
