"""Pool `verification`."""

from domain.query.budget import NO_REPAIR
from services.core.context import Outcome, StepContext, StepResult
from services.correction import repair_steps, rounds
from services.correction.conclusion import conclude
from services.correction.object_filling import fill_object
from services.finishing.completion import publish
from services.queries.question_rewriting import restate_question, rewrite_question
from services.reporting.rows import passages_to_conclude
from services.retrieval import agentic_steps
from services.verification import checks
from services.verification.round_results import adopted_checks
from services.verification.streamed_checks import check_early
from workers import pipeline
from workers.execution.step_tasks import Step, define_step, step_task, steps_task
from workers.pipeline import STAGES

NOT_CHECKED: Outcome = {"status": "not_checked", "verdict": None}
NOT_RESTATED: Outcome = {"status": "fallback", "question": None}
NO_PLAN: Outcome = {"status": "fallback", "queries": []}
# The run continues with the results so far; without any, it searches for the question itself.
NO_DECISION: Outcome = {"status": "fallback", "action": "answer", "queries": []}
NOT_SEARCHED: Outcome = {"status": "failed", "found": {}}
# A failed repair says nothing about the documents: the statement stays, and its state reports the failure.
NOT_REPAIRED: Outcome = {"status": "kept", "keys": [], "text": None, "verdict": None}

NOT_FILLED: Outcome = {"status": "failed", "value": None, "values": []}


def plan_checks(context: StepContext) -> StepResult:
    """Take over the early checks, under the statements that they belong to."""
    adopted = adopted_checks(context) if context.draft["status"] == "complete" else {}
    outcomes = {("check_statements", item): checked for item, checked in adopted.items()}
    return StepResult({"": {"status": "done"}}, adopted=outcomes)


plan_checks_task = step_task(define_step("plan_checks", plan_checks, derived=True))
WHOLE_CHECKS = tuple(
    Step(name, STAGES["check_answer"].shown, getattr(checks, name), failed=NOT_CHECKED, computes=True)
    for name in pipeline.WHOLE_CHECKS
)
check_answer_task = steps_task("check_answer", WHOLE_CHECKS)
check_statements_task = step_task(
    define_step("check_statements", checks.check_statements, failed=NOT_CHECKED, computes=True)
)
check_early_task = step_task(define_step("check_early", check_early, failed=NOT_CHECKED))
assess_task = step_task(define_step("assess", rounds.assess, computes=True))
plan_queries_task = step_task(define_step("plan_queries", rounds.plan_queries, failed=NO_PLAN))
restate_question_task = step_task(define_step("restate_question", restate_question, failed=NOT_RESTATED))
rewrite_question_task = step_task(define_step("rewrite_question", rewrite_question, failed=NO_PLAN))
decide_search_task = step_task(define_step("decide_search", agentic_steps.decide_search, failed=NO_DECISION))
search_evidence_task = step_task(
    define_step("search_evidence", repair_steps.search_evidence, failed=NOT_SEARCHED, until=NO_REPAIR)
)
repair_statements_task = step_task(
    define_step(
        "repair_statements", repair_steps.repair_statements, failed=NOT_REPAIRED, until=NO_REPAIR, computes=True
    )
)
recheck_answerability_task = step_task(
    define_step(
        "recheck_answerability",
        repair_steps.recheck_answerability,
        failed=NOT_CHECKED,
        until=NO_REPAIR,
        computes=True,
    )
)
conclude_task = step_task(define_step("conclude", conclude, computes=True, fresh=True, reads=passages_to_conclude))
fill_object_task = step_task(define_step("fill_object", fill_object, failed=NOT_FILLED))
publish_task = step_task(define_step("publish", publish, ends=True, derived=True))
