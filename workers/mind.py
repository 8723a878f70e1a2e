"""A step at work within a message: what it is given, what it leaves, and what it paid."""

import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

import structlog
from sqlalchemy.orm import Session

from clients.llm.protocol import CallDeferred, CallLog
from config.settings import settings
from db.queries import events, records
from db.queries.records import Settled
from db.session import transaction
from domain.budget import NO_CALL
from domain.errors import CitewellError, DatabaseUnavailable
from services.accounting import begun_rows, model_call_rows
from services.step import Outcome, StepContext, StepResult
from workers import computing
from workers.deferral import terms_of
from workers.observing import bound_to_items
from workers.pipeline import Run
from workers.ringing import ring_watchers
from workers.runtime import worker_name
from workers.thought import Thought
from workers.work import Claim, Step

log = structlog.get_logger()


class Mind:
    """A step at work; `is_paid` once its model calls are stored, `is_broken` when its `failed` value stands in."""

    def __init__(self, step: Step, claim: Claim, context: StepContext) -> None:
        attempts = claim.of(step.name)
        tell = _teller(step, claim.run, attempts.get("", 0))
        call_log = CallLog(terms=terms_of(context, time.monotonic()))
        self.step = step
        self.context = replace(context, items=tuple(sorted(attempts)), log=call_log, tell=tell)
        self._token = uuid.uuid4()
        call_log.begun_as = begun_rows(self.context, step.name, self._token, worker_name(), settings().models.catalogue)
        self.thought = Thought(lambda: computing.begin(step, self.context), call_log)
        self.is_paid = False
        self.run, self.attempts = claim.run, attempts
        self.began_ns = time.time_ns()
        self.is_broken = False
        self._found: StepResult | CallDeferred | DatabaseUnavailable | None = None

    def begin(self) -> None:
        """Begin; a body that waits for no model is at its end then. Raises what breaks a step that must not fail."""
        self.began_ns = time.time_ns()
        self._found = _left_out(self.step, self.context)
        self.is_broken = self._found is not None
        if self._found is None:
            self._attempt(self.thought.begin)

    def found(self) -> StepResult | CallDeferred | DatabaseUnavailable:
        """Wait for what it leaves, or what keeps it from leaving anything now. Raises as `begin` does."""
        if self._found is None:
            self._attempt(self.thought.result)
        return cast("StepResult | CallDeferred | DatabaseUnavailable", self._found)

    def _attempt(self, act: Callable[[], StepResult | None]) -> None:
        try:
            with bound_to_items(self.step.name, self.context.items):
                self._found = act()
        except (DatabaseUnavailable, CallDeferred) as error:
            self._found = error
        except Exception as error:
            if self.step.failed is None:
                raise
            self._found = self._broken(error)

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
        return model_call_rows(made, self.context, self.step.name, settings().models.catalogue)

    @property
    def settled(self) -> list[Settled]:
        """What is begun no more when its calls are stored."""
        return [Settled(self.context.query.id, self._token)] if self.context.log.has_begun else []


def book(session: Session, minds: Iterable[Mind], *, kept: bool = True) -> None:
    """Store the model calls of these steps: one statement."""
    minds = tuple(minds)
    rows = [row for mind in minds for row in mind.calls(kept=kept)]
    records.add_model_calls(session, rows, [each for mind in minds for each in mind.settled])


def _left_out(step: Step, context: StepContext) -> StepResult | None:
    """What stands in for a step when too little is left of the query's time or money, else None."""
    budget = context.budget
    if step.failed is None or not budget.has_used(step.until):
        return None
    told: Outcome = {**step.failed, "reason": budget.reason, "degraded": budget.reason}
    if budget.has_used(NO_CALL):
        told["code"] = budget.code
    return StepResult({item: dict(told) for item in context.items})


def _teller(step: Step, run_: Run, attempt: int) -> Callable[[Sequence[events.EventData]], None]:
    claim = events.Claim(uuid.UUID(run_.query_id), run_.launch, run_.round, step.name, attempt)

    def tell(told: Sequence[events.EventData]) -> None:
        with transaction() as session:
            held = events.add_events_while_held(session, claim, told)
        if held:
            ring_watchers(claim.query_id)

    return tell
