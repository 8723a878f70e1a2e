"""Stores the results of a message's steps in one transaction, together with the claim on the work that follows.

Results are fenced: they are kept only while the claim is valid. Model calls were paid for, so they are stored whatever
becomes of the results.
"""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

import structlog
from celery.exceptions import Ignore, Reject
from sqlalchemy.orm import Session

from clients.llm.protocol import CallDeferred
from db.queries.runs import events, step_io
from db.queries.verifications.batches import lock_batch_of
from db.session import after_commit, transaction
from domain.errors import DatabaseUnavailable
from services.core.context import PassageCache, StepContext, StepResult
from workers.execution import shutdown
from workers.execution.acquisition import Acquired, budget_of, claimant
from workers.execution.claims import Claim
from workers.execution.instrumentation import Outcome, report_step
from workers.execution.message import RetryLater
from workers.execution.step_run import StepRun, store_model_calls
from workers.execution.work import Work
from workers.processes.notifying import notify_beside, notify_end, notify_watchers

log = structlog.get_logger()

Results = Sequence[tuple[StepRun, StepResult]]
Deferred = Sequence[tuple[StepRun, CallDeferred]]


async def store_results(
    claim: Claim, context: StepContext, results: Results, waiting: Sequence[StepRun], following: Work | None
) -> Acquired | None:
    """Store the results; claim `following` and return that claim, if all of it could be claimed.

    Raises Ignore when the results are no longer needed, Reject when this process ends; then the runs that are `waiting`
    for a model are given up, too.
    """
    completion = _to_store(claim, context, results)
    next_context = _next_context(context, following) if following is not None else None
    wanted = None
    if following is not None and next_context is not None:
        wanted = _wanted(results, next_context, following)
    if any(not result.values or result.save is not None for _, result in results):
        in_batch = context.query.batch_id is not None
        left = await asyncio.to_thread(_store_with_saves, completion, wanted, results, in_batch=in_batch)
    else:
        left = await step_io.complete_steps(completion, wanted)
    for run, result in results:
        run.calls_stored = True
        report_step(run, "stopped" if not result.values else "done" if left.kept else "superseded")
    if not left.kept:
        await asyncio.to_thread(give_up, claim, waiting)
        _report(waiting, "superseded")
        log.info("superseded", step=results[0][0].step.name, query_id=str(context.query.id))
        await shutdown.reject_if_over()
        raise Ignore  # another worker holds this claim now, or the query has ended
    if left.entered or any(result.events or result.save is not None for _, result in results):
        notify = notify_end if any(run.step.ends for run, _ in results) else notify_watchers
        notify_beside(notify, context.query.id)
    if following is None or next_context is None:
        return None
    if set(left.claimed) != set(following.keys):
        # Another worker has some of the items: acquire the work like that of any message.
        await asyncio.to_thread(Claim(following.run, left.claimed).hand_back_soon)
        return None
    next_context.passage_cache.add(left.passages)
    budget = budget_of(context.query.options, left.used_s, left.spent_usd)
    return Acquired(replace(next_context, budget=budget), left.claimed)


async def defer(claim: Claim, deferred: Deferred) -> None:
    waiting = [run for run, _ in deferred]
    longest = max((error for _, error in deferred), key=lambda error: error.wait_s)
    late = claim.only([run.step.name for run in waiting])
    # Kept replies will be found again, and recorded then.
    store_calls = partial(store_model_calls, runs=waiting, kept=False)
    retry = await asyncio.to_thread(late.defer, waiting[0].context, longest, store_calls)
    _report(waiting, "put_off")
    raise retry from longest


@asynccontextmanager
async def hand_back_on_error(claim: Claim, runs: Sequence[StepRun]) -> AsyncGenerator[None]:
    """Hand the claim back if the block loses Postgres, which is no failure of the steps; their model calls are stored
    once it is reachable. After any other error the model calls are stored immediately."""

    def store_calls(session: Session) -> None:
        pending = [run for run in runs if not run.calls_stored]
        store_model_calls(session, pending)
        after_commit(session, partial(_report, pending, "handed_back"))

    def store_calls_now() -> None:
        with transaction() as session:
            store_calls(session)

    try:
        yield
    except DatabaseUnavailable:
        await asyncio.to_thread(claim.hand_back_soon, store_calls)
        raise
    except (Ignore, Reject, RetryLater):
        raise
    except Exception:
        try:
            await asyncio.to_thread(store_calls_now)
        except Exception:
            log.exception("calls_not_stored", query_id=claim.run.query_id)
        raise


def _to_store(claim: Claim, context: StepContext, results: Results) -> step_io.Completion:
    runs = [run for run, _ in results]
    values = {(run.step.name, item): value for run, result in results for item, value in result.values.items()}
    return step_io.Completion(
        claim.run.query_id,
        claim.run.round,
        {key: value for key, value in values.items() if key in claim.attempts},
        claim.attempts,
        also={step: value for (step, item), value in values.items() if (step, item) not in claim.attempts},
        calls=[row for run in runs for row in run.calls()],
        adopted={key: value for _, result in results for key, value in result.adopted.items()},
        settled=[each for run in runs for each in run.settled],
        events=_events(results),
        # A query that is cancelled meanwhile gets no answer; a step that ends the query checks this itself.
        notes=any(result.save is not None for _, result in results) and not runs[-1].step.ends,
    )


def _events(results: Results) -> list[events.EventData]:
    """The events of all results in order. The stage of a derived step that ends the query is never entered, so it is
    added here."""
    collected: list[events.EventData] = []
    for run, result in results:
        if run.is_derived and run.step.ends:
            collected.append(("stage", {"stage": run.step.stage}))
        collected += result.events
    return collected


def _next_context(context: StepContext, following: Work) -> StepContext:
    rounds = {**context.rounds, context.round: context.outcomes}
    outcomes = dict(rounds.get(following.run.round, {}))
    library = PassageCache() if following.is_fresh else context.passage_cache
    return StepContext(
        context.query, following.run.round, (), outcomes, context.tools, {**rounds}, passage_cache=library
    )


def _wanted(results: Results, next_context: StepContext, following: Work) -> step_io.ClaimRequest:
    entered = [run.step.stage for run, _ in results if not run.is_derived]
    stage = following.stage if following.stage not in entered[-1:] else None
    keys = following.reads(next_context) if not next_context.query.is_external else ()
    missing = next_context.passage_cache.missing(keys)
    return step_io.ClaimRequest(following.run.round, following.keys, claimant(following), stage, missing)


def _store_with_saves(
    completion: step_io.Completion, wanted: step_io.ClaimRequest | None, results: Results, *, in_batch: bool
) -> step_io.CompletionResult:
    """Store the results in a transaction with what the steps themselves save. Only model calls are stored when one of
    the steps was stopped."""
    with transaction() as session:
        if in_batch and any(run.step.ends for run, _ in results):
            # Lock order: the batch before the query's own row (db.queries.verifications.batches).
            lock_batch_of(session, uuid.UUID(completion.query_id))
        if not all(result.values for _, result in results):
            store_model_calls(session, [run for run, _ in results])
            return step_io.NOT_STORED
        # The stage of the following work comes after the events of what is saved.
        left = step_io.complete_steps_within(session, completion, wanted and wanted._replace(stage=None))
        if not left.kept:
            return left
        for _, result in results:
            if result.save is not None:
                result.save(session)
        if wanted is not None and wanted.stage and set(left.claimed) == set(wanted.keys):
            entered = events.record_progress(session, uuid.UUID(completion.query_id), wanted.stage)
            left = left._replace(entered=bool(entered))
        return left


def give_up(claim: Claim, waiting: Sequence[StepRun]) -> None:
    """Hand back a claim whose results nobody needs or waits for, and store the model calls of the runs without one."""
    with transaction() as session:
        store_model_calls(session, waiting)
        if not shutdown.is_over():
            # The worker is alive: only an attempt that ended its worker counts as failed.
            claim.hand_back(session)


def _report(runs: Sequence[StepRun], outcome: Outcome) -> None:
    for run in runs:
        report_step(run, outcome)
