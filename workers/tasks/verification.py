"""Pool `verification`."""

from typing import Any

from celery import Signature
from sqlalchemy.orm import Session

from db.queries.early import adopt_outcomes
from domain.batches import batches, growing_batches, roomy
from domain.budget import NO_REPAIR
from domain.outcomes import Assessed
from services import repairing, research, rounds, verification
from services.checking_early import check_early
from services.correction import conclude
from services.early import adopted_checks, unchecked_items
from services.publishing import publish
from services.repairs import passages_to_conclude, repair_item
from services.restating import restate_question
from services.rewording import rewrite_question
from services.step import Outcome, StepContext, StepResult
from workers import pipeline
from workers.step import Step, step_task, steps_task
from workers.tasks.retrieval import go_on_searching

NOT_CHECKED: Outcome = {"status": "not_checked", "verdict": None}
NOT_RESTATED: Outcome = {"status": "fallback", "question": None}
NO_PLAN: Outcome = {"status": "fallback", "queries": []}
# What was found so far has to do; when that is nothing, the question itself is searched for.
NO_DECISION: Outcome = {"status": "fallback", "action": "answer", "queries": []}
NOT_SEARCHED: Outcome = {"status": "failed", "found": {}}
# A repair that broke says nothing about the documents: the statement stays, and its state says that it failed.
NOT_REPAIRED: Outcome = {"status": "kept", "keys": [], "text": None, "verdict": None}


def plan_checks(context: StepContext) -> StepResult:
    """The plan follows from the draft alone. What was checked while it was written is stored as what it is part of."""
    adopted = adopted_checks(context) if context.draft["status"] == "complete" else {}

    def save(session: Session) -> None:
        adopt_outcomes(session, context.query.id, context.round, "check_statements", adopted)

    return StepResult.single({"status": "done"}, save if adopted else None)


def check_or_conclude(run: pipeline.Run, context: StepContext) -> Signature[Any]:
    """What is not checked yet, unless there is nothing to check or nobody wants it checked.

    After generation only a launch that was interrupted has anything left: `generate` adds all checks to its own chord.
    """
    draft, options = context.draft, context.query.options
    if draft["status"] != "complete" or not options.verification:
        return pipeline.assessing(run) if run.round else pipeline.concluding(run)
    left = unchecked_items(context)
    if not left and all(context.outcome(check.name) for check in WHOLE_CHECKS):
        return pipeline.assessing(run)
    # A first batch of one has an early verdict, and nobody to share a call with.
    spread = batches if options.shares_calls else growing_batches
    return pipeline.checking(run, spread(left, roomy(len(left), options.check_batch)))


def correct_or_finish(run: pipeline.Run, context: StepContext) -> Signature[Any]:
    """Another round, or the best one: repaired where it fails, then concluded."""
    assessed = Assessed(**context.outcomes["assess", ""])
    if assessed["decision"] == "correct":
        return pipeline.starting(run._replace(round=run.round + 1), context.query.options)
    best = run._replace(round=assessed["best"])
    kept = assessed if best == run else Assessed(**context.rounds[best.round]["assess", ""])
    if kept["failing"] and context.query.options.repair == "full" and assessed.get("repairs", True):
        return pipeline.searching(best)
    return pipeline.concluding(best)


def repair_failing(run: pipeline.Run, context: StepContext) -> Signature[Any]:
    """A few statements per task; each climbs down the ladder by itself."""
    failing = Assessed(**context.outcomes["assess", ""])["failing"]
    items = [repair_item(index) for index in failing]
    return pipeline.repairing(run, batches(items, roomy(len(items), context.query.options.check_batch)))


def read_off(_: StepContext) -> StepResult:
    """Nothing is left to do for what follows from the checks of the statements."""
    return StepResult.single({"status": "done"})


plan_checks_task = step_task(Step("plan_checks", "verifying", plan_checks, then=check_or_conclude, derived=True))
WHOLE_CHECKS = tuple(
    Step(body.__name__, "verifying", body, failed=NOT_CHECKED, computes=True)
    for body in (
        # The one that sees most comes first: what it loads is there for the others.
        verification.check_answerability,
        verification.check_alignment,
        verification.check_coverage,
    )
)
"""What is asked about the answer as a whole."""
check_answer_task = steps_task("check_answer", WHOLE_CHECKS)
# A query that was begun before they were one message has one for each of them, and for two that are read off the
# checks of the statements by now.
single_check_tasks = [
    step_task(check)
    for check in (*WHOLE_CHECKS, *(Step(name, "verifying", read_off) for name in ("check_facts", "check_claims")))
]
check_statements_task = step_task(
    Step("check_statements", "verifying", verification.check_statements, failed=NOT_CHECKED, computes=True)
)
check_early_task = step_task(Step("check_early", None, check_early, failed=NOT_CHECKED))
assess_task = step_task(Step("assess", "verifying", rounds.assess, then=correct_or_finish, computes=True))
plan_queries_task = step_task(Step("plan_queries", "correcting", rounds.plan_queries, failed=NO_PLAN))
restate_question_task = step_task(Step("restate_question", "retrieving", restate_question, failed=NOT_RESTATED))
rewrite_question_task = step_task(Step("rewrite_question", "retrieving", rewrite_question, failed=NO_PLAN))
decide_search_task = step_task(
    Step("decide_search", "researching", research.decide_search, failed=NO_DECISION, then=go_on_searching)
)
search_evidence_task = step_task(
    Step(
        "search_evidence",
        "repairing",
        repairing.search_evidence,
        failed=NOT_SEARCHED,
        then=repair_failing,
        until=NO_REPAIR,
    )
)
repair_statements_task = step_task(
    Step(
        "repair_statements",
        "repairing",
        repairing.repair_statements,
        failed=NOT_REPAIRED,
        until=NO_REPAIR,
        computes=True,
    )
)
recheck_answerability_task = step_task(
    Step(
        "recheck_answerability",
        "repairing",
        repairing.recheck_answerability,
        failed=NOT_CHECKED,
        until=NO_REPAIR,
        computes=True,
    )
)
conclude_task = step_task(
    Step("conclude", "concluding", conclude, computes=True, fresh=True, reads=passages_to_conclude)
)
publish_task = step_task(Step("publish", "publishing", publish, ends=True, derived=True))
