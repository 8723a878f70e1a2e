"""The tasks of steps, and the execution of a message: claims its items, runs their steps, stores the results, and
continues in place with the following work.

The items of a message are claimed under their natural keys (query, round, step, item). No transaction is open while the
steps run; their results are stored in a single one (workers.execution.result_storage). Items that have an outcome are
skipped, so redelivery, restart and reconciliation are harmless. Everything is one coroutine on the event loop of the
process; blocking database work runs in threads.

Work that follows a message in place is no Celery task, so it is shown as one to people who inspect the workers (`celery
inspect`, task events, Flower). Events are sent only while somebody listens (`celery control enable_events`, as Flower
does) or with `workers.events`.
"""

import asyncio
import os
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

import structlog
from celery import Signature, Task
from celery.exceptions import Ignore, Reject
from celery.worker import state as worker_state
from celery.worker.control import inspect_command
from structlog.contextvars import bound_contextvars

from clients.llm.protocol import CallDeferred
from clients.telemetry import tracing
from db.queries.runs.steps import Key
from db.session import acting_for
from domain.errors.service import DatabaseUnavailable
from services.core.context import StepContext, StepResult
from workers.celery_app import app
from workers.execution.claims import Acquired, acquire, held_claims, is_over, reject_if_over, suspect_claimed
from workers.execution.result_storage import end_broken, is_own, let_go, put_off, store_results
from workers.execution.step_run import StepRun
from workers.execution.work import (
    Body,
    Continuation,
    Message,
    RetryLater,
    Step,
    Work,
    in_place,
    put_back_if_helped,
    register,
    work_for,
)
from workers.pipeline import STAGES, Run
from workers.processes import runtime
from workers.processes.runtime import event_loop

log = structlog.get_logger()


_MAX_PAUSE_S = 15
_consumer: Any = None
_active: dict[str, "_ShownStep"] = {}


async def execute(
    work: Work, continuation: Continuation, message: Message | None = None, *, is_beside: bool = False
) -> StepContext:
    """Run the steps of `work` that have no outcome yet and the work that follows in place, and dispatch the rest;
    return the outcomes. Items that the work spreads join the chord of its message, if it has one. A step that breaks
    ends the query, unless the work `is_beside` other work, which then does it itself.

    Raises Ignore when another worker has the work or has done it, Reject when this process ends, RetryLater when the
    message has to be delivered again, DatabaseUnavailable.
    """
    execution = _Execution(work, continuation, message)
    with held_claims().hold(lambda: [run.claim for run in tuple(execution.open)]):
        try:
            return await execution.run()
        except BaseException as error:
            await execution.end_open(error, ends_query=not is_beside)
            raise
        finally:
            await execution.join()


class _Execution:
    """A message in progress: its current `work`, and the `context` with the outcomes so far."""

    context: StepContext

    def __init__(self, work: Work, continuation: Continuation, message: Message | None) -> None:
        self.work, self.continuation, self._message = work, continuation, message
        self._own = None if message is None else work
        """The work that the message asks for; what follows it is shown beside it."""
        self.is_redelivered = message is not None and message.is_redelivered
        self.chord = message if message is not None and message.context.chord else None
        """The message, until the work that its chord waits for is done."""
        self.open: list[StepRun] = []
        """The runs that have claims, and no stored results yet."""
        self.beside: list[Future[StepContext]] = []
        """Work that a step without a chord has spread."""

    async def run(self) -> StepContext:
        acquired = None
        while True:
            run, name = self.work.run, self.work.name
            with bound_contextvars(query_id=run.query_id, launch=run.launch, round=run.round, step=name):
                following, acquired = await self._run_work(acquired)
            if following is None:
                await self.continuation.dispatch()
                return self.context
            self.continuation.advance()
            self.work = following

    async def _run_work(self, acquired: Acquired | None) -> tuple[Work | None, Acquired | None]:
        """Run the work; return the work that follows in place, and the claim on it if that was made with the
        results."""
        await reject_if_over()
        work = self.work
        acquired = acquired or await acquire(work)
        if acquired is None:
            log.info("stale_message", step=work.name, query_id=work.run.query_id, launch=work.run.launch)
            # A chord must not count work that did not run: its launch may become the current one again
            # (queries.unlaunch).
            raise Ignore
        self.context = acquired.context
        with tracing.following(acquired.context.query.traceparent, uuid.UUID(work.run.query_id)):
            following, claimed = await self._run_claimed(acquired.attempts)
            for key in acquired.suspects:
                async with suspect_claimed(work, key) as attempts:
                    following, claimed = await self._run_claimed(attempts)
            if not self._has(work.keys, or_open=True):
                acquired.leave_rest(is_redelivered=self.is_redelivered)
            if self.chord is not None:
                await asyncio.to_thread(_add_to_chord, self.chord, work, acquired.attempts, self.context)
                # The work that follows in place comes after the chord.
                self.chord = None
            return following or await self._next(), claimed

    async def _run_claimed(self, attempts: Mapping[Key, int]) -> tuple[Work | None, Acquired | None]:
        """Run the claimed items, and derived steps after them; store all results with the claim on the following
        work."""
        for step, _ in self.work.parts:
            if items := {item: attempt for (name, item), attempt in attempts.items() if name == step.name}:
                step_run = StepRun(step, self.work.run, items, self.context, self._dispatch)
                self.open.append(step_run)
                if self.work is not self._own:
                    show(step_run, self._message)
        if is_over():
            # These were claimed after all other work was stopped (workers.execution.claims).
            self._stop()
        if not self.open:
            return None, None
        ended, following = await self._ended(), None
        results = self._take(ended)
        keys = [*self.work.keys, *(key for run in ended for key in run.claim.attempts)]
        if self._has(keys, or_open=len(ended) < len(self.open)):
            following = await self._next()
        while following is not None and following.is_derived:
            self.continuation.advance()
            self.work = following
            # A derived step has no claim of its own: the claims that it is stored with fence it.
            derived = StepRun(following.parts[0].step, following.run, {"": 0}, self.context, self._dispatch)
            await asyncio.wait([derived.end])
            results += self._take([derived])
            following = await self._next()
        acquired = await store_results(results, self.context, following) if results else None
        self.open = [run for run in self.open if run not in dict(results)]
        if deferred := [(run, run.result) for run in ended if isinstance(run.result, CallDeferred)]:
            retry = await asyncio.to_thread(put_off, deferred)
            self.open = []
            raise retry
        return following, acquired

    async def _ended(self) -> list[StepRun]:
        """Wait for all open runs and return them. If one that `adds` work ends first, return it alone: the added work
        begins at once, and the other runs are stored with that work."""
        adding = next((run for run in self.open if run.step.adds is not None), None)
        if adding is not None and adding.step.adds is not None and self.chord is None:
            await asyncio.wait([adding.end])
            if isinstance(adding.result, StepResult) and adding.result.values:
                context = self.context.with_outcomes(adding.step.name, adding.result.values)
                self.continuation.insert(await asyncio.to_thread(adding.step.adds, self.work.run, context), context)
                is_first = not all(run.end.done() for run in self.open)
                if is_first and not self.continuation.is_fan_in and self._has(self.work.keys, or_open=True):
                    return [adding]
        await asyncio.wait([run.end for run in self.open])
        return self.open

    def _take(self, runs: Sequence[StepRun]) -> list[tuple[StepRun, StepResult]]:
        """Return the results of runs that have ended; their outcomes become part of the context. Raises the error of a
        step that failed; DatabaseUnavailable only if there is no other."""
        errors = [run.result for run in runs if isinstance(run.result, Exception)]
        for error in sorted(errors, key=lambda failure: isinstance(failure, DatabaseUnavailable)):
            if not isinstance(error, CallDeferred):
                raise error
        results = [(run, run.result) for run in runs if isinstance(run.result, StepResult)]
        for run, result in results:
            self.context = self.context.with_outcomes(run.step.name, result.values)
        return results

    async def _next(self) -> Work | None:
        """Return the work that follows in place; None to dispatch the rest, and when the context lacks the outcomes of
        work that ran beside."""
        if self.continuation.is_fan_in and not await self.join():
            return None
        if self.continuation.must_build(self.work):
            await asyncio.to_thread(self.continuation.build, self.work, self.context)
        return self.continuation.next()

    def _has(self, keys: Iterable[Key], *, or_open: bool = False) -> bool:
        """Return whether these have outcomes, or, with `or_open`, are claimed here."""
        claimed = {key for run in self.open for key in run.claim.attempts} if or_open else ()
        return all(key in self.context.outcomes or key in claimed for key in keys)

    def _dispatch(self, link: Signature[Any]) -> bool:
        """Start work that a step spreads, from any thread. False if that failed and the work is still to be done."""
        if self.chord is not None:
            return self.chord.add_to_chord(link)
        work = in_place([link])
        if work is not None:
            # It inherits the tenant and the trace of the step that spreads it.
            self.beside.append(
                asyncio.run_coroutine_threadsafe(execute(work, Continuation(), is_beside=True), event_loop())
            )
        return work is not None

    async def join(self) -> bool:
        """Wait for the work beside, and add its outcomes. False if some of it failed: the next claim finds the missing
        outcomes, and computes them."""
        beside, self.beside = self.beside, []
        ended = await asyncio.gather(*map(asyncio.wrap_future, beside), return_exceptions=True)
        for result in ended:
            if isinstance(result, StepContext):
                self.context = replace(self.context, outcomes={**result.outcomes, **self.context.outcomes})
            elif isinstance(result, Ignore | Reject | RetryLater | DatabaseUnavailable):
                log.info("not_done_beside", error=type(result).__name__)
            else:
                log.error("not_done_beside", exc_info=result)
        return all(isinstance(result, StepContext) for result in ended)

    async def end_open(self, error: BaseException, *, ends_query: bool) -> None:
        """Stop the open runs after an error. While Postgres is unreachable they end by themselves: their replies are
        paid for, and stored."""
        if not isinstance(error, DatabaseUnavailable):
            self._stop()
        if not self.open or not isinstance(error, Exception):
            return
        await asyncio.wait([run.end for run in self.open])
        await asyncio.to_thread(let_go, self.open, error)
        if ends_query and is_own(error):
            # Without Postgres the claims expire, and the reconciler restarts the query.
            with suppress(DatabaseUnavailable):
                await asyncio.to_thread(end_broken, self.work.run)

    def _stop(self) -> None:
        for run in self.open:
            run.stop()


def _add_to_chord(chord: Message, work: Work, attempts: Mapping[Key, int], context: StepContext) -> None:
    """Add the parts that a step `adds`. Only the message that ran the step does so: a message that finds the step done
    must not make its chord wait for other workers."""
    for step, _ in work.parts:
        if step.adds is not None and (step.name, "") in attempts:
            chord.add_to_chord(*step.adds(work.run, context))


def step_task(name: str, body: Body, **how: Any) -> Task[Any, Any]:
    """Return the task of one step, with the fields of its row in `STAGES`; `how` are the other fields of a `Step`."""
    stage = STAGES[name]
    step = Step(name, stage.shown, body, follows=stage.follows, adds=stage.adds, spreads=stage.spreads, **how)
    return steps_task(name, [step])


def steps_task(name: str, steps: Sequence[Step]) -> Task[Any, Any]:
    """Return the task of a message for these steps side by side."""
    full_name = f"query.{name}"
    register(full_name, steps)

    async def on_loop(
        message: Message, query_id: str, launch: int, round_: int, tenant: int, items: Sequence[str] = ("",)
    ) -> None:
        await put_back_if_helped(message)
        work = work_for(full_name, Run(query_id, launch, round_, tenant), items)
        try:
            with acting_for(tenant):
                await execute(work, Continuation(message.context.chain or ()), message)
        except DatabaseUnavailable as error:
            pause_s = min(2 ** min(message.retries, 4), _MAX_PAUSE_S)
            raise RetryLater("the database is unreachable", countdown_s=pause_s) from error
        # Cleared only now, because a message that is delivered again keeps all its links, and skips finished ones.
        message.context.chain = []

    def in_thread(task: Task[Any, Any], *args: Any) -> None:
        try:
            runtime.run(on_loop(Message(task, task.request), *args))
        except RetryLater as again:
            raise task.retry(countdown=again.countdown_s, eta=again.eta, exc=again) from again

    # The number of retries is not limited: the query's deadline ends them.
    task = app.task(name=full_name, bind=True, max_retries=None, typing=False)(in_thread)
    cast("Any", task).on_loop = on_loop
    return task


def show_to(consumer: Any) -> None:
    """From now on show steps to people who inspect this worker; `consumer` is Celery's."""
    global _consumer
    _consumer = consumer


def show(step_run: StepRun, message: Message | None) -> None:
    """Show the step as a task until it ends; the task of `message`, if any, is its parent."""
    if _consumer is not None:
        shown = _ShownStep(step_run, message)
        step_run.end.add_done_callback(shown.end)


class _ShownStep:
    """The fields of Celery's own request that describe a task."""

    def __init__(self, step_run: StepRun, message: Message | None) -> None:
        self._id, self._name = str(uuid.uuid4()), f"query.{step_run.step.name}"
        self._args = [*step_run.claim.run, list(step_run.context.items)]
        self._began, self._parent = time.time(), None if message is None else message.context
        worker_state.total_count[self._name] += 1
        worker_state.all_total_count[0] += 1
        _active[self._id] = self
        if _is_heard():
            root = self._parent and self._parent.root_id
            told = {"args": repr(self._args), "kwargs": "{}", "retries": 0, "eta": None, "expires": None}
            parent = self._parent and self._parent.id
            self._send("task-received", name=self._name, root_id=root, parent_id=parent, **told)
            self._send("task-started")

    def info(self) -> dict[str, Any]:
        return {
            "id": self._id,
            "name": self._name,
            "args": self._args,
            "kwargs": {},
            "type": self._name,
            "hostname": _consumer.hostname,
            "time_start": self._began,
            "acknowledged": True,
            "delivery_info": {"in_place": True, "parent_id": self._parent and self._parent.id},
            "worker_pid": os.getpid(),
        }

    def end(self, ended: "asyncio.Future[Any]") -> None:
        _active.pop(self._id, None)
        if not _is_heard():
            return
        result = asyncio.CancelledError() if ended.cancelled() else ended.result()
        if isinstance(result, CallDeferred):
            self._send("task-retried", exception=repr(result), traceback="")
        elif isinstance(result, BaseException):
            # Error messages may quote a document.
            self._send("task-failed", exception=type(result).__name__, traceback="")
        else:
            self._send("task-succeeded", result="None", runtime=time.time() - self._began)

    def _send(self, kind: str, **fields: Any) -> None:
        _consumer.event_dispatcher.send(kind, uuid=self._id, **fields)


def _is_heard() -> bool:
    dispatcher = _consumer.event_dispatcher
    return bool(dispatcher and dispatcher.enabled and (not dispatcher.groups or "task" in dispatcher.groups))


@inspect_command(name="active", alias="dump_active")
def _list_active(state: Any, safe: bool = False, **_: Any) -> list[dict[str, Any]]:
    """List of tasks currently being executed, with the steps that run in place."""
    while True:
        try:
            requests = list(worker_state.active_requests)
        except RuntimeError:  # the loop took or ended a message meanwhile
            continue
        return [*(request.info(safe=safe) for request in requests), *(step.info() for step in list(_active.values()))]
