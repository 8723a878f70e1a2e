"""Executes one step of a message: input context, result, model-call records.

A body that is a coroutine function runs on the event loop; any other body computes or queries the database, so it runs
in a thread. Over long texts both run in a child process (workers.execution.computing).
"""

import asyncio
import inspect
import time
import uuid
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import structlog
from celery import Signature
from sqlalchemy.orm import Session

from clients.llm.protocol import CallDeferred, CallLog, Terms
from config.settings import settings
from db.queries.runs import events, model_calls
from db.queries.runs.model_calls import SettledCalls
from db.queries.runs.steps import add_once
from db.session import transaction
from domain.errors import CitewellError, DatabaseUnavailable
from domain.query.budget import NO_CALL
from services.core.call_ledger import begun_rows, ended_rows, model_call_rows
from services.core.context import Outcome, StepContext, StepResult
from services.verification.streamed_results import SENTENCES
from workers.execution import computing
from workers.execution.claims import Claim
from workers.execution.instrumentation import log_item_context
from workers.execution.work import Step
from workers.processes.notifying import notify_watchers
from workers.processes.runtime import event_loop, worker_name

log = structlog.get_logger()

Dispatch = Callable[[Signature[Any]], bool]
"""Starts the work of a signature while the step runs; False when that failed, and the work is still to be done."""


class StepRun:
    """One execution of a step. `calls_stored`: its model calls are in the ledger; `has_failed`: the step's `failed`
    value is its result."""

    def __init__(self, step: Step, claim: Claim, context: StepContext, dispatch: Dispatch | None = None) -> None:
        attempts, run = claim.of(step.name), claim.run
        self._fence = events.Claim(uuid.UUID(run.query_id), run.launch, run.round, step.name, attempts.get("", 0))
        self._dispatch = dispatch
        call_log = CallLog(terms=terms_of(context, time.monotonic()))
        self.step = step
        self.context = replace(context, items=tuple(sorted(attempts)), log=call_log, publish=self._publish)
        if step.spreads is not None:
            self.context = replace(self.context, dispatch=self._spread)
        self._token = uuid.uuid4()
        catalogue = settings().models.catalogue
        call_log.begun_as = begun_rows(self.context, step.name, self._token, worker_name(), catalogue)
        call_log.ended_as = ended_rows(self.context, step.name, self._token, catalogue)
        self.calls_stored = False
        self.run, self.attempts = run, attempts
        self.began_ns = time.time_ns()
        self._ended_ns = 0
        self.has_failed = False
        self._end: asyncio.Task[StepResult | Exception] | None = None
        self._body: asyncio.Task[StepResult] | None = None
        self._is_stopped = False

    @property
    def ended_ns(self) -> int:
        return self._ended_ns or time.time_ns()

    @property
    def is_derived(self) -> bool:
        """Whether it has no claim of its own, because it is stored with the results that it is derived from."""
        return not any(self.attempts.values())

    @property
    def end(self) -> "asyncio.Task[StepResult | Exception]":
        """Its `result`, begun when this is first read."""
        self._end = self._end or asyncio.ensure_future(self.result())
        return self._end

    async def result(self) -> StepResult | Exception:
        """Execute the step. A stopped step returns a result without values.

        Errors are returned, not raised, after all concurrent calls have ended: DatabaseUnavailable, CallDeferred, and
        any error of a step without a `failed` value.
        """
        self.began_ns = time.time_ns()
        skipped = _skipped(self.step, self.context)
        self.has_failed = skipped is not None
        if skipped is not None:
            return skipped
        try:
            with log_item_context(self.step.name, self.context.items):
                return await self._run_body()
        except (DatabaseUnavailable, CallDeferred) as error:
            return error
        except Exception as error:  # noqa: BLE001 - a failed step is a value, or ends its query
            return error if self.step.failed is None else self._failure(error)
        finally:
            self._ended_ns = time.time_ns()

    def _publish(self, new_events: Sequence[events.EventData]) -> None:
        with transaction() as session:
            held = events.add_events_while_held(session, self._fence, new_events)
        if held:
            notify_watchers(self._fence.query_id)

    def _spread(self, new_events: Sequence[events.EventData], item: str, value: Mapping[str, Any]) -> bool:
        query_id = self._fence.query_id
        with transaction() as session:
            held = events.add_events_while_held(session, self._fence, new_events)
            # An item spread before is in progress, or is checked at the end; spread twice it could block a chord.
            is_new = held and add_once(session, query_id, self.run.round, SENTENCES, item, value)
        if held:
            notify_watchers(query_id)
        if not is_new or self.step.spreads is None or self._dispatch is None:
            return False
        return self._dispatch(self.step.spreads(self.run, item))

    def stop(self) -> None:
        """Cancel it at its next await, or before it begins. Callable from any thread."""
        self._is_stopped = True
        event_loop().call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        if self._body is not None:
            self._body.cancel()

    async def _run_body(self) -> StepResult:
        if self._is_stopped:
            return StepResult({})
        if computing.runs_in_child(self.step, self.context):
            body: Coroutine[Any, Any, StepResult] = computing.run_in_child(self.step, self.context)
        elif inspect.iscoroutinefunction(self.step.body):
            body = self.step.body(self.context)
        else:
            # A thread cannot be cancelled: wait for it.
            return await asyncio.to_thread(cast("Callable[[StepContext], StepResult]", self.step.body), self.context)
        self._body = asyncio.ensure_future(self._await_body(body))
        try:
            return await self._body
        except asyncio.CancelledError:
            if self._is_stopped:
                return StepResult({})
            # The message was revoked, not this step stopped.
            self._body.cancel()
            raise

    async def _await_body(self, body: Coroutine[Any, Any, StepResult]) -> StepResult:
        try:
            return await body
        except Exception:
            # The concurrent calls are paid for as well: wait for their records and replies, but retry none of them.
            call_log = self.context.log
            call_log.terms = replace(call_log.terms, ends_at=time.monotonic())
            await call_log.settled()
            raise

    def _failure(self, error: Exception) -> StepResult:
        # A failed step is a value: the following steps must report "not checked" instead of never running.
        self.has_failed = True
        with log_item_context(self.step.name, self.context.items):
            log.error("step_failed", query_id=str(self.context.query.id), exc_info=error)
        reason = error.message if isinstance(error, CitewellError) else f"internal error ({type(error).__name__})"
        failed = {**cast("Outcome", self.step.failed), "reason": reason}
        if isinstance(error, computing.OutOfTime):
            failed["degraded"] = reason
        return StepResult({item: dict(failed) for item in self.context.items})

    def calls(self, *, kept: bool = True) -> list[dict[str, Any]]:
        """The rows of its model calls; without calls answered by a kept reply unless `kept`."""
        made = [call for call in self.context.log.records if kept or not call.kept]
        return model_call_rows(made, self.context, self.step.name, settings().models.catalogue, self._token)

    @property
    def settled(self) -> list[SettledCalls]:
        return [SettledCalls(self.context.query.id, self._token)] if self.context.log.has_begun else []


def store_model_calls(session: Session, runs: Iterable[StepRun], *, kept: bool = True) -> None:
    runs = tuple(runs)
    rows = [row for run in runs for row in run.calls(kept=kept)]
    model_calls.add_model_calls(session, rows, [each for run in runs for each in run.settled])


def _skipped(step: Step, context: StepContext) -> StepResult | None:
    budget = context.budget
    if step.failed is None or not budget.has_used(step.until):
        return None
    value: Outcome = {**step.failed, "reason": budget.reason, "degraded": budget.reason}
    if budget.has_used(NO_CALL):
        value["code"] = budget.code
    return StepResult({item: dict(value) for item in context.items})


def terms_of(context: StepContext, now: float) -> Terms:
    """The terms of the step's model calls; `now` is a time of this process's monotonic clock.

    Only the remaining time matters here, so the worker's wall clock may be wrong.
    """
    query, left_s = context.query, context.budget.left_s
    return Terms(
        scope=str(query.id),
        is_batch=query.batch_id is not None,
        since=query.accepted_at,
        ends_at=None if left_s is None else now + max(left_s, 0.0),
        patience_s=settings().models.patience_s,
        fast=query.options.judge_model,
    )
