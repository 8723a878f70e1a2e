"""One execution of a step: its input, its result, and the records of its model calls.

A body that is a coroutine function runs on the event loop; any other body computes or queries the database, so it runs
in a thread. Over long texts both run in a child process (workers.processes.children), so that this process keeps
serving everything else. The child is killed at the deadline of its query, when its step is stopped, or when this
process ends, whatever it computes.
"""

import asyncio
import inspect
import math
import time
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Literal, cast

import structlog
from celery import Signature
from structlog.contextvars import bound_contextvars

from citewell_verify.errors import CitewellError
from clients.llm.protocol import CallDeferred, CallLog, Terms
from clients.notifications import notify_end, notify_watchers
from clients.telemetry import meter, tracing
from clients.telemetry.meter import METER
from db.models import QueryStatus
from db.queries.runs import events, model_calls
from db.queries.runs.model_calls import SettledCalls
from db.queries.runs.steps import FIRST_OF, add_once
from db.session import transaction
from domain.errors.service import DatabaseUnavailable
from domain.query.budget import DEADLINE, NO_CALL, NO_OPTIONAL_WAIT, NO_WAIT, Budget
from domain.query.outcomes import SENTENCES
from services.core.call_ledger import begun_rows, ended_rows, model_call_rows, report_calls
from services.core.context import StepContext, StepResult
from services.core.model_choice import settings_of
from services.finishing.completion import finish
from workers.execution.claims import Claim
from workers.execution.work import Step
from workers.pipeline import Run
from workers.processes.children import Children
from workers.processes.runtime import event_loop, once, worker_name

LARGE_CHARS = 60_000
"""The size of an answer and its sources together below which a step takes seconds at most."""
LARGE_PRODUCT = 60_000_000
"""The characters of the answer times those of its sources, because each statement is compared with all sources."""
CONCLUSION_SHARE, _MAX_CONCLUSION_S = 0.15, 30.0
"""The share of a query's time reserved for the conclusion, up to a maximum in seconds."""
_GRACE_S = 1.0
"""The time for the conclusion after the deadline; then the query fails."""
_PASSAGE_CHARS = 2_000


log = structlog.get_logger()
PATIENCE_S = 2.0
"""A step that would wait longer for the rate limit is deferred, and frees its worker."""
_MOST_ITEMS = 64
"""The most items that a log line names; a batch rarely has more."""
Dispatch = Callable[[Signature[Any]], bool]
"""A function that starts the work of a signature while the step runs; False when that failed, and the work is still to
be done."""


class OutOfTime(CitewellError):
    """The query's time ran out while a long text was processed."""


@once
def children() -> Children:
    return Children()


def is_large(context: StepContext) -> bool:
    """Return whether a step over the query's answer may compute for long, judged by the data that is already loaded."""
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


class StepRun:
    """A step in progress on the items that it has claimed. A derived step has no claim: its attempt numbers are 0.

    `has_failed`: the step's `failed` value is its result. `calls_stored`: its model calls are in the ledger.
    """

    def __init__(
        self, step: Step, run: Run, attempts: Mapping[str, int], context: StepContext, dispatch: Dispatch
    ) -> None:
        self.step, self.is_stopped, self.has_failed, self.calls_stored = step, False, False, False
        self.claim = Claim(
            run, {(step.name, item): attempt for item, attempt in attempts.items() if attempt}, self.stop
        )
        self._fence = events.Claim(uuid.UUID(run.query_id), run.launch, run.round, step.name, attempts.get("", 0))
        self._dispatch, self._token = dispatch, uuid.uuid4()
        log_ = CallLog(terms=terms_of(context, time.monotonic(), needed=step.needed))
        self.context = replace(context, items=tuple(sorted(attempts)), log=log_, publish=self._publish)
        if step.spreads is not None:
            self.context = replace(self.context, dispatch=self._spread)
        prices = settings_of(context.query.options.model_choice).models.catalogue
        self._prices = prices
        log_.begun_as = begun_rows(self.context, step.name, self._token, worker_name(), prices)
        log_.ended_as = ended_rows(self.context, step.name, self._token, prices)
        self._body: asyncio.Task[StepResult] | None = None
        self.began_ns = self.ended_ns = time.time_ns()
        self.end = asyncio.ensure_future(self.execute())

    @property
    def result(self) -> StepResult | Exception:
        """Return the result or the error of the run."""
        return self.end.result()

    async def execute(self) -> StepResult | Exception:
        """Run the step. A stopped step returns a result without values.

        Errors are returned, not raised, after all concurrent calls have ended: DatabaseUnavailable, CallDeferred, and
        any error of a step without a `failed` value.
        """
        budget, step = self.context.budget, self.step
        if step.failed is not None and budget.has_used(step.until):
            # The query can no longer afford the step.
            code = {"code": budget.code} if budget.has_used(NO_CALL) else {}
            reason = await asyncio.to_thread(self._reason_of, budget)
            return self._failed(reason=reason, degraded=reason, **code)
        with self._logged():
            try:
                return await self._run_body()
            except (DatabaseUnavailable, CallDeferred) as error:
                return error
            except Exception as error:
                if step.failed is None:
                    return error
                log.exception("step_failed", query_id=str(self.context.query.id))
                reason = (
                    error.message if isinstance(error, CitewellError) else f"internal error ({type(error).__name__})"
                )
                degraded = {"degraded": reason} if isinstance(error, OutOfTime) else {}
                return self._failed(reason=reason, **degraded)
            finally:
                self.ended_ns = time.time_ns()

    def _reason_of(self, budget: Budget) -> str:
        """Return the budget that the query used up; where it waited for a model until its deadline, also why."""
        if budget.code != DEADLINE:
            return budget.reason
        with transaction() as session:
            last = model_calls.find_last_failure(session, self.context.query.id, self.step.name)
        return f"{budget.reason}; the last try of {last[0]} failed: {last[1]}" if last else budget.reason

    def _failed(self, **why: str) -> StepResult:
        """Return a failed step's value, because the following steps must report "not checked" instead of never
        running."""
        self.has_failed = True
        return StepResult({item: {**(self.step.failed or {}), **why} for item in self.context.items})

    def stop(self) -> None:
        """Cancel the step at its next await, or before it begins. Callable from any thread."""
        self.is_stopped = True
        event_loop().call_soon_threadsafe(lambda: self._body and self._body.cancel())

    async def _run_body(self) -> StepResult:
        if self.is_stopped:
            return StepResult({})
        if self.step.computes and is_large(self.context):
            body: Coroutine[Any, Any, StepResult] = run_in_child(self.step, self.context)
        elif inspect.iscoroutinefunction(self.step.body):
            body = self.step.body(self.context)
        else:
            # A thread cannot be cancelled, so wait for it.
            return await asyncio.to_thread(cast("Callable[[StepContext], StepResult]", self.step.body), self.context)
        self._body = asyncio.ensure_future(self._settled(body))
        try:
            return await self._body
        except asyncio.CancelledError:
            if self.is_stopped:
                return StepResult({})
            raise

    async def _settled(self, body: Coroutine[Any, Any, StepResult]) -> StepResult:
        try:
            return await body
        except Exception:
            # The concurrent calls are paid for as well: wait for their records and replies, but retry none of them.
            calls = self.context.log
            calls.terms = replace(calls.terms, ends_at=time.monotonic())
            await calls.settled()
            raise

    def _publish(self, new_events: Sequence[events.EventData]) -> None:
        with transaction() as session:
            held = events.add_events_while_held(session, self._fence, new_events)
        if held:
            notify_watchers(self._fence.query_id)

    def _spread(self, new_events: Sequence[events.EventData], item: str, value: Mapping[str, Any]) -> bool:
        fence = self._fence
        with transaction() as session:
            held = events.add_events_while_held(session, fence, new_events)
            # An item that was spread before is in progress, or is checked at the end; spread twice it could block a
            # chord.
            is_new = held and add_once(session, fence.query_id, fence.round, SENTENCES, item, value)
        if held:
            notify_watchers(fence.query_id)
        return is_new and self.step.spreads is not None and self._dispatch(self.step.spreads(self.claim.run, item))

    def calls(self, *, kept: bool = True) -> list[dict[str, Any]]:
        """Return the rows of the step's model calls; calls answered by a stored reply only with `kept`."""
        made = [call for call in self.context.log.records if kept or not call.kept]
        return model_call_rows(made, self.context, self.step.name, self._prices, self._token)

    def report(self, outcome: Literal["done", "superseded", "stopped", "put_off", "handed_back"]) -> None:
        """Report the end of the run to the log, as metrics and as a span."""
        name, run, items = self.step.name, self.claim.run, self.context.items
        # Stored replies will be found and reported again.
        records = [record for record in self.context.log.records if outcome != "put_off" or not record.kept]
        lasted_ns, is_failed = max(0, self.ended_ns - self.began_ns), self.has_failed and outcome == "done"
        METER.observe(meter.STEP_SECONDS, lasted_ns / 1e9, name)
        METER.count(meter.STEP_ITEMS, name, "failed" if is_failed else outcome, by=len(items))
        with self._logged():
            log.debug("step", outcome=outcome, model_calls=len(records), ms=lasted_ns // 1_000_000)
        within = None
        if tracing.is_on():
            attributes: dict[str, tracing.Value] = {
                "citewell.query_id": run.query_id,
                "citewell.step": name,
                "citewell.round": run.round,
                "citewell.launch": run.launch,
                "citewell.attempt": max(self.claim.attempts.values(), default=0) % FIRST_OF,
                "citewell.item_count": len(items),
                "citewell.items": list(items[:_MOST_ITEMS]),
                "citewell.outcome": outcome,
            }
            error = "failed" if self.has_failed else None
            within = tracing.past_span(f"step {name}", self.began_ns, self.ended_ns, attributes, error=error)
        report_calls(records, self._prices, within)

    def _logged(self) -> AbstractContextManager[None]:
        return bound_contextvars(step=self.step.name, item=" ".join(self.context.items[:_MOST_ITEMS]))

    @property
    def settled(self) -> list[SettledCalls]:
        return [SettledCalls(self.context.query.id, self._token)] if self.context.log.has_begun else []


def terms_of(context: StepContext, now: float, *, needed: bool = False) -> Terms:
    """Return the terms of the step's model calls; `now` is a time of this process's monotonic clock.

    Only the remaining time matters here, so the worker's wall clock may be wrong.
    """
    query, left_s = context.query, context.budget.left_s
    waits_s = context.budget.until_s(NO_WAIT if needed else NO_OPTIONAL_WAIT)
    return Terms(
        scope=str(query.id),
        is_batch=query.batch_id is not None,
        since=query.accepted_at,
        ends_at=None if left_s is None else now + max(left_s, 0.0),
        patience_s=PATIENCE_S,
        last_try_at=None if waits_s is None else now + waits_s,
        outage_s=math.inf
        if needed and waits_s is not None
        else settings_of(query.options.model_choice).models.outage_s,
        fast=query.options.judge_model,
    )
