"""Executes a message: acquires claims on its items, runs their steps, stores the results, and continues in place.

The items of a message are claimed under their natural keys (query, round, step, item). No transaction is open while
the steps run; their results are stored in a single one (workers.execution.result_storage). Items that have an outcome
are skipped, so redelivery, restart and reconciliation are harmless. Everything is one coroutine on the event loop of
the process; blocking database work runs in threads.
"""

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager

import structlog
from celery.exceptions import Ignore, Reject

from clients.llm.protocol import CallDeferred
from config.settings import settings
from db.queries.runs.steps import Key
from domain.errors import DatabaseUnavailable
from services.core.context import StepContext, StepResult
from workers.execution import shutdown
from workers.execution.acquisition import Acquired, acquire, suspect_claimed
from workers.execution.claims import MIN_WAIT_S, Claim, held_claims
from workers.execution.inline import Continuation, ParallelWork
from workers.execution.instrumentation import log_context, traced
from workers.execution.message import Message, RetryLater
from workers.execution.result_storage import Deferred, Results, defer, give_up, hand_back_on_error, store_results
from workers.execution.step_run import Dispatch, StepRun
from workers.execution.work import Work

log = structlog.get_logger()


async def execute(work: Work, continuation: Continuation, message: Message | None = None) -> StepContext:
    """Run the steps of `work` that have no outcome yet and what follows in place, and dispatch the rest; return the
    outcomes. Items that the work spreads join the chord of its message, if it has one.

    Raises Ignore when another worker has the work or has done it, Reject when this process ends, RetryLater when the
    message has to be delivered again, DatabaseUnavailable.
    """
    return await _MessageRun(continuation, message).execute(work)


class _MessageRun:
    """The execution of one message: its own work, then what follows in place."""

    def __init__(self, continuation: Continuation, message: Message | None) -> None:
        self.continuation = continuation
        self.is_redelivered = message is not None and message.is_redelivered
        self.chord = message if message is not None and message.context.chord else None
        """The message, until the work that its chord waits for is done."""
        self.parallel = ParallelWork(lambda work: execute(work, Continuation()))

    async def execute(self, work: Work) -> StepContext:
        acquired = None
        try:
            while True:
                with log_context(work.run, work.name):
                    run = _WorkRun(self, work)
                    context, acquired = await run.execute(acquired)
                    # What follows in place comes after the chord.
                    self.chord = None
                    following = await self._next(run.last, context, is_acquired=acquired is not None)
                if following is None:
                    await self.continuation.launch()
                    return context
                work = following
        finally:
            await self.parallel.join()

    async def _next(self, work: Work, context: StepContext, *, is_acquired: bool) -> Work | None:
        # Work that is acquired was built before. Building other work may read the whole answer: not on the loop.
        build = self.continuation.next
        following = build(work, context) if is_acquired else await asyncio.to_thread(build, work, context)
        if following is None or self.continuation.is_fan_in:
            await self.parallel.join()
        if following is not None:
            self.continuation.advance()
        return following


class _Unfinished:
    """Steps of a work that still run while what another one of them added runs beside them."""

    def __init__(self, claim: Claim, runs: Sequence[StepRun]) -> None:
        self.claim, self._runs = claim, runs
        self.is_joined = False

    def join(self) -> Sequence[StepRun]:
        """The steps, for the first who asks: who joins them stores their results."""
        runs, self.is_joined = () if self.is_joined else self._runs, True
        return runs


class _WorkRun:
    """The execution of one work, of what its steps add, and of the derived steps after it."""

    def __init__(self, message: _MessageRun, work: Work, earlier: _Unfinished | None = None) -> None:
        """`earlier`: steps of the work before it, whose results are stored with its own."""
        self._message, self._continuation, self._parallel = message, message.continuation, message.parallel
        self._chord = chord = message.chord
        self._work = self.last = work
        """`last` is the last work that ran: this one, or one after it."""
        self._earlier = earlier or _Unfinished(Claim(work.run, {}), ())
        self._dispatch: Dispatch = chord.add_to_chord if chord is not None else self._parallel.add
        # A chord gets its additional parts when the work is stored: until then nothing may follow.
        self._may_continue = chord is None or work.spreading_step is None
        self._has_added = False

    async def execute(self, acquired: Acquired | None) -> tuple[StepContext, Acquired | None]:
        await shutdown.reject_if_over()
        work = self._work
        acquired = acquired or await acquire(work)
        with traced(work.run, acquired.context.query.traceparent if acquired else None):
            if acquired is None:
                log.info("stale_message", step=work.name, query_id=work.run.query_id, launch=work.run.launch)
                # A chord must not count work that did not run: its launch may become the current one again
                # (queries.unlaunch).
                raise Ignore
            context, following = await self._run(acquired.context, acquired.attempts)
            for key in acquired.suspects:
                async with suspect_claimed(work, key) as attempts:
                    context, following = await self._run(context, attempts)
            if not _is_done(work.keys, context):
                _leave_to_others(acquired, is_redelivered=self._message.is_redelivered)
            if not self._has_added:
                await self._add(context, acquired.attempts)
            return context, following

    async def _run(self, context: StepContext, attempts: Mapping[Key, int]) -> tuple[StepContext, Acquired | None]:
        """Run the claimed items and store their results; return the context with the outcomes and the claim on what
        follows, if it was claimed already."""
        earlier = self._earlier.join()
        if not attempts and not earlier:
            return context, None
        claim = Claim(self._work.run, attempts)
        steps = [part.step for part in self._work.parts if claim.of(part.step.name)]
        runs = [StepRun(step, claim, context, self._dispatch) for step in steps]
        acquired = None

        def stop() -> None:
            for run in runs:
                run.stop()

        async with hand_back_on_error(claim, runs):
            with held_claims().hold(claim, stop):
                if shutdown.is_over():
                    # Claimed after all other work was stopped (workers.execution.shutdown).
                    stop()
                if (done := await self._run_added_early(claim, runs, context)) is not None:
                    return done
                results, deferred = await _gather_results([*earlier, *runs])
                results, context, following = await self._run_derived(results, context, attempts)
            claim = Claim(claim.run, {**self._earlier.claim.attempts, **attempts})
            if results:
                acquired = await store_results(claim, context, results, [run for run, _ in deferred], following)
            if deferred:
                await defer(claim, deferred)
        return context, acquired

    async def _run_added_early(
        self, claim: Claim, runs: Sequence[StepRun], context: StepContext
    ) -> tuple[StepContext, Acquired | None] | None:
        """If the step that adds in place ends before the others, store it and run what it adds beside them; their
        results are stored with those of what was added. None if it ends last, fails, or adds nothing."""
        adding = next((run for run in runs if run.step is self._work.spreading_step), None)
        if adding is None or self._chord is not None or not _is_done(self._work.keys, context, claim.attempts):
            return None
        rest = [run for run in runs if run is not adding]
        async with _ended_on_error(runs):
            result = await asyncio.shield(adding.end)
            if all(run.end.done() for run in rest) or not isinstance(result, StepResult) or not result.values:
                return None
            context = _with_outcomes(context, [(adding, result)])
            following, context = await self._next(context, claim.attempts)
            if following is None or self._continuation.is_fan_in:
                return None
            unfinished = _Unfinished(claim.only({run.step.name for run in rest}), rest)
            beside = _WorkRun(self._message, following, unfinished)
            stored = claim.only({adding.step.name})
            try:
                acquired = await store_results(stored, context, [(adding, result)], (), following)
                self._continuation.advance()
                with log_context(following.run, following.name):
                    done = await beside.execute(acquired)
            except (Ignore, Reject, RetryLater):
                if not unfinished.is_joined:
                    await _stop(rest)
                    await asyncio.to_thread(give_up, unfinished.claim, rest)
                raise
        self.last = beside.last
        return done

    async def _run_derived(
        self, results: Results, context: StepContext, attempts: Mapping[Key, int]
    ) -> tuple[Results, StepContext, Work | None]:
        context = _with_outcomes(context, results)
        while self._may_continue and _is_done([*self._earlier.claim.attempts, *self.last.keys], context):
            following, context = await self._next(context, attempts)
            if following is None or not following.is_derived:
                return results, context, following
            self._continuation.advance()
            self.last = following
            # A derived step has no claim of its own: the claim that it is stored with fences it.
            unclaimed = Claim(following.run, dict.fromkeys(following.keys, 0))
            derived, _ = await _gather_results([StepRun(following.parts[0].step, unclaimed, context)])
            results, context = [*results, *derived], _with_outcomes(context, derived)
        return results, context, None

    async def _next(self, context: StepContext, attempts: Mapping[Key, int]) -> tuple[Work | None, StepContext]:
        """The work that follows in place, to be claimed as the outcomes before it are stored, and the context for it.
        None while it waits for parallel work."""
        if not self._has_added:
            await self._add(context, attempts)
        self._has_added = True
        if self._continuation.is_fan_in:
            if (merged := self._parallel.merged(context)) is None:
                return None, context
            context = merged
        return await asyncio.to_thread(self._continuation.next, self.last, context), context

    async def _add(self, context: StepContext, attempts: Mapping[Key, int]) -> None:
        """Add the parts that a step `adds`, to the chord of the message or in place.

        Only the message that ran the work adds: one that finds it done must not make its chord wait for other workers.
        """
        step = self.last.spreading_step
        if step is None or step.adds is None or (step.name, "") not in attempts:
            return
        added = await asyncio.to_thread(step.adds, self.last.run, context)
        if self._chord is not None:
            await asyncio.to_thread(self._chord.add_to_chord, *added)
        else:
            self._continuation.insert(added)


def _leave_to_others(acquired: Acquired, *, is_redelivered: bool) -> None:
    """Raise the fate of a message whose items others have claimed, or that must not be claimed yet."""
    if acquired.put_off_s is not None:
        # The message is early: this worker's clock is ahead of the one that deferred it.
        raise RetryLater("the step was put off", countdown_s=max(acquired.put_off_s, MIN_WAIT_S))
    if is_redelivered:
        # The worker that had the message before is dead, or still runs it but has lost the broker.
        raise RetryLater("another worker holds a claim", countdown_s=settings().recovery.lease_s)
    # The worker that has the rest continues from here; if it dies, the reconciler restarts the query.
    raise Ignore


def _is_done(keys: Iterable[Key], context: StepContext, claimed: Collection[Key] = ()) -> bool:
    return all(key in context.outcomes or key in claimed for key in keys)


def _with_outcomes(context: StepContext, results: Results) -> StepContext:
    for run, result in results:
        context = context.with_outcomes(run.step.name, result.values)
    return context


async def _gather_results(runs: Sequence[StepRun]) -> tuple[Results, Deferred]:
    """Run all steps side by side; return their results, and the steps that have to wait for a model.

    When all have ended, raises the error of one that failed; DatabaseUnavailable only if there is no other.
    """
    ended = list(zip(runs, await asyncio.gather(*(run.end for run in runs)), strict=True))
    for _, each in sorted(ended, key=lambda pair: isinstance(pair[1], DatabaseUnavailable)):
        if isinstance(each, Exception) and not isinstance(each, CallDeferred):
            raise each
    results = [(run, each) for run, each in ended if isinstance(each, StepResult)]
    return results, [(run, each) for run, each in ended if isinstance(each, CallDeferred)]


@asynccontextmanager
async def _ended_on_error(runs: Sequence[StepRun]) -> AsyncGenerator[None]:
    """Let none of them run on after an error in the block. Without Postgres they end by themselves: their replies are
    paid for, and kept."""
    ends = [run.end for run in runs]
    try:
        yield
    except DatabaseUnavailable:
        await asyncio.wait(ends)
        raise
    except BaseException:
        await _stop(runs)
        raise


async def _stop(runs: Sequence[StepRun]) -> None:
    for run in runs:
        run.stop()
    await asyncio.wait([run.end for run in runs])
