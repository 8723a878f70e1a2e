"""Runs steps over long texts in a child process, so that this process keeps serving everything else.

Small steps run here, without extra cost. Large ones run in a child (workers.processes.children), which is killed at the
deadline of its query, when its step is stopped, or when this process ends, whatever it computes.
"""

import asyncio
import time
import uuid

import structlog

from citewell_verify.errors import CitewellError
from clients.notifications import notify_end
from db.models import QueryStatus
from db.session import transaction
from domain.query.budget import DEADLINE
from services.core.context import StepContext, StepResult
from services.finishing.completion import finish
from workers.execution.work import Step
from workers.processes.children import Children
from workers.processes.runtime import once

log = structlog.get_logger()

LARGE_CHARS = 60_000
"""Size of an answer and its sources together; below it a step takes seconds at most."""
LARGE_PRODUCT = 60_000_000
"""Characters of the answer times characters of its sources, because each statement is compared with all sources."""
CONCLUSION_SHARE, _MAX_CONCLUSION_S = 0.15, 30.0
"""The share of a query's time reserved for the conclusion, up to a maximum in seconds."""
_GRACE_S = 1.0
"""Time for the conclusion after the deadline; then the query fails."""
_PASSAGE_CHARS = 2_000


class OutOfTime(CitewellError):
    """The query's time ran out while a long text was processed."""


@once
def children() -> Children:
    return Children()


def is_large(context: StepContext) -> bool:
    """Whether a step over the query's answer may compute for long, judged by what is already loaded."""
    draft, selection = context.outcome("generate"), context.outcome("select")
    if not draft or not selection:
        return False
    answer = len(draft["text"])
    if not context.query.is_external:
        # Each sentence is compared with only a few short passages.
        return answer + _PASSAGE_CHARS * len(selection["selected"]) > LARGE_CHARS + _PASSAGE_CHARS * 50
    sources = sum(source["characters"] for source in selection["sources"])
    return answer + sources > LARGE_CHARS or answer * sources > LARGE_PRODUCT


async def run_in_child(step: Step, context: StepContext) -> StepResult:
    """Return the step's result. When time runs out, raise OutOfTime, or end the query if the step must not fail.

    Raises the errors of `Children.work`. Cancellation kills the child.
    """
    time_left = asyncio.timeout(_left_s(step, context))
    try:
        async with time_left:
            return await children().work(step.body, context)
    except TimeoutError:
        if not time_left.expired():
            raise
        if step.failed is not None:
            raise OutOfTime from None
    await asyncio.to_thread(_fail, context.query.id)
    return StepResult({})


def _left_s(step: Step, context: StepContext) -> float | None:
    ends_at, deadline_s = context.log.terms.ends_at, context.budget.deadline_s
    if ends_at is None:
        return None
    left_s = ends_at - time.monotonic()
    if step.failed is None:
        return left_s + _GRACE_S
    return None if deadline_s is None else max(0.0, left_s - min(CONCLUSION_SHARE * deadline_s, _MAX_CONCLUSION_S))


def _fail(query_id: uuid.UUID) -> None:
    with transaction() as session:
        finish(session, query_id, QueryStatus.FAILED, error={"code": DEADLINE, "message": OutOfTime().message})
    log.warning("query_out_of_time", query_id=str(query_id))
    notify_end(query_id)
