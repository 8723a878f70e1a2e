"""Pool `verification`."""

from typing import Any

from celery import Signature

from domain.batches import batches, growing_batches
from domain.citations import plan_checks
from domain.outcomes import Assessed
from services import repairing, research, rounds, verification
from services.correction import conclude
from services.publishing import publish
from services.repairs import repair_item
from services.rewording import rewrite_question
from services.step import Outcome, StepContext, StepResult
from workers import pipeline
from workers.launch import advancing
from workers.step import Step, step_task
from workers.tasks.retrieval import go_on_searching

NOT_CHECKED: Outcome = {"status": "not_checked", "verdict": None}
NO_PLAN: Outcome = {"status": "fallback", "queries": []}
# What was found so far has to do; when that is nothing, the question itself is searched for.
NO_DECISION: Outcome = {"status": "fallback", "action": "answer", "queries": []}
NOT_SEARCHED: Outcome = {"status": "failed", "found": {}}
# A repair that broke says nothing about the documents: the statement stays, and its state says that it failed.
NOT_REPAIRED: Outcome = {"status": "kept", "keys": [], "text": None, "verdict": None}


def note_plan(context: StepContext) -> StepResult:
    """The plan follows from the draft alone, so there is nothing to store but that it was made."""
    return StepResult.single({"status": "done"})


def check_or_conclude(run: pipeline.Run, context: StepContext) -> Signature[Any]:
    """One call per cited statement, unless there is nothing to check or nobody wants it checked."""
    draft, options = context.draft, context.query.options
    if draft["status"] != "complete" or not options.verification:
        return pipeline.assessing(run) if run.round else pipeline.concluding(run)
    plan = plan_checks(draft["text"], len(context.selection["selected"]))
    return pipeline.checking(run, growing_batches([check.item for check in plan], options.check_batch))


def correct_or_finish(run: pipeline.Run, context: StepContext) -> Signature[Any]:
    """Another round, or the best one: repaired where it fails, then concluded."""
    assessed = Assessed(**context.outcomes["assess", ""])
    if assessed["decision"] == "correct":
        return pipeline.starting(run._replace(round=run.round + 1), context.query.options)
    best = run._replace(round=assessed["best"])
    kept = assessed if best == run else Assessed(**context.rounds[best.round]["assess", ""])
    if kept["failing"] and context.query.options.repair == "full":
        return pipeline.searching(best)
    return pipeline.concluding(best)


def repair_failing(run: pipeline.Run, context: StepContext) -> Signature[Any]:
    """A few statements per task; each climbs down the ladder by itself."""
    failing = Assessed(**context.outcomes["assess", ""])["failing"]
    items = [repair_item(index) for index in failing]
    return pipeline.repairing(run, batches(items, context.query.options.check_batch))


def go_on(run: pipeline.Run, context: StepContext) -> Signature[Any] | None:
    """The end of an item of a batch makes room for the next one."""
    batch_id = context.query.batch_id
    return advancing(batch_id) if batch_id else None


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
check_claims_task = step_task(Step("check_claims", "verifying", verification.check_claims, failed=NOT_CHECKED))
assess_task = step_task(Step("assess", "verifying", rounds.assess, then=correct_or_finish))
plan_queries_task = step_task(Step("plan_queries", "correcting", rounds.plan_queries, failed=NO_PLAN))
rewrite_question_task = step_task(Step("rewrite_question", "retrieving", rewrite_question, failed=NO_PLAN))
decide_search_task = step_task(
    Step("decide_search", "researching", research.decide_search, failed=NO_DECISION, then=go_on_searching)
)
search_evidence_task = step_task(
    Step("search_evidence", "repairing", repairing.search_evidence, failed=NOT_SEARCHED, then=repair_failing)
)
repair_statements_task = step_task(
    Step("repair_statements", "repairing", repairing.repair_statements, failed=NOT_REPAIRED)
)
recheck_answerability_task = step_task(
    Step("recheck_answerability", "repairing", repairing.recheck_answerability, failed=NOT_CHECKED)
)
conclude_task = step_task(Step("conclude", "concluding", conclude))
publish_task = step_task(Step("publish", "publishing", publish, then=go_on, ends=True))
