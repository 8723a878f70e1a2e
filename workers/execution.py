"""Executing a message: claim its steps, run them, store what they leave, go on with what follows.

A message claims the items of its steps under their natural keys (query, round, step, item), works without an open
transaction, and stores its outcomes in one. Items that have an outcome are not worked on again, so redelivery, restart
and reconciliation are all the same harmless thing. All of it is one coroutine on the loop of the process; what asks
the database does so in a thread.
"""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial
from typing import Literal

import structlog
from celery.exceptions import Ignore, Reject
from sqlalchemy.orm import Session

from clients.llm.protocol import CallDeferred
from config.settings import settings
from db.queries import entries, events
from db.queries.batches import lock_batch_of
from db.queries.steps import Key
from db.session import after_commit, transaction
from domain.errors import DatabaseUnavailable
from services.step import Library, StepContext, StepResult
from workers import draining
from workers.chords import Beside, Chord, add_what_follows, handing_on, what_is_added, with_spread
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
                work, context, entered = await _executed(work, entered, onward, beside, message, redelivered=is_again)
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
) -> tuple[Work, StepContext, Entered | None]:
    """Do one work, and what is derived from it; return the last one, its outcomes and, if it is begun already, what
    follows."""
    await _still_there()
    chord = Chord(message) if message is not None and message.context.chord else None
    entered = with_spread(work, entered or await enter(work), chord or beside)
    with traced(work.run, entered.context.query.traceparent if entered else None):
        goes_on = _GoesOn(work, onward, beside) if chord is None or handing_on(work) is None else None
        context, following = await _do(work, entered, goes_on, redelivered=redelivered)
        if goes_on is None or not goes_on.has_added:
            await add_what_follows(work, entered, context, message, onward)
    return goes_on.last if goes_on else work, context, following


class _GoesOn:
    """Goes on behind a work before its outcomes are stored, so that what follows is claimed with them: not when
    something goes on beside it, which leaves what is only seen by whoever enters behind it."""

    def __init__(self, work: Work, onward: Onward, beside: Beside) -> None:
        self.last = work
        self.has_added = False
        self._onward, self._beside = onward, beside

    async def next(self, context: StepContext, claimed: Mapping[Key, int]) -> Work | None:
        """What follows in place; its additions are made by whoever has `claimed` the step that has any."""
        if self._beside.is_used:
            return None
        if not self.has_added and (adding := what_is_added(self.last, claimed)) is not None:
            self._onward.insert(await asyncio.to_thread(adding, self.last.run, context))
        self.has_added = True
        return await asyncio.to_thread(self._onward.next, self.last, context)

    def take(self, derived: Work) -> None:
        """Go on behind what `next` returned: it is done now."""
        self._onward.take()
        self.last = derived


async def _still_there() -> None:
    """Raise Reject when this process has to end: what it would begin now nobody would stop any more."""
    if draining.is_over():
        # What was claimed while all the rest was handed back.
        await asyncio.to_thread(draining.hand_back)
        raise Reject(requeue=True)


async def _do(
    work: Work, entered: Entered | None, goes_on: _GoesOn | None, *, redelivered: bool
) -> tuple[StepContext, Entered | None]:
    """Do what can be done of it, all or raise; return its outcomes and, if it is begun already, what follows."""
    if entered is None:
        log.info("stale_message", step=work.name, query_id=work.run.query_id, launch=work.run.launch)
        # A chord must not count what was not done: its launch may become the current one again (queries.unlaunch).
        raise Ignore
    context, following = await _work(work, entered.context, entered.attempts, goes_on)
    for key in entered.suspects:
        async with alone():
            attempts = await asyncio.to_thread(claim_alone, work, key)
            context, following = await _work(work, context, attempts, goes_on)
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
    work: Work, context: StepContext, attempts: Mapping[Key, int], goes_on: _GoesOn | None
) -> tuple[StepContext, Entered | None]:
    """Work on what was claimed; return the context with the outcomes and, if it is begun already, what follows."""
    if not attempts:
        return context, None
    claim = Claim(work.run, attempts)
    runs = [StepRun(part.step, claim, context) for part in work.parts if claim.of(part.step.name)]
    following = None
    async with _handed_back(claim, runs):
        with _held(claim, runs):
            results, deferred = await _results(runs)
            context = _with_outcomes(context, results)
            while goes_on is not None and _is_done(goes_on.last, context):
                following = await goes_on.next(context, attempts)
                if following is None or not following.is_derived:
                    break
                goes_on.take(following)
                derived, _ = await _results([StepRun(following.parts[0].step, _derived(following), context)])
                results, context, following = [*results, *derived], _with_outcomes(context, derived), None
        entered = await _leave(claim, context, results, [run for run, _ in deferred], following) if results else None
        if deferred:
            await _come_again(claim, deferred)
    return context, entered


def _derived(work: Work) -> Claim:
    """Nobody claims what is derived: it is fenced with what it is derived from."""
    return Claim(work.run, dict.fromkeys(work.keys, 0))


def _with_outcomes(context: StepContext, results: _Results) -> StepContext:
    for run, result in results:
        context = context.with_outcomes(run.step.name, result.values)
    return context


@contextmanager
def _held(claim: Claim, runs: Sequence[StepRun]) -> Generator[None]:
    """Keep the claim for the length of the block, and stop the runs when nobody needs them or this process ends."""

    def stop() -> None:
        for run in runs:
            run.stop()

    with held_claims().hold(claim, stop), draining.stoppable(runs):
        yield


async def _results(runs: Sequence[StepRun]) -> tuple[_Results, _Deferred]:
    """What each of them leaves, and those that have to wait for a model. An error is raised when all have ended."""
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
    leaving = _leaving(claim, context, results)
    begun = _begun(context, following) if following is not None else None
    wanted = _wanted(results, begun, following) if following is not None and begun is not None else None
    if any(not result.values or result.save is not None for _, result in results):
        left = await asyncio.to_thread(_saved, leaving, wanted, results)
    else:
        left = await entries.leave(leaving, wanted)
    for run, result in results:
        run.is_paid = True
        tell_step(run, "stopped" if not result.values else "done" if left.kept else "superseded")
    if not left.kept:
        await asyncio.to_thread(_give_up, claim, waiting)
        _tell(waiting, "superseded")
        log.info("superseded", step=results[0][0].step.name, query_id=str(context.query.id))
        await _still_there()
        raise Ignore  # another worker holds this claim now and will answer for it, or nobody needs to
    if left.entered or any(result.events or result.save is not None for _, result in results):
        tell = ring if any(run.step.ends for run, _ in results) else ring_watchers
        await asyncio.to_thread(tell, context.query.id)
    if following is None or begun is None:
        return None
    if set(left.claimed) != set(following.keys):
        # Not all of it: then it is entered like any other.
        await asyncio.to_thread(Claim(following.run, left.claimed).hand_back_soon)
        return None
    begun.library.add(left.passages)
    return Entered(replace(begun, budget=budget_of(context.query.options, left.used_s, left.spent_usd)), left.claimed)


def _leaving(claim: Claim, context: StepContext, results: _Results) -> entries.Leaving:
    runs = [run for run, _ in results]
    values = {(run.step.name, item): value for run, result in results for item, value in result.values.items()}
    return entries.Leaving(
        claim.run.query_id,
        claim.run.round,
        {key: value for key, value in values.items() if key in claim.attempts},
        claim.attempts,
        also={step: value for (step, item), value in values.items() if (step, item) not in claim.attempts},
        calls=[row for run in runs for row in run.calls()],
        settled=[each for run in runs for each in run.settled],
        events=_events(results),
    )


def _events(results: _Results) -> list[events.EventData]:
    """What they tell, in their order; a derived end is a stage of its own that nobody enters."""
    told: list[events.EventData] = []
    for run, result in results:
        if run.is_derived and run.step.ends:
            told.append(("stage", {"stage": run.step.stage}))
        told += result.events
    return told


def _begun(context: StepContext, following: Work) -> StepContext:
    """What follows, with what this process knows already."""
    rounds = {**context.rounds, context.round: context.outcomes}
    outcomes = dict(rounds.get(following.run.round, {}))
    library = Library() if following.is_fresh else context.library
    return StepContext(context.query, following.run.round, (), outcomes, context.tools, {**rounds}, library=library)


def _wanted(results: _Results, begun: StepContext, following: Work) -> entries.Wanted:
    """What follows, with its stage if it is another one, and the passages that it reads and nobody has loaded."""
    entered = [run.step.stage for run, _ in results if not run.is_derived]
    stage = following.stage if following.stage not in entered[-1:] else None
    keys = following.reads(begun) if not begun.query.is_given else ()
    return entries.Wanted(following.run.round, following.keys, claimant(following), stage, begun.library.missing(keys))


def _saved(leaving: entries.Leaving, wanted: entries.Wanted | None, results: _Results) -> entries.Left:
    """The same as a transaction with what the steps save. Nothing is kept when one of them was stopped.

    Calls are stored even when the outcome is not: they were paid for.
    """
    with transaction() as session:
        if any(run.step.ends for run, _ in results):
            # Before the query's own row, as everybody does who ends items of a batch (db.queries.batches).
            lock_batch_of(session, uuid.UUID(leaving.query_id))
        if not all(result.values for _, result in results):
            book(session, [run for run, _ in results])
            return entries.NOT_KEPT
        # The stage of what follows comes behind the events of what is saved.
        left = entries.leave_within(session, leaving, wanted and wanted._replace(stage=None))
        saves = [result.save for _, result in results if result.save is not None] if left.kept else []
        if saves and not leaving.events and not results[-1][0].step.ends:
            # One that was cancelled meanwhile gets no answer; it cannot end before this transaction does.
            left = left._replace(kept=events.note_progress(session, uuid.UUID(leaving.query_id)) is not None)
            saves = saves if left.kept else []
        for save in saves:
            save(session)
        if left.kept and wanted is not None and wanted.stage and set(left.claimed) == set(wanted.keys):
            entered = events.note_progress(session, uuid.UUID(leaving.query_id), wanted.stage)
            left = left._replace(entered=bool(entered))
        return left


def _give_up(claim: Claim, waiting: Sequence[StepRun]) -> None:
    with transaction() as session:
        book(session, waiting)
        if not draining.is_over():
            # Late, but alive: only those count as failed tries that end with their worker.
            claim.hand_back(session)


def _tell(runs: Sequence[StepRun], outcome: Literal["superseded", "handed_back"]) -> None:
    for run in runs:
        tell_step(run, outcome)
