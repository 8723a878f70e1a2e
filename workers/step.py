"""The one task wrapper: load, think, save, go on.

A message claims the items of its steps under their natural keys (query, round, step, item), works without an open
transaction, and stores its outcomes in one. Items that have an outcome are not worked on again, so redelivery, restart
and reconciliation are all the same harmless thing.
"""

import uuid
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, cast

import structlog
from celery import Task
from celery.exceptions import Ignore, Reject
from sqlalchemy.orm import Session

from clients.llm.protocol import CallDeferred
from config.settings import settings
from db.queries import entries, events
from db.queries.steps import Key
from db.session import acting_for, after_commit, transaction
from domain.errors import DatabaseUnavailable
from services.step import Outcome, StepContext, StepResult
from workers import draining
from workers.celery_app import app
from workers.chords import MessageChord, add_what_follows, with_spread
from workers.claims import Entered, alone, budget_of, claim_alone, claimant, enter
from workers.deferral import SHORTEST_S, PutOff, put_off
from workers.mind import Mind, book
from workers.observing import bound_to, tell_step, traced
from workers.onward import Onward, register, work_of
from workers.pipeline import Run
from workers.ringing import ring, ring_watchers
from workers.work import Claim, Step, Work, held_claims

log = structlog.get_logger()


def step_task(step: Step) -> Task[Any, Any]:
    """Register `query.<name>` as a Celery task that executes the step."""
    return steps_task(step.name, [step])


def steps_task(name: str, steps: Sequence[Step]) -> Task[Any, Any]:
    """Register `query.<name>` as a Celery task that executes all of these steps at once."""
    full_name = f"query.{name}"
    register(full_name, steps)

    def execute(
        task: Task[Any, Any], query_id: str, launch: int, round_: int, tenant: int, items: Sequence[str] = ("",)
    ) -> None:
        delivered_before = bool((task.request.delivery_info or {}).get("redelivered"))
        work, onward = work_of(full_name, Run(query_id, launch, round_, tenant), items), Onward(task.request.chain)
        try:
            with acting_for(tenant):
                execute_work(work, onward, redelivered=delivered_before, chord=MessageChord(task))
        except PutOff as put_off_:
            raise task.retry(eta=put_off_.eta) from put_off_
        except CallDeferred as deferred:
            raise task.retry(countdown=deferred.wait_s) from deferred
        except DatabaseUnavailable as error:
            # Postgres is away for a moment: keep the message, look again soon.
            raise task.retry(exc=error, countdown=min(2 ** min(task.request.retries, 4), 15)) from error
        # Only now: a message that comes again finds all its links, and those that are done do nothing.
        cast("Any", task.request).chain = onward.untaken

    # However often it comes again: the query's deadline ends it.
    return app.task(name=full_name, bind=True, max_retries=None)(execute)


def execute_step(
    step: Step,
    run_: Run,
    items: Sequence[str] = ("",),
    *,
    redelivered: bool = False,
    chord: MessageChord | None = None,
) -> None:
    """Do one step as `execute_work` does."""
    execute_work(Work.single(step, run_, items), Onward(), redelivered=redelivered, chord=chord)


def execute_work(work: Work, onward: Onward, *, redelivered: bool = False, chord: MessageChord | None = None) -> None:
    """Do what is not done yet and what follows in place, and launch the rest; what the work hands on goes to the
    `chord` of its message.

    Raises Ignore when somebody else does or has done the work, Reject when this process ends, CallDeferred when the
    message has to come again.
    """
    following, entered = work, None
    while following is not None:
        work = following
        with bound_to(work.run, work.name):
            _still_there()
            entered = with_spread(work, entered or enter(work), chord)
            with traced(work.run, entered.context.query.traceparent if entered else None):
                context, following_entered = _do(work, entered, onward, redelivered=redelivered)
                add_what_follows(work, entered, context, chord)
        # What follows in place is behind the chord.
        chord = None
        following, entered = onward.next(work, context), following_entered
        if following is not None:
            onward.take()
    onward.launch()


def _still_there() -> None:
    """Raise Reject when this process has to end: what it would begin now nobody would stop any more."""
    if draining.is_over():
        # What was claimed while all the rest was handed back.
        draining.hand_back()
        raise Reject(requeue=True)


def _do(
    work: Work, entered: Entered | None, onward: Onward, *, redelivered: bool
) -> tuple[StepContext, Entered | None]:
    """Do what can be done of it, all or raise; return its outcomes and, if it is begun already, what follows."""
    if entered is None:
        log.info("stale_message", step=work.name, query_id=work.run.query_id, launch=work.run.launch)
        # A chord must not count what was not done: its launch may become the current one again (queries.unlaunch).
        raise Ignore
    context, following = _work(work, entered.context, entered.attempts, onward)
    for key in entered.suspects:
        with alone():
            context, following = _work(work, context, claim_alone(work, key), onward)
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


def _work(
    work: Work, context: StepContext, attempts: Mapping[Key, int], onward: Onward
) -> tuple[StepContext, Entered | None]:
    """Work on what was claimed; return the context with the outcomes and, if it is begun already, what follows."""
    if not attempts:
        return context, None
    claim = Claim(work.run, attempts)
    minds = [Mind(part.step, claim, context) for part in work.parts if claim.of(part.step.name)]
    with _handed_back(claim, minds):
        results, deferred = _think(claim, minds)
        for mind, result in results:
            context = context.with_outcomes(mind.step.name, result.values)
        following = onward.next(work, context) if _is_done(work, context) else None
        waiting = [mind for mind, _ in deferred]
        entered = _save(claim, context, results, waiting, following) if results else None
        if deferred:
            longest = max((error for _, error in deferred), key=lambda error: error.wait_s)
            late = claim.only([mind.step.name for mind in waiting])
            # What was kept will be found again, and told then.
            come_again = put_off(late, waiting[0].context, longest, partial(book, minds=waiting, kept=False))
            for mind in waiting:
                tell_step(mind, "put_off")
            raise come_again from longest
    return context, entered


_Results = Sequence[tuple[Mind, StepResult]]


def _think(claim: Claim, minds: Sequence[Mind]) -> tuple[_Results, Sequence[tuple[Mind, CallDeferred]]]:
    """What each of them leaves, and those that have to wait for a model. An error is raised when all have ended."""
    thoughts = [mind.thought for mind in minds]

    def stop() -> None:
        for thought in thoughts:
            thought.stop()

    with held_claims().hold(claim, stop), draining.stoppable(thoughts):
        for mind in minds:
            mind.begin()
        found = [(mind, _ended(mind)) for mind in minds]
    for _, each in sorted(found, key=lambda ended: isinstance(ended[1], DatabaseUnavailable)):
        if isinstance(each, Exception) and not isinstance(each, CallDeferred):
            raise each
    results = [(mind, each) for mind, each in found if isinstance(each, StepResult)]
    return results, [(mind, each) for mind, each in found if isinstance(each, CallDeferred)]


def _ended(mind: Mind) -> StepResult | Exception:
    try:
        return mind.found()
    except Exception as error:  # noqa: BLE001 - raised when the others have ended, too: their calls are paid for
        return error


@contextmanager
def _handed_back(claim: Claim, minds: Sequence[Mind]) -> Generator[None]:
    """When Postgres goes away within the block: no fault of the steps, and what they paid is stored later. When
    anything else breaks it is stored now: whatever becomes of the steps, the ledger has their calls."""

    def pay(session: Session) -> None:
        unpaid = [mind for mind in minds if not mind.is_paid]
        book(session, unpaid)
        after_commit(session, partial(_tell, unpaid, "handed_back"))

    try:
        yield
    except DatabaseUnavailable:
        claim.hand_back_soon(pay)
        raise
    except (Ignore, Reject, CallDeferred):
        raise
    except Exception:
        try:
            with transaction() as session:
                pay(session)
        except Exception:
            log.exception("calls_not_stored", query_id=claim.run.query_id)
        raise


def _save(
    claim: Claim, context: StepContext, results: _Results, waiting: Sequence[Mind], following: Work | None
) -> Entered | None:
    """Store everything, and begin what follows. Raises Ignore when nobody needs it, Reject when this process ends;
    then those that are `waiting` do not come again either."""
    values = {(mind.step.name, item): value for mind, result in results for item, value in result.values.items()}
    stage: str | None = None
    with transaction() as session:
        # Calls are stored even when the outcome is not: they were paid for.
        book(session, [mind for mind, _ in results])
        left = _leave(session, claim, values, following) if all(result.values for _, result in results) else None
        entered = _entered(context, left, following) if left is not None else None
        if following is not None and entered is not None:
            stage = following.stage if following.stage != results[0][0].step.stage else None
        elif left is not None and following is not None:
            # Not all of it: then it is entered like any other.
            Claim(following.run, left.claimed).hand_back(session)
        kept = left is not None and _store(session, context.query.id, results, stage)
        if not kept:
            book(session, waiting)
        if not kept and not draining.is_over():
            # Late, but alive: only those count as failed tries that end with their worker.
            claim.hand_back(session)
    for mind, result in results:
        mind.is_paid = True
        tell_step(mind, "stopped" if not result.values else "done" if kept else "superseded")
    if not kept:
        _tell(waiting, "superseded")
        log.info("superseded", step=results[0][0].step.name, query_id=str(context.query.id))
        _still_there()
        raise Ignore  # another worker holds this claim now and will answer for it, or nobody needs to
    if stage is not None or any(result.events or result.save is not None for _, result in results):
        (ring if any(mind.step.ends for mind, _ in results) else ring_watchers)(context.query.id)
    return entered


def _tell(minds: Sequence[Mind], outcome: Literal["superseded", "handed_back"]) -> None:
    for mind in minds:
        tell_step(mind, outcome)


def _leave(
    session: Session, claim: Claim, values: Mapping[Key, Outcome], following: Work | None
) -> entries.Left | None:
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
    return Entered(begun, left.claimed)


def _store(session: Session, query_id: uuid.UUID, results: _Results, stage: str | None) -> bool:
    """Tell what the steps have to tell, do what they want done in the transaction, and enter the `stage` of what
    follows. False when the query has ended: one that was cancelled meanwhile gets no answer and no event after its
    end."""
    told = [event for _, result in results for event in result.events]
    saves = [result.save for _, result in results if result.save is not None]
    ends = any(mind.step.ends for mind, _ in results)
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
