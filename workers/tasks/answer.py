"""From a question to a draft with its citations: pools `retrieval`, `graph`, `reranking`, `citations`, `generation`."""

from services.core.context import Outcome, StepContext
from services.generation.answer import extract_citations, generate
from services.graph.planning import plan_graph
from services.retrieval.agentic_steps import research_notes, search
from services.retrieval.candidates import retrieve
from services.retrieval.reranking import score_chunks, select
from services.verification.checks import ALIGNMENT_CHUNKS
from workers.execution.step_tasks import define_step, step_task


def _candidates(context: StepContext) -> list[int]:
    return [key for key, _ in context.retrieved["candidates"]]


def _read_while_checked(context: StepContext) -> list[int]:
    return [*context.selection["selected"], *context.selection["ranked"][:ALIGNMENT_CHUNKS]]


NOT_PLANNED: Outcome = {"status": "fallback", "low_level": [], "high_level": []}

plan_graph_task = step_task(define_step("plan_graph", plan_graph, failed=NOT_PLANNED))
search_task = step_task(define_step("search", search, failed={"status": "failed", "searches": []}))
retrieve_task = step_task(define_step("retrieve", retrieve, failed={"status": "failed", "candidates": []}))
score_chunks_task = step_task(
    define_step("score_chunks", score_chunks, failed={"status": "unreadable", "score": None}, reads=_candidates)
)
select_task = step_task(define_step("select", select, derived=True))
research_notes_task = step_task(
    define_step("research_notes", research_notes, failed={"status": "failed", "notes": [], "dropped": 0})
)
generate_task = step_task(
    define_step(
        "generate",
        generate,
        failed={"status": "failed", "text": "", "model": None},
        needed=True,
        fresh=True,
        reads=_read_while_checked,
    )
)
extract_citations_task = step_task(
    define_step("extract_citations", extract_citations, failed={"status": "failed", "citations": []})
)
