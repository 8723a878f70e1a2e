"""Runs steps over long texts in a child process, so that this process keeps serving everything else.

Small steps run here, without extra cost. Large ones run in a child (workers.processes.children), which is killed at the
deadline of its query, when the result is no longer needed, or when this process ends. So a deadline, a cancellation or
a SIGTERM takes effect within a second, whatever the step computes.
"""

import asyncio
import time
import uuid

import structlog

from db.models import QueryStatus
from db.queries.runs.queries import has_ended
from db.session import transaction
from domain.errors import CitewellError, DatabaseUnavailable
from domain.query.budget import DEADLINE
from services.core.context import StepContext, StepResult
from services.finishing.completion import finish
from workers.execution.work import Step
from workers.processes.children import Children
from workers.processes.notifying import notify_end
from workers.processes.once import once

log = structlog.get_logger()

LARGE_CHARS = 60_000
"""Size of an answer and its sources together; below it a step takes seconds at most."""
LARGE_PRODUCT = 60_000_000
"""Characters of the answer times characters of its sources, because each statement is compared with all sources."""
CONCLUSION_SHARE = 0.15
"""The share of a query's time reserved for the conclusion, up to a maximum in seconds."""
_MAX_CONCLUSION_S = 30.0
_GRACE_S = 1.0
"""Time for the conclusion after the deadline; then the query fails."""
_POLL_S = 1.0
_PASSAGE_CHARS = 2_000


class OutOfTime(CitewellError):
    """The query's time ran out while a long text was processed."""


@once
def children() -> Children:
    return Children()


def runs_in_child(step: Step, context: StepContext) -> bool:
    return step.computes and is_large(context)


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
    """Return the step's result from a child, without values if the query ended meanwhile. Raises OutOfTime and the
    errors of `Children.work`."""
    work = asyncio.ensure_future(children().work(step.body, context))
    ended = asyncio.ensure_future(_until_ended(context.query.id, context.log.terms.ends_at))
    try:
        await asyncio.wait({work, ended}, timeout=_left_s(step, context), return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return work.result()
        if ended.done():
            ended.result()
            return StepResult({})
        raise OutOfTime
    finally:
        ended.cancel()
        # This kills the child.
        work.cancel()
        await asyncio.gather(work, ended, return_exceptions=True)


def _left_s(step: Step, context: StepContext) -> float | None:
    ends_at, deadline_s = context.log.terms.ends_at, context.budget.deadline_s
    if ends_at is None or deadline_s is None or step.failed is None:
        return None
    kept_s = min(CONCLUSION_SHARE * deadline_s, _MAX_CONCLUSION_S)
    return max(0.0, ends_at - kept_s - time.monotonic())


async def _until_ended(query_id: uuid.UUID, ends_at: float | None) -> None:
    """Return when the query was concluded or cancelled, or when its time is over and it was failed here."""
    last = None if ends_at is None else ends_at + _GRACE_S
    while True:
        is_late = last is not None and time.monotonic() >= last
        if await asyncio.to_thread(_has_ended, query_id, is_late=is_late):
            return
        await asyncio.sleep(_POLL_S if last is None else min(_POLL_S, max(last - time.monotonic(), 0.05)))


def _has_ended(query_id: uuid.UUID, *, is_late: bool) -> bool:
    try:
        with transaction() as session:
            if has_ended(session, query_id):
                return True
            if is_late:
                finish(session, query_id, QueryStatus.FAILED, error={"code": DEADLINE, "message": OutOfTime().message})
    except DatabaseUnavailable:
        return False
    if is_late:
        log.warning("query_out_of_time", query_id=str(query_id))
        notify_end(query_id)
    return is_late
