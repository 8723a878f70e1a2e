"""One step of a message while it is executed: its input, its body, its result, and the model calls that it paid for.

A body that is a coroutine function runs on the event loop; any other runs in a thread, since it computes or asks the
database; over much text both run in a process of their own (workers.execution.computing).
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
from db.queries.runs import events, model_calls, streamed_sentences
from db.queries.runs.model_calls import SettledCalls
from db.session import transaction
from domain.errors import CitewellError, DatabaseUnavailable
from domain.query.budget import NO_CALL
from services.core.call_ledger import begun_rows, model_call_rows
from services.core.context import Outcome, StepContext, StepResult
from services.verification.streamed_results import SENTENCES
from workers.execution import computing
from workers.execution.claims import Claim
from workers.execution.instrumentation import bound_to_items
from workers.execution.work import Step
from workers.processes.notifying import ring_watchers
from workers.processes.runtime import event_loop, worker_name

log = structlog.get_logger()

HandOn = Callable[[Signature[Any]], bool]
"""Has a message's work done beside the step; False when it could not be taken, and is still to be done."""


class StepRun:
    """An execution of a step; `is_paid` once its model calls are stored, `is_broken` when its `failed` value stands
    in."""

    def __init__(self, step: Step, claim: Claim, context: StepContext, hand_on: HandOn | None = None) -> None:
        """`hand_on` takes what the step spreads while it runs."""
        attempts, run = claim.of(step.name), claim.run
        self._fence = events.Claim(uuid.UUID(run.query_id), run.launch, run.round, step.name, attempts.get("", 0))
        self._hand_on = hand_on
        call_log = CallLog(terms=terms_of(context, time.monotonic()))
        self.step = step
        self.context = replace(context, items=tuple(sorted(attempts)), log=call_log, publish=self._publish)
        if step.spreads is not None:
            self.context = replace(self.context, dispatch=self._dispatch)
        self._token = uuid.uuid4()
        call_log.begun_as = begun_rows(self.context, step.name, self._token, worker_name(), settings().models.catalogue)
        self.is_paid = False
        self.run, self.attempts = run, attempts
        self.began_ns = time.time_ns()
        self._ended_ns = 0
        self.is_broken = False
        self._body: asyncio.Task[StepResult] | None = None
        self._is_stopped = False

    @property
    def ended_ns(self) -> int:
        """When it ended, Unix time in ns by this process's clock; now if it has not."""
        return self._ended_ns or time.time_ns()

    @property
    def is_derived(self) -> bool:
        """Whether it has no claim of its own: it is stored with what it is derived from."""
        return not any(self.attempts.values())

    async def result(self) -> StepResult | Exception:
        """Execute it; the error that a step without `failed` ends with, DatabaseUnavailable and CallDeferred are
        returned, when all the calls beside them have ended. A stopped one has no values."""
        self.began_ns = time.time_ns()
        left_out = _left_out(self.step, self.context)
        self.is_broken = left_out is not None
        if left_out is not None:
            return left_out
        try:
            with bound_to_items(self.step.name, self.context.items):
                return await self._executed()
        except (DatabaseUnavailable, CallDeferred) as error:
            return error
        except Exception as error:  # noqa: BLE001 - a broken step is a value, or ends its query
            return error if self.step.failed is None else self._broken(error)
        finally:
            self._ended_ns = time.time_ns()

    def _publish(self, new_events: Sequence[events.EventData]) -> None:
        with transaction() as session:
            held = events.add_events_while_held(session, self._fence, new_events)
        if held:
            ring_watchers(self._fence.query_id)

    def _dispatch(self, new_events: Sequence[events.EventData], item: str, value: Mapping[str, Any]) -> bool:
        query_id = self._fence.query_id
        with transaction() as session:
            held = events.add_events_while_held(session, self._fence, new_events)
            # What was handed on before is being done, or is checked at the end; twice it might block a chord.
            is_new = held and streamed_sentences.add_once(session, query_id, self.run.round, SENTENCES, item, value)
        if held:
            ring_watchers(query_id)
        if not is_new or self.step.spreads is None or self._hand_on is None:
            return False
        return self._hand_on(self.step.spreads(self.run, item))

    def stop(self) -> None:
        """End it as soon as it waits for something; one that is not begun yet never begins. From any thread."""
        self._is_stopped = True
        event_loop().call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        if self._body is not None:
            self._body.cancel()

    async def _executed(self) -> StepResult:
        if self._is_stopped:
            return StepResult({})
        if computing.is_elsewhere(self.step, self.context):
            body: Coroutine[Any, Any, StepResult] = computing.elsewhere(self.step, self.context)
        elif inspect.iscoroutinefunction(self.step.body):
            body = self.step.body(self.context)
        else:
            # A thread cannot be stopped: it is waited for.
            return await asyncio.to_thread(cast("Callable[[StepContext], StepResult]", self.step.body), self.context)
        self._body = asyncio.ensure_future(self._settled(body))
        try:
            return await self._body
        except asyncio.CancelledError:
            if self._is_stopped:
                return StepResult({})
            # The message was revoked, not this step stopped.
            self._body.cancel()
            raise

    async def _settled(self, body: Coroutine[Any, Any, StepResult]) -> StepResult:
        try:
            return await body
        except Exception:
            # The calls beside the one that failed are paid for: wait for their records and replies. None of them is
            # made again.
            call_log = self.context.log
            call_log.terms = replace(call_log.terms, ends_at=time.monotonic())
            await call_log.settled()
            raise

    def _broken(self, error: Exception) -> StepResult:
        # A broken step is a value: what follows must say "not checked" instead of never running.
        self.is_broken = True
        with bound_to_items(self.step.name, self.context.items):
            log.error("step_failed", query_id=str(self.context.query.id), exc_info=error)
        reason = error.message if isinstance(error, CitewellError) else f"internal error ({type(error).__name__})"
        failed = {**cast("Outcome", self.step.failed), "reason": reason}
        if isinstance(error, computing.OutOfTime):
            failed["degraded"] = reason
        return StepResult({item: dict(failed) for item in self.context.items})

    def calls(self, *, kept: bool = True) -> list[dict[str, Any]]:
        """Its model calls, to be stored; without those that an earlier reply answered unless `kept`."""
        made = [call for call in self.context.log.records if kept or not call.kept]
        return model_call_rows(made, self.context, self.step.name, settings().models.catalogue, self._token)

    @property
    def settled(self) -> list[SettledCalls]:
        """What is begun no more when its calls are stored."""
        return [SettledCalls(self.context.query.id, self._token)] if self.context.log.has_begun else []


def book(session: Session, runs: Iterable[StepRun], *, kept: bool = True) -> None:
    """Store the model calls of these steps: one statement."""
    runs = tuple(runs)
    rows = [row for run in runs for row in run.calls(kept=kept)]
    model_calls.add_model_calls(session, rows, [each for run in runs for each in run.settled])


def _left_out(step: Step, context: StepContext) -> StepResult | None:
    """The result of a step that is left out because too little is left of the query's time or money, else None."""
    budget = context.budget
    if step.failed is None or not budget.has_used(step.until):
        return None
    found: Outcome = {**step.failed, "reason": budget.reason, "degraded": budget.reason}
    if budget.has_used(NO_CALL):
        found["code"] = budget.code
    return StepResult({item: dict(found) for item in context.items})


def terms_of(context: StepContext, now: float) -> Terms:
    """For whom the step's calls are made; `now` is a time of this process's monotonic clock.

    Only the time that is left counts here, so a worker's own clock may be wrong.
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
