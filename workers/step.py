"""The one task wrapper: load, think, save.

A step claims its items under their natural key (query, round, step, item), works without an open transaction, and
stores its outcomes in one. Items that have an outcome are not worked on again, so redelivery, restart and
reconciliation are all the same harmless thing.
"""

import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import structlog
from celery import Signature, Task
from celery.exceptions import Ignore
from sqlalchemy.orm import Session

from clients.llm.protocol import CallRecord
from config.settings import settings
from db.queries import events, queries, records, steps
from db.session import acting_for, transaction
from domain.errors import CitewellError, DatabaseUnavailable
from domain.options import QueryOptions
from services.accounting import model_call_rows
from services.step import Outcome, QuerySnapshot, StepContext, StepResult
from workers.celery_app import app
from workers.pipeline import Run
from workers.runtime import leases, ring, tools, worker_name
from workers.thought import Thought

log = structlog.get_logger()

Body = Callable[[StepContext], StepResult | Coroutine[Any, Any, StepResult]]
Next = Callable[[Run, StepContext], Signature[Any] | None]


@dataclass(frozen=True, slots=True)
class Step:
    """How a step is run: `failed` is the outcome of an item whose body broke; without it the error goes to the errback.

    `then` builds what to launch when the step is done, if anything, for steps that end their canvas.
    """

    name: str
    stage: str
    body: Body
    failed: Mapping[str, Any] | None = None
    then: Next | None = None
    ends: bool = False


def step_task(step: Step) -> Task[Any, Any]:
    """Register `query.<name>` as a Celery task that executes the step."""

    def execute(
        task: Task[Any, Any], query_id: str, launch: int, round_: int, tenant: int, items: Sequence[str] = ("",)
    ) -> None:
        try:
            with acting_for(tenant):
                execute_step(step, Run(query_id, launch, round_, tenant), items)
        except DatabaseUnavailable as error:
            # Postgres is away for a moment: keep the message, look again soon.
            raise task.retry(exc=error, countdown=min(2**task.request.retries, 15), max_retries=40) from error

    return app.task(name=f"query.{step.name}", bind=True)(execute)


def execute_step(step: Step, run_: Run, items: Sequence[str] = ("",)) -> None:
    """Do what is not done yet, and launch what follows. Raises Ignore when another worker has taken over."""
    claimed = _claim(step, run_, items)
    if claimed is None:
        log.info("stale_message", step=step.name, query_id=run_.query_id, launch=run_.launch)
        return
    context, attempts = claimed
    if attempts:
        thought = Thought(lambda: step.body(context))
        with leases().hold(lambda: _renew(step, run_, attempts) or thought.stop()):
            result = _think(step, context, thought)
        _save(step, run_, context, result, attempts)
        context = context.with_outcomes(step.name, result.values)
    following = step.then(run_, context) if step.then is not None else None
    if following is not None:
        following.apply_async()


def _claim(step: Step, run_: Run, items: Sequence[str]) -> tuple[StepContext, dict[str, int]] | None:
    with transaction() as session:
        query = queries.find_current(session, run_.query_id, run_.launch)
        if query is None:
            return None
        attempts = _claim_items(session, step, run_, items)
        # After the claim: an item that could not be claimed was finished by somebody, and is certainly seen here.
        rounds = steps.list_outcomes(session, query.id)
        entered = queries.mark_stage(session, query, step.stage)
        if entered:
            events.add_event(session, "stage", {"stage": step.stage}, query_id=query.id)
        snapshot = QuerySnapshot(
            id=query.id,
            workspace_id=query.workspace_id,
            question=query.question,
            mode=query.mode,
            provider=query.provider,
            options=QueryOptions(**query.options),
            kind=query.kind,
            batch_id=query.batch_id,
        )
    if entered:
        ring(snapshot.id)
    context = StepContext(
        snapshot,
        run_.round,
        tuple(item for item in items if item in attempts),
        rounds.get(run_.round, {}),
        tools(),
        rounds,
        tell=_teller(step, run_, attempts),
    )
    return context, attempts


def _claim_items(session: Session, step: Step, run_: Run, items: Sequence[str]) -> dict[str, int]:
    return steps.claim_items(
        session, run_.query_id, run_.round, step.name, items, worker=worker_name(), lease_s=settings().recovery.lease_s
    )


def _renew(step: Step, run_: Run, attempts: Mapping[str, int]) -> bool:
    """Keep the claim; False when the query has ended meanwhile, so that nobody needs what is being worked on."""
    with transaction() as session:
        steps.renew_lease(
            session, run_.query_id, run_.round, step.name, attempts, worker_name(), settings().recovery.lease_s
        )
        return queries.is_unfinished(session, run_.query_id)


def _think(step: Step, context: StepContext, thought: Thought) -> StepResult:
    try:
        return thought.result()
    except DatabaseUnavailable:
        raise
    except Exception as error:
        if step.failed is None:
            raise
        # A broken step is a value: what follows must say "not checked" instead of never running.
        log.exception("step_failed", step=step.name, query_id=str(context.query.id))
        reason = error.message if isinstance(error, CitewellError) else f"internal error ({type(error).__name__})"
        return StepResult({item: {**cast("Outcome", step.failed), "reason": reason} for item in context.items})


def _teller(step: Step, run_: Run, attempts: Mapping[str, int]) -> Callable[[Sequence[events.EventData]], None]:
    claim = events.Claim(uuid.UUID(run_.query_id), run_.launch, run_.round, step.name, attempts.get("", 0))

    def tell(told: Sequence[events.EventData]) -> None:
        with transaction() as session:
            held = events.add_events_while_held(session, claim, told)
        if held:
            ring(claim.query_id)

    return tell


def _save(step: Step, run_: Run, context: StepContext, result: StepResult, attempts: Mapping[str, int]) -> None:
    calls: list[CallRecord] = context.log.records
    with transaction() as session:
        # Calls are stored even when the outcome is not: they were paid for.
        records.add_model_calls(session, model_call_rows(calls, context, step.name, settings().models.catalogue))
        wanted = bool(result.values) and queries.is_unfinished(session, run_.query_id)
        kept = wanted and steps.finish_items(
            session, context.query.id, context.round, step.name, result.values, attempts
        )
        if kept and not step.ends and (result.events or result.save is not None):
            # A query that was cancelled meanwhile gets no answer and no event after its end.
            kept = queries.lock_unfinished(session, context.query.id)
        if kept:
            events.add_events(session, context.query.id, result.events)
            if result.save is not None:
                result.save(session)
    if not kept:
        log.info("superseded", step=step.name, query_id=str(context.query.id))
        raise Ignore  # another worker holds this claim now and will answer for it, or nobody needs to
    if result.events or result.save is not None:
        ring(context.query.id)
