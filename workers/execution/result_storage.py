"""Stores the results of a message's steps, in one transaction with the claim on the following work.

Results are fenced: they are kept only while the claim is valid. Model calls were paid for, so they are stored in any
case.
"""

import asyncio
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

import structlog
from celery.exceptions import Ignore, Reject
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError
from sqlalchemy.orm import Session

from clients.llm.protocol import CallDeferred
from clients.notifications import notify_beside, notify_end, notify_watchers
from config.settings import settings
from db.models import QueryStatus
from db.queries.runs import budgets, events, model_calls, queries, step_io
from db.queries.verifications.batches import lock_batch_of
from db.session import after_commit, transaction
from domain.errors.service import DatabaseUnavailable
from services.core.context import PassageCache, StepContext, StepResult
from services.finishing.completion import finish
from workers.execution import claims
from workers.execution.claims import MIN_WAIT_S, Acquired, Claim, budget_of, claim_request
from workers.execution.step_run import StepRun
from workers.execution.work import RetryLater, Work
from workers.pipeline import Run

log = structlog.get_logger()

_MAX_WAIT_S = 60.0
"""Limit of a single wait. Longer waits are split, so that a lost message is noticed within this time."""

Results = Sequence[tuple[StepRun, StepResult]]


async def store_results(results: Results, context: StepContext, following: Work | None) -> Acquired | None:
    """Store the results; claim `following` and return that claim, if all of it could be claimed.

    Raises Ignore when the results are no longer needed, Reject when this process ends.
    """
    completion, wanted, left = _completion(results, context), None, step_io.NOT_STORED
    if following is not None:
        context = _context_for(following, context)
        wanted = _request(following, context, results)
    # If one step was stopped, the results of the others beside it are not needed either.
    if all(result.values for _, result in results):
        if any(result.save is not None for _, result in results):
            in_batch = context.query.batch_id is not None
            left = await asyncio.to_thread(_store_with_saves, completion, wanted, results, in_batch=in_batch)
        else:
            left = await step_io.complete_steps(completion, wanted)
        for run, _ in results:
            run.calls_stored = True
            run.report("done" if left.kept else "superseded")
    if not left.kept:
        log.info("superseded", step=results[0][0].step.name, query_id=completion.query_id)
        await claims.reject_if_over()
        raise Ignore  # another worker holds this claim now, or the query has ended
    if left.entered or any(result.events or result.save is not None for _, result in results):
        notify_beside(notify_end if any(run.step.ends for run, _ in results) else notify_watchers, context.query.id)
    return await _acquired(following, context, left) if following is not None else None


async def _acquired(following: Work, context: StepContext, left: step_io.CompletionResult) -> Acquired | None:
    if set(left.claimed) != set(following.keys):
        # Another worker has some of the items: acquire the work like that of any message.
        await asyncio.to_thread(Claim(following.run, left.claimed).hand_back_soon)
        return None
    context.passage_cache.add(left.passages)
    budget = budget_of(context.query.options, left.used_s, left.spent_usd)
    return Acquired(replace(context, budget=budget), left.claimed)


def _completion(results: Results, context: StepContext) -> step_io.Completion:
    attempts = _merged(run for run, _ in results).attempts
    values = {(run.step.name, item): value for run, result in results for item, value in result.values.items()}
    new_events: list[events.EventData] = []
    for run, result in results:
        if run.step.ends and not run.claim.attempts:
            # The stage of a derived step that ends the query is never entered.
            new_events.append(("stage", {"stage": run.step.shown}))
        new_events += result.events
    return step_io.Completion(
        str(context.query.id),
        context.round,
        {key: value for key, value in values.items() if key in attempts},
        attempts,
        also={step: value for (step, item), value in values.items() if (step, item) not in attempts},
        calls=[row for run, _ in results for row in run.calls()],
        adopted={key: value for _, result in results for key, value in result.adopted.items()},
        settled=[calls for run, _ in results for calls in run.settled],
        events=new_events,
        # A query that is cancelled meanwhile gets no answer; a step that ends the query checks this itself.
        notes=any(result.save is not None for _, result in results) and not results[-1][0].step.ends,
    )


def _context_for(following: Work, context: StepContext) -> StepContext:
    rounds = {**context.rounds, context.round: context.outcomes}
    outcomes = dict(rounds.get(following.run.round, {}))
    is_fresh = any(part.step.fresh for part in following.parts)
    cache = PassageCache() if is_fresh else context.passage_cache
    return StepContext(context.query, following.run.round, (), outcomes, context.tools, rounds, passage_cache=cache)


def _request(following: Work, context: StepContext, results: Results) -> step_io.ClaimRequest:
    entered = [run.step.shown for run, _ in results if run.claim.attempts]
    stage = following.shown if following.shown not in entered[-1:] else None
    reads = [] if context.query.has_given_sources else [part.step.reads for part in following.parts if part.step.reads]
    keys = dict.fromkeys(key for read in reads for key in read(context))
    request = claim_request(following.run, following.keys, stage)
    return request._replace(passages=context.passage_cache.missing([*keys]))


def _store_with_saves(
    completion: step_io.Completion, wanted: step_io.ClaimRequest | None, results: Results, *, in_batch: bool
) -> step_io.CompletionResult:
    """Store the results in a transaction with the rows that the steps themselves save."""
    with transaction() as session:
        if in_batch and any(run.step.ends for run, _ in results):
            # Lock order: the batch before the query's own row (db.queries.verifications.batches).
            lock_batch_of(session, uuid.UUID(completion.query_id))
        # The stage of the following work comes after the events of the saved rows.
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


def put_off(deferred: Sequence[tuple[StepRun, CallDeferred]]) -> RetryLater:
    """Hand back the items that would have to wait for a model (A7), and store the calls made so far; return when to
    deliver the message again.

    The lease covers the wait, so the query does not count as stalled. If the worker that holds the message dies, the
    lease expires and the reconciler restarts the query.
    """
    runs, longest = [run for run, _ in deferred], max((error for _, error in deferred), key=lambda error: error.wait_s)
    left_s = runs[0].context.budget.left_s
    # The wait ends shortly after the deadline: from then on no step waits for a model.
    most_s = _MAX_WAIT_S if left_s is None else min(_MAX_WAIT_S, max(left_s, 0.0) + 0.1)
    wait_s = min(max(longest.wait_s, MIN_WAIT_S), most_s)
    with transaction() as session:
        # Stored replies will be found again, and recorded then.
        _store_calls(session, runs, kept=False)
        # The hold is slightly shorter, so that a message that arrives a little early finds the items free.
        _merged(runs).hand_back(session, wait_s - MIN_WAIT_S / 2 + settings().recovery.lease_s)
        # This uses the database's clock, because another worker may hold the message.
        now = budgets.database_time(session)
    for run in runs:
        run.report("put_off")
    return RetryLater(longest.reason, eta=now + timedelta(seconds=wait_s))


def let_go(runs: Sequence[StepRun], error: Exception) -> None:
    """Store the model calls of runs that leave no results, and hand back their claims, which counts as no failed
    attempt. After an error of their own the runs keep their claims: `end_broken` follows."""
    pending = [run for run in runs if not run.calls_stored]

    def report() -> None:
        for run in pending:
            run.report("stopped" if run.is_stopped else "handed_back")

    def store_calls(session: Session) -> None:
        _store_calls(session, pending)
        after_commit(session, report)

    try:
        if isinstance(error, DatabaseUnavailable):
            _merged(runs).hand_back_soon(store_calls)
            return
        with transaction() as session:
            store_calls(session)
            if not is_own(error) and not claims.is_over():
                # The worker is alive: only an attempt that ended its worker counts as failed.
                _merged(runs).hand_back(session)
    except Exception as failure:
        log.exception("calls_not_stored", query_id=runs[0].claim.run.query_id)
        if isinstance(failure, DatabaseUnavailable) and not is_own(error):
            _merged(runs).hand_back_soon(store_calls)


def is_own(error: Exception) -> bool:
    """Return whether a step itself broke. After any other error the message comes again, or the reconciler restarts the
    query a limited number of times."""
    infrastructure = Ignore | Reject | RetryLater | DatabaseUnavailable | OperationalError | RedisError
    return not isinstance(error, infrastructure)


def end_broken(run: Run) -> None:
    """End the query of a step that broke, unless it has ended or was launched again."""
    error = {"code": "step_broke", "message": "A step failed unexpectedly; the worker logs have the details."}
    event = {"reason": error["message"], "round": run.round}
    query_id = uuid.UUID(run.query_id)
    with transaction() as session:
        if queries.find_current(session, run.query_id, run.launch) is not None:
            finish(session, query_id, QueryStatus.FAILED, error=error, event=event)
    notify_end(query_id)


def _store_calls(session: Session, runs: Sequence[StepRun], *, kept: bool = True) -> None:
    rows = [row for run in runs for row in run.calls(kept=kept)]
    model_calls.add_model_calls(session, rows, [calls for run in runs for calls in run.settled])


def _merged(runs: Iterable[StepRun]) -> Claim:
    """Return the claim on the items of all these runs, which belong to one round."""
    held = [run.claim for run in runs]
    return Claim(held[0].run, {key: attempt for claim in held for key, attempt in claim.attempts.items()})
