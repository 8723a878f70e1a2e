"""Pool `verification`."""

from typing import Any

from celery import Signature

from domain.batches import growing_batches
from domain.citations import plan_checks
from services import verification
from services.correction import conclude
from services.publishing import publish
from services.step import Outcome, StepContext, StepResult
from workers import pipeline
from workers.step import Step, step_task

NOT_CHECKED: Outcome = {"status": "not_checked", "verdict": None}


def note_plan(context: StepContext) -> StepResult:
    """The plan follows from the draft alone, so there is nothing to store but that it was made."""
    return StepResult.single({"status": "done"})


def check_or_conclude(run: pipeline.Run, context: StepContext) -> Signature[Any]:
    """One call per cited statement, unless there is nothing to check or nobody wants it checked."""
    draft, options = context.draft, context.query.options
    if draft["status"] != "complete" or not options.verification:
        return pipeline.concluding(run)
    plan = plan_checks(draft["text"], len(context.selection["selected"]))
    return pipeline.checking(run, growing_batches([check.item for check in plan], options.check_batch))


plan_checks_task = step_task(Step("plan_checks", "verifying", note_plan, then=check_or_conclude))
check_alignment_task = step_task(Step("check_alignment", "verifying", verification.check_alignment, failed=NOT_CHECKED))
check_coverage_task = step_task(Step("check_coverage", "verifying", verification.check_coverage, failed=NOT_CHECKED))
check_facts_task = step_task(Step("check_facts", "verifying", verification.check_facts, failed=NOT_CHECKED))
check_answerability_task = step_task(
    Step("check_answerability", "verifying", verification.check_answerability, failed=NOT_CHECKED)
)
check_statements_task = step_task(
    Step("check_statements", "verifying", verification.check_statements, failed=NOT_CHECKED)
)
conclude_task = step_task(Step("conclude", "concluding", conclude))
publish_task = step_task(Step("publish", "publishing", publish))
