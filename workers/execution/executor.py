"""Executing a message: claim its steps, run them, store what they leave, go on with what follows.

A message claims the items of its steps under their natural keys (query, round, step, item), runs without an open
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

import structlog
from celery.exceptions import Ignore, Reject
from sqlalchemy.orm import Session

from clients.llm.protocol import CallDeferred
from config.settings import settings
from db.queries.runs import events, step_io
from db.queries.runs.steps import Key
from db.queries.verifications.batches import lock_batch_of
from db.session import after_commit, transaction
from domain.errors import DatabaseUnavailable
from services.core.context import PassageCache, StepContext, StepResult
from workers.execution import shutdown
from workers.execution.claims import SHORTEST_S, Claim, Entered, budget_of, claimant, claimed_alone, enter, held_claims
from workers.execution.inline import HandedOn, Onward
from workers.execution.instrumentation import Outcome, bound_to, tell_step, traced
from workers.execution.message import ComeAgain, Message
from workers.execution.step_run import HandOn, StepRun, book
from workers.execution.work import Work
from workers.processes.notifying import ring, ring_watchers

log = structlog.get_logger()

_Results = Sequence[tuple[StepRun, StepResult]]
_Deferred = Sequence[tuple[StepRun, CallDeferred]]


async def execute(work: Work, onward: Onward, message: Message | None = None) -> None:
    """Run the steps of `work` that have no outcome yet and what follows in place, and dispatch the rest. What the work
    hands on goes to the chord of its message, if that has one.

    Raises Ignore when another worker has the work or has done it, Reject when this process ends, ComeAgain when the
    message has to be delivered again, DatabaseUnavailable.
    """
    await _MessageRun(onward, message).execute(work)


class _MessageRun:
    """The execution of one message: its own work, then what follows in place."""

    def __init__(self, onward: Onward, message: Message | None) -> None:
        self._onward = onward
        self._is_redelivered = message is not None and message.is_redelivered
        self._chord = message if message is not None and message.context.chord else None
        """The message while it runs what its chord waits for."""
        self._beside = HandedOn(lambda work: execute(work, Onward()))

    async def execute(self, work: Work) -> None:
        following, entered = work, None
        try:
            while following is not None:
                with bound_to(following.run, following.name):
                    run = _WorkRun(self._onward, self._beside, self._chord, following)
                    context, entered = await run.execute(entered, is_redelivered=self._is_redelivered)
                    # What follows in place comes after the chord.
                    self._chord = None
                    following = await self._next(run.last, context, is_begun=entered is not None)
            await self._onward.launch()
        finally:
            await self._beside.ended()

    async def _next(self, work: Work, context: StepContext, *, is_begun: bool) -> Work | None:
        # What has been claimed was built before. Building anything else may read the whole answer: not on the loop.
        build = self._onward.next
        following = build(work, context) if is_begun else await asyncio.to_thread(build, work, context)
        if following is None or self._onward.is_fan_in:
            await self._beside.ended()
        if following is not None:
            self._onward.take()
        return following


class _WorkRun:
    """The execution of one work, and of what is derived from it."""

    def __init__(self, onward: Onward, beside: HandedOn, chord: Message | None, work: Work) -> None:
        self._onward, self._beside, self._chord = onward, beside, chord
        self._work = self.last = work
        """`last` is what ran last: the work, or what is derived from it."""
        self._hand_on: HandOn = chord.add_to_chord if chord is not None else beside.add
        # What a chord has to wait for besides is added when the work is stored: until then nothing may follow.
        self._goes_on = chord is None or work.handing_on is None
        self._has_added = False

    async def execute(self, entered: Entered | None, *, is_redelivered: bool) -> tuple[StepContext, Entered | None]:
        """Run all of it, or raise; return its outcomes and, if that is claimed already, what follows."""
        await _reject_if_over()
        work = self._work
        entered = entered or await enter(work)
        with traced(work.run, entered.context.query.traceparent if entered else None):
            if entered is None:
                log.info("stale_message", step=work.name, query_id=work.run.query_id, launch=work.run.launch)
                # A chord must not count what did not run: its launch may become the current one again
                # (queries.unlaunch).
                raise Ignore
            context, following = await self._run(entered.context, entered.attempts)
            for key in entered.suspects:
                async with claimed_alone(work, key) as attempts:
                    context, following = await self._run(context, attempts)
            if not _is_done(work, context):
                _leave_to_others(entered, is_redelivered=is_redelivered)
            if not self._has_added:
                await self._add(context, entered.attempts)
            return context, following

    async def _run(self, context: StepContext, attempts: Mapping[Key, int]) -> tuple[StepContext, Entered | None]:
        """Run what was claimed; return the context with the outcomes and, if that is claimed already, what follows."""
        if not attempts:
            return context, None
        claim = Claim(self._work.run, attempts)
        steps = [part.step for part in self._work.parts if claim.of(part.step.name)]
        runs = [StepRun(step, claim, context, self._hand_on) for step in steps]
        entered = None

        def stop() -> None:
            for run in runs:
                run.stop()

        async with _handed_back(claim, runs):
            with held_claims().hold(claim, stop):
                if shutdown.is_over():
                    # It was claimed after all others were stopped (workers.execution.shutdown).
                    stop()
                results, deferred = await _results(runs)
                results, context, following = await self._derived(results, context, attempts)
            if results:
                entered = await _leave(claim, context, results, [run for run, _ in deferred], following)
            if deferred:
                await _retry_later(claim, deferred)
        return context, entered

    async def _derived(
        self, results: _Results, context: StepContext, attempts: Mapping[Key, int]
    ) -> tuple[_Results, StepContext, Work | None]:
        """The results with those that are derived from them, the context with all outcomes, and what follows then."""
        context = _with_outcomes(context, results)
        while self._goes_on and _is_done(self.last, context):
            following = await self._next(context, attempts)
            if following is None or not following.is_derived:
                return results, context, following
            self._onward.take()
            self.last = following
            # What is derived has no claim of its own: the fence is that of what it is derived from.
            unclaimed = Claim(following.run, dict.fromkeys(following.keys, 0))
            derived, _ = await _results([StepRun(following.parts[0].step, unclaimed, context)])
            results, context = [*results, *derived], _with_outcomes(context, derived)
        return results, context, None

    async def _next(self, context: StepContext, attempts: Mapping[Key, int]) -> Work | None:
        """What follows in place, to be claimed as the outcomes before it are stored. Nothing when work was handed on:
        its outcomes are only seen by a claim that is made after them."""
        if self._beside.is_used:
            return None
        if not self._has_added:
            await self._add(context, attempts)
        self._has_added = True
        return await asyncio.to_thread(self._onward.next, self.last, context)

    async def _add(self, context: StepContext, attempts: Mapping[Key, int]) -> None:
        """Add what has to run besides, to the chord of the message or in place.

        Only the message that ran the work adds: one that finds it done must not make its chord wait for others' work.
        """
        step = self.last.handing_on
        if step is None or step.adds is None or (step.name, "") not in attempts:
            return
        added = await asyncio.to_thread(step.adds, self.last.run, context)
        if self._chord is not None:
            await asyncio.to_thread(self._chord.add_to_chord, *added)
        else:
            self._onward.insert(added)


async def _reject_if_over() -> None:
    """Raise Reject when this process has to end: nothing could stop what it would begin now."""
    if shutdown.is_over():
        # What was claimed while all the rest was handed back.
        await asyncio.to_thread(shutdown.hand_back)
        raise Reject(requeue=True)


def _leave_to_others(entered: Entered, *, is_redelivered: bool) -> None:
    """Raise what becomes of a message whose work others have claimed, or that must not be claimed yet."""
    if entered.put_off_s is not None:
        # It came early: this worker's clock is ahead of that of the worker that put it off.
        raise ComeAgain("the step was put off", countdown_s=max(entered.put_off_s, SHORTEST_S))
    if is_redelivered:
        # The worker that had the message before is dead, or runs it but has lost the broker.
        raise ComeAgain("another worker holds a claim", countdown_s=settings().recovery.lease_s)
    # The worker that has the rest goes on from here; if it dies, the reconciler does.
    raise Ignore


def _is_done(work: Work, context: StepContext) -> bool:
    return all(key in context.outcomes for key in work.keys)


def _with_outcomes(context: StepContext, results: _Results) -> StepContext:
    for run, result in results:
        context = context.with_outcomes(run.step.name, result.values)
    return context


async def _results(runs: Sequence[StepRun]) -> tuple[_Results, _Deferred]:
    """The result of each, and those that have to wait for a model. Raises the error of one when all have ended."""
    found = list(zip(runs, await asyncio.gather(*(run.result() for run in runs)), strict=True))
    for _, each in sorted(found, key=lambda ended: isinstance(ended[1], DatabaseUnavailable)):
        if isinstance(each, Exception) and not isinstance(each, CallDeferred):
            raise each
    results = [(run, each) for run, each in found if isinstance(each, StepResult)]
    return results, [(run, each) for run, each in found if isinstance(each, CallDeferred)]


async def _retry_later(claim: Claim, deferred: _Deferred) -> None:
    """Hand back the claims of what has to wait for a model, and raise ComeAgain."""
    waiting = [run for run, _ in deferred]
    longest = max((error for _, error in deferred), key=lambda error: error.wait_s)
    late = claim.only([run.step.name for run in waiting])
    # Kept replies will be found again, and recorded then.
    pay = partial(book, runs=waiting, kept=False)
    again = await asyncio.to_thread(late.retry_later, waiting[0].context, longest, pay)
    _tell(waiting, "put_off")
    raise again from longest


@asynccontextmanager
async def _handed_back(claim: Claim, runs: Sequence[StepRun]) -> AsyncGenerator[None]:
    """Hand the claim back if Postgres is lost within the block: no fault of the steps, and what they paid is stored
    later. On any other error it is stored now: whatever becomes of the steps, the ledger has their calls."""

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
    except (Ignore, Reject, ComeAgain):
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
    """Store the results, and claim what follows. Raises Ignore when they are not needed any more, Reject when this
    process ends; then those that are `waiting` do not come again either."""
    completion = _completion(claim, context, results)
    begun = _begun(context, following) if following is not None else None
    wanted = _wanted(results, begun, following) if following is not None and begun is not None else None
    if any(not result.values or result.save is not None for _, result in results):
        completed = await asyncio.to_thread(_saved, completion, wanted, results)
    else:
        completed = await step_io.complete_steps(completion, wanted)
    for run, result in results:
        run.is_paid = True
        tell_step(run, "stopped" if not result.values else "done" if completed.kept else "superseded")
    if not completed.kept:
        await asyncio.to_thread(_give_up, claim, waiting)
        _tell(waiting, "superseded")
        log.info("superseded", step=results[0][0].step.name, query_id=str(context.query.id))
        await _reject_if_over()
        raise Ignore  # another worker holds this claim now, or the query has ended
    if completed.entered or any(result.events or result.save is not None for _, result in results):
        notify = ring if any(run.step.ends for run, _ in results) else ring_watchers
        await asyncio.to_thread(notify, context.query.id)
    if following is None or begun is None:
        return None
    if set(completed.claimed) != set(following.keys):
        # Another worker has some of it: then it is claimed anew, as any other work.
        await asyncio.to_thread(Claim(following.run, completed.claimed).hand_back_soon)
        return None
    begun.passage_cache.add(completed.passages)
    return Entered(
        replace(begun, budget=budget_of(context.query.options, completed.used_s, completed.spent_usd)),
        completed.claimed,
    )


def _completion(claim: Claim, context: StepContext, results: _Results) -> step_io.Completion:
    runs = [run for run, _ in results]
    values = {(run.step.name, item): value for run, result in results for item, value in result.values.items()}
    return step_io.Completion(
        claim.run.query_id,
        claim.run.round,
        {key: value for key, value in values.items() if key in claim.attempts},
        claim.attempts,
        also={step: value for (step, item), value in values.items() if (step, item) not in claim.attempts},
        calls=[row for run in runs for row in run.calls()],
        settled=[each for run in runs for each in run.settled],
        events=_events(results),
        # A query that is cancelled meanwhile gets no answer; what ends a query looks at that itself.
        notes=any(result.save is not None for _, result in results) and not runs[-1].step.ends,
    )


def _events(results: _Results) -> list[events.EventData]:
    """Their events in order; a derived step that ends the query is a stage that is never entered."""
    told: list[events.EventData] = []
    for run, result in results:
        if run.is_derived and run.step.ends:
            told.append(("stage", {"stage": run.step.stage}))
        told += result.events
    return told


def _begun(context: StepContext, following: Work) -> StepContext:
    """The context of what follows, with what this process knows already."""
    rounds = {**context.rounds, context.round: context.outcomes}
    outcomes = dict(rounds.get(following.run.round, {}))
    passages = PassageCache() if following.is_fresh else context.passage_cache
    return StepContext(
        context.query, following.run.round, (), outcomes, context.tools, {**rounds}, passage_cache=passages
    )


def _wanted(results: _Results, begun: StepContext, following: Work) -> step_io.ClaimRequest:
    """The claim on what follows, with its stage if it is another one, and the passages to load for it."""
    entered = [run.step.stage for run, _ in results if not run.is_derived]
    stage = following.stage if following.stage not in entered[-1:] else None
    keys = following.reads(begun) if not begun.query.is_external else ()
    return step_io.ClaimRequest(
        following.run.round, following.keys, claimant(following), stage, begun.passage_cache.missing(keys)
    )


def _saved(
    completion: step_io.Completion, wanted: step_io.ClaimRequest | None, results: _Results
) -> step_io.CompletionResult:
    """Store it in a transaction with what the steps save. Nothing is kept when one of them was stopped.

    Calls are stored even when the outcome is not: they were paid for.
    """
    with transaction() as session:
        if any(run.step.ends for run, _ in results):
            # Locked before the query's own row, as by all that ends items of a batch
            # (db.queries.verifications.batches).
            lock_batch_of(session, uuid.UUID(completion.query_id))
        if not all(result.values for _, result in results):
            book(session, [run for run, _ in results])
            return step_io.NOT_STORED
        # The stage of what follows comes after the events of what is saved.
        completed = step_io.complete_steps_within(session, completion, wanted and wanted._replace(stage=None))
        if not completed.kept:
            return completed
        for _, result in results:
            if result.save is not None:
                result.save(session)
        if wanted is not None and wanted.stage and set(completed.claimed) == set(wanted.keys):
            entered = events.record_progress(session, uuid.UUID(completion.query_id), wanted.stage)
            completed = completed._replace(entered=bool(entered))
        return completed


def _give_up(claim: Claim, waiting: Sequence[StepRun]) -> None:
    with transaction() as session:
        book(session, waiting)
        if not shutdown.is_over():
            # Late, but alive: only a try that ended with its worker counts as failed.
            claim.hand_back(session)


def _tell(runs: Sequence[StepRun], outcome: Outcome) -> None:
    for run in runs:
        tell_step(run, outcome)
