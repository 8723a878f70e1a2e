"""Pool `reranking`."""

from typing import Any

from celery import Signature

from services.reranking import score_chunks, select
from services.step import StepContext
from workers import pipeline
from workers.step import Step, step_task


def draft_or_conclude(run: pipeline.Run, context: StepContext) -> Signature[Any]:
    """Write and extract side by side, unless there is nothing to write from; a research takes its notes before."""
    if context.selection["status"] == "selected":
        takes_notes = context.query.options.run == "multiagent" and not run.round
        return pipeline.noting(run) if takes_notes else pipeline.drafting(run)
    # An earlier round has an answer all the same.
    return pipeline.assessing(run) if run.round else pipeline.concluding(run)


score_chunks_task = step_task(
    Step(
        "score_chunks",
        "reranking",
        score_chunks,
        failed={"status": "unreadable", "score": None},
        reads=lambda context: [key for key, _ in context.retrieved["candidates"]],
    )
)
select_task = step_task(Step("select", "reranking", select, then=draft_or_conclude, derived=True))
