"""Executing a message: claim its steps, run them, store what they leave, go on with what follows.

A message claims the items of its steps under their natural keys (query, round, step, item), works without an open
transaction, and stores its outcomes in one. Items that have an outcome are not worked on again, so redelivery, restart
and reconciliation are all the same harmless thing. All of it is one coroutine on the loop of the process; what asks
the database does so in a thread.
"""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Literal

import structlog
from celery.exceptions import Ignore, Reject
from sqlalchemy.orm import Session

from clients.llm.protocol import CallDeferred
from config.settings import settings
from db.queries import entries, events
from db.queries.steps import Key
from db.session import after_commit, transaction
from domain.errors import DatabaseUnavailable
from services.step import Outcome, StepContext, StepResult
from workers import draining
from workers.chords import Beside, Chord, add_what_follows, handing_on, with_spread
from workers.claims import Entered, alone, budget_of, claim_alone, claimant, enter
from workers.deferral import SHORTEST_S, put_off
from workers.message import Message
from workers.observing import bound_to, tell_step, traced
from workers.onward import Onward
from workers.ringing import ring, ring_watchers
from workers.step_run import StepRun, book
from workers.work import Claim, Work, held_claims

log = structlog.get_logger()

_Results = Sequence[tuple[StepRun, StepResult]]
_Deferred = Sequence[tuple[StepRun, CallDeferred]]


async def execute(work: Work, onward: Onward, message: Message | None = None) -> None:
    """Do what is not done yet and what follows in place, and launch the rest; what the work hands on goes to the chord
    of its message, if that has one.

    Raises Ignore when somebody else does or has done the work, Reject when this process ends, CallDeferred when the
    message has to come again.
    """
    is_again = message is not None and message.is_redelivered
    following, entered = work, None
    beside = Beside(lambda handed_on: execute(handed_on, Onward()))
    try:
        while following is not None:
            work = following
            with bound_to(work.run, work.name):
                context, entered = await _executed(work, entered, onward, beside, message, redelivered=is_again)
            # What follows in place is behind the chord.
            message = None
            # What is begun is known; what builds anything else may read the whole answer.
            begun = entered is not None
            following = onward.next(work, context) if begun else await asyncio.to_thread(onward.next, work, context)
            if following is None or onward.is_fan_in:
                await beside.ended()
            if following is not None:
                onward.take()
        await onward.launch()
    finally:
        await beside.ended()


async def _executed(
    work: Work, entered: Entered | None, onward: Onward, beside: Beside, message: Message | None, *, redelivered: bool
) -> tuple[StepContext, Entered | None]:
    """Do one work; return its outcomes and, if it is begun already, what follows."""
    await _still_there()
    adding = Chord(message) if message is not None and message.context.chord else beside
    entered = with_spread(work, entered or await asyncio.to_thread(enter, work), adding)
    with traced(work.run, entered.context.query.traceparent if entered else None):
        # What goes on beside it leaves something that is only seen by whoever enters behind it.
        goes_on = onward if handing_on(work) is None and not beside.is_used else None
        context, following = await _do(work, entered, goes_on, redelivered=redelivered)
        await add_what_follows(work, entered, context, message, onward)
    return context, following


async def _still_there() -> None:
    """Raise Reject when this process has to end: what it would begin now nobody would stop any more."""
    if draining.is_over():
        # What was claimed while all the rest was handed back.
        await asyncio.to_thread(draining.hand_back)
        raise Reject(requeue=True)


async def _do(
    work: Work, entered: Entered | None, onward: Onward | None, *, redelivered: bool
) -> tuple[StepContext, Entered | None]:
    """Do what can be done of it, all or raise; return its outcomes and, if it is begun already, what follows."""
    if entered is None:
        log.info("stale_message", step=work.name, query_id=work.run.query_id, launch=work.run.launch)
        # A chord must not count what was not done: its launch may become the current one again (queries.unlaunch).
        raise Ignore
    context, following = await _work(work, entered.context, entered.attempts, onward)
    for key in entered.suspects:
        async with alone():
            attempts = await asyncio.to_thread(claim_alone, work, key)
            context, following = await _work(work, context, attempts, onward)
    if _is_done(work, context):
        return context, following
    if entered.put_off_s is not None:
        # It came early: this worker's clock is ahead of that of whoever put it off.
        raise CallDeferred(max(entered.put_off_s, SHORTEST_S), "the step was put off")
    if redelivered:
        # Whoever had the message before is dead, or at work behind a broken connection to the broker.
        raise CallDeferred(settings().recovery.lease_s, "somebody holds a claim")
    # Whoever works on the rest goes on from here; if they stop, the reconciler does.
    raise Ignore


def _is_done(work: Work, context: StepContext) -> bool:
    return all(key in context.outcomes for key in work.keys)


async def _work(
    work: Work, context: StepContext, attempts: Mapping[Key, int], onward: Onward | None
) -> tuple[StepContext, Entered | None]:
    """Work on what was claimed; return the context with the outcomes and, if it is begun already, what follows."""
    if not attempts:
        return context, None
    claim = Claim(work.run, attempts)
    runs = [StepRun(part.step, claim, context) for part in work.parts if claim.of(part.step.name)]
    async with _handed_back(claim, runs):
        results, deferred = await _results(claim, runs)
        for run, result in results:
            context = context.with_outcomes(run.step.name, result.values)
        following = None
        if onward is not None and _is_done(work, context):
            # What builds it may read the whole answer.
            following = await asyncio.to_thread(onward.next, work, context)
        entered = await _leave(claim, context, results, [run for run, _ in deferred], following) if results else None
        if deferred:
            await _come_again(claim, deferred)
    return context, entered


async def _results(claim: Claim, runs: Sequence[StepRun]) -> tuple[_Results, _Deferred]:
    """What each of them leaves, and those that have to wait for a model. An error is raised when all have ended."""

    def stop() -> None:
        for run in runs:
            run.stop()

    with held_claims().hold(claim, stop), draining.stoppable(runs):
        found = list(zip(runs, await asyncio.gather(*(run.result() for run in runs)), strict=True))
    for _, each in sorted(found, key=lambda ended: isinstance(ended[1], DatabaseUnavailable)):
        if isinstance(each, Exception) and not isinstance(each, CallDeferred):
            raise each
    results = [(run, each) for run, each in found if isinstance(each, StepResult)]
    return results, [(run, each) for run, each in found if isinstance(each, CallDeferred)]


async def _come_again(claim: Claim, deferred: _Deferred) -> None:
    """Hand back what has to wait for a model, and raise PutOff."""
    waiting = [run for run, _ in deferred]
    longest = max((error for _, error in deferred), key=lambda error: error.wait_s)
    late = claim.only([run.step.name for run in waiting])
    # What was kept will be found again, and told then.
    pay = partial(book, runs=waiting, kept=False)
    come_again = await asyncio.to_thread(put_off, late, waiting[0].context, longest, pay)
    for run in waiting:
        tell_step(run, "put_off")
    raise come_again from longest


@asynccontextmanager
async def _handed_back(claim: Claim, runs: Sequence[StepRun]) -> AsyncGenerator[None]:
    """When Postgres goes away within the block: no fault of the steps, and what they paid is stored later. When
    anything else breaks it is stored now: whatever becomes of the steps, the ledger has their calls."""

    def pay(session: Session) -> None:
        unpaid = [run for run in runs if not run.is_paid]
        book(session, unpaid)
        after_commit(session, partial(_tell, unpaid, "handed_back"))

    def pay_now() -> None:
        with transaction() as session:
            pay(session)

    try:
        yield
    except DatabaseUnavailable:
        await asyncio.to_thread(claim.hand_back_soon, pay)
        raise
    except (Ignore, Reject, CallDeferred):
        raise
    except Exception:
        try:
            await asyncio.to_thread(pay_now)
        except Exception:
            log.exception("calls_not_stored", query_id=claim.run.query_id)
        raise


async def _leave(
    claim: Claim, context: StepContext, results: _Results, waiting: Sequence[StepRun], following: Work | None
) -> Entered | None:
    """Store everything, and begin what follows. Raises Ignore when nobody needs it, Reject when this process ends;
    then those that are `waiting` do not come again either."""
    is_kept, stage, entered = await asyncio.to_thread(_stored, claim, context, results, waiting, following)
    for run, result in results:
        run.is_paid = True
        tell_step(run, "stopped" if not result.values else "done" if is_kept else "superseded")
    if not is_kept:
        _tell(waiting, "superseded")
        log.info("superseded", step=results[0][0].step.name, query_id=str(context.query.id))
        await _still_there()
        raise Ignore  # another worker holds this claim now and will answer for it, or nobody needs to
    if stage is not None or any(result.events or result.save is not None for _, result in results):
        tell = ring if any(run.step.ends for run, _ in results) else ring_watchers
        await asyncio.to_thread(tell, context.query.id)
    return entered


def _stored(
    claim: Claim, context: StepContext, results: _Results, waiting: Sequence[StepRun], following: Work | None
) -> tuple[bool, str | None, Entered | None]:
    """The transaction of `_leave`: whether the outcomes were kept, the stage that was entered, and what follows."""
    values = {(run.step.name, item): value for run, result in results for item, value in result.values.items()}
    stage: str | None = None
    with transaction() as session:
        # Calls are stored even when the outcome is not: they were paid for.
        book(session, [run for run, _ in results])
        left = _left(session, claim, values, following) if all(result.values for _, result in results) else None
        entered = _entered(context, left, following) if left is not None else None
        if following is not None and entered is not None:
            stage = following.stage if following.stage != results[0][0].step.stage else None
        elif left is not None and following is not None:
            # Not all of it: then it is entered like any other.
            Claim(following.run, left.claimed).hand_back(session)
        is_kept = left is not None and _told(session, context.query.id, results, stage)
        if not is_kept:
            book(session, waiting)
        if not is_kept and not draining.is_over():
            # Late, but alive: only those count as failed tries that end with their worker.
            claim.hand_back(session)
    return is_kept, stage, entered


def _tell(runs: Sequence[StepRun], outcome: Literal["superseded", "handed_back"]) -> None:
    for run in runs:
        tell_step(run, outcome)


def _left(session: Session, claim: Claim, values: Mapping[Key, Outcome], following: Work | None) -> entries.Left | None:
    wanted = None
    if following is not None:
        wanted = entries.Wanted(following.run.round, following.keys, claimant(following))
    left = entries.leave(session, claim.run.query_id, claim.run.round, values, claim.attempts, wanted)
    return left if left.kept else None


def _entered(context: StepContext, left: entries.Left, following: Work | None) -> Entered | None:
    """What follows, with what this process knows already, if all of it was claimed."""
    if following is None or set(left.claimed) != set(following.keys):
        return None
    rounds = {**context.rounds, context.round: context.outcomes}
    outcomes = dict(rounds.get(following.run.round, {}))
    budget = budget_of(context.query.options, left.used_s, left.spent_usd)
    begun = StepContext(context.query, following.run.round, (), outcomes, context.tools, {**rounds}, budget=budget)
    return Entered(begun if following.is_fresh else replace(begun, library=context.library), left.claimed)


def _told(session: Session, query_id: uuid.UUID, results: _Results, stage: str | None) -> bool:
    """Tell what the steps have to tell, do what they want done in the transaction, and enter the `stage` of what
    follows. False when the query has ended: one that was cancelled meanwhile gets no answer and no event after its
    end."""
    told = [event for _, result in results for event in result.events]
    saves = [result.save for _, result in results if result.save is not None]
    ends = any(run.step.ends for run, _ in results)
    if ends:
        events.add_events(session, query_id, told)
    elif (told or saves or stage) and events.note_progress(session, query_id, None if saves else stage, told) is None:
        return False
    for save in saves:
        save(session)
    if saves and stage:
        # Behind the events of what was saved.
        events.note_progress(session, query_id, stage)
    return True
