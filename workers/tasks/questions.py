"""The steps of a question, and the outcome of each step that fails; `workers.pipeline.STAGES` says which steps
follow."""

from domain.query.budget import NO_REPAIR
from services.core.context import Outcome, StepContext, StepResult
from services.correction import repair_steps, rounds
from services.correction.conclusion import conclude
from services.correction.object_filling import fill_object
from services.finishing.completion import publish
from services.generation.answer import extract_citations, generate
from services.graph.search import plan_graph
from services.queries.question_rewriting import restate_question, rewrite_question
from services.reporting.rows import passages_to_conclude
from services.retrieval import agentic_steps
from services.retrieval.agentic_steps import research_notes, search
from services.retrieval.candidates import retrieve
from services.retrieval.reranking import score_chunks, select
from services.verification import checks
from services.verification.checks import ALIGNMENT_CHUNKS
from services.verification.round_results import adopted_checks
from services.verification.streamed_checks import check_early
from workers.execution.executor import step_task, steps_task
from workers.execution.work import Step
from workers.pipeline import STAGES, WHOLE_CHECKS

NOT_CHECKED: Outcome = {"status": "not_checked", "verdict": None}
NO_QUERIES: Outcome = {"status": "fallback", "queries": []}


def _candidates(context: StepContext) -> list[int]:
    return [key for key, _ in context.retrieved["candidates"]]


def _selected_and_nearest(context: StepContext) -> list[int]:
    """Return the selected passages and the nearest ones, because the early checks, which run beside, need passages that
    were not selected, too."""
    return [*context.selection["selected"], *context.selection["ranked"][:ALIGNMENT_CHUNKS]]


def plan_checks(context: StepContext) -> StepResult:
    """Assign the early checks to the statements that they belong to."""
    adopted = adopted_checks(context) if context.draft["status"] == "complete" else {}
    outcomes = {("check_statements", item): checked for item, checked in adopted.items()}
    return StepResult({"": {"status": "done"}}, adopted=outcomes)


plan_graph_task = step_task("plan_graph", plan_graph, failed={"status": "fallback", "low_level": [], "high_level": []})
search_task = step_task("search", search, failed={"status": "failed", "searches": []})
retrieve_task = step_task("retrieve", retrieve, failed={"status": "failed", "candidates": []})
score_chunks_task = step_task(
    "score_chunks",
    score_chunks,
    failed={"status": "unreadable", "score": None},
    reads=_candidates,
)
select_task = step_task("select", select, derived=True)
research_notes_task = step_task(
    "research_notes", research_notes, failed={"status": "failed", "notes": [], "dropped": 0}
)
generate_task = step_task(
    "generate",
    generate,
    failed={"status": "failed", "text": "", "model": None},
    needed=True,
    fresh=True,
    reads=_selected_and_nearest,
)
extract_citations_task = step_task("extract_citations", extract_citations, failed={"status": "failed", "citations": []})
plan_checks_task = step_task("plan_checks", plan_checks, derived=True)
check_answer_task = steps_task(
    "check_answer",
    [
        Step(name, STAGES["check_answer"].shown, getattr(checks, name), failed=NOT_CHECKED, computes=True)
        for name in WHOLE_CHECKS
    ],
)
check_statements_task = step_task("check_statements", checks.check_statements, failed=NOT_CHECKED, computes=True)
check_early_task = step_task("check_early", check_early, failed=NOT_CHECKED)
assess_task = step_task("assess", rounds.assess, computes=True)
plan_queries_task = step_task("plan_queries", rounds.plan_queries, failed=NO_QUERIES)
restate_question_task = step_task("restate_question", restate_question, failed={"status": "fallback", "question": None})
rewrite_question_task = step_task("rewrite_question", rewrite_question, failed=NO_QUERIES)
decide_search_task = step_task(
    "decide_search",
    agentic_steps.decide_search,
    # The run continues with the results so far; without results it searches for the question itself.
    failed={**NO_QUERIES, "action": "answer"},
)
search_evidence_task = step_task(
    "search_evidence", repair_steps.search_evidence, failed={"status": "failed", "found": {}}, until=NO_REPAIR
)
repair_statements_task = step_task(
    "repair_statements",
    repair_steps.repair_statements,
    # A failed repair says nothing about the documents: the statement stays, and its state reports the failure.
    failed={"status": "kept", "keys": [], "text": None, "verdict": None},
    until=NO_REPAIR,
    computes=True,
)
recheck_answerability_task = step_task(
    "recheck_answerability",
    repair_steps.recheck_answerability,
    failed=NOT_CHECKED,
    until=NO_REPAIR,
    computes=True,
)
conclude_task = step_task("conclude", conclude, computes=True, fresh=True, reads=passages_to_conclude)
fill_object_task = step_task("fill_object", fill_object, failed={"status": "failed", "value": None, "values": []})
publish_task = step_task("publish", publish, ends=True, derived=True)
