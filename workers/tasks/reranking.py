"""Pool `reranking`."""

from services.core.context import StepContext
from services.retrieval.reranking import score_chunks, select
from workers.execution.step_tasks import define_step, step_task


def _candidates(context: StepContext) -> list[int]:
    return [key for key, _ in context.retrieved["candidates"]]


score_chunks_task = step_task(
    define_step("score_chunks", score_chunks, failed={"status": "unreadable", "score": None}, reads=_candidates)
)
select_task = step_task(define_step("select", select, derived=True))
