"""Claims the items of a message, and reads the context that their steps start from.

An item that ended its worker before is a suspect: it is claimed alone, so that only the item that breaks a worker is
blamed, and parked when it has used up its attempts.
"""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NoReturn

import structlog
from celery.exceptions import Ignore
from sqlalchemy.orm import Session

from clients.telemetry import families
from clients.telemetry.meter import METER
from config.settings import settings
from db.models import QueryStatus
from db.queries.runs import model_calls, parking, step_io
from db.queries.runs.steps import Key, is_taken_over
from db.session import transaction
from domain.errors import DatabaseUnavailable
from domain.query.budget import Budget
from domain.query.options import QueryOptions
from services.core.context import Outcome, QuerySnapshot, StepContext
from services.finishing.completion import finish
from workers.execution.claims import Claim
from workers.execution.message import RetryLater
from workers.execution.work import Step, Work
from workers.pipeline import Run
from workers.processes.notifying import notify_beside, notify_end, notify_watchers
from workers.processes.once import once
from workers.processes.runtime import leases, tools_of, worker_name

log = structlog.get_logger()

_WAIT_FOR_SUSPECTS_S = 5.0
MIN_WAIT_S = 0.5


@dataclass(frozen=True, slots=True)
class Acquired:
    """The context of a message's steps, the `attempts` of the items that it claimed, and the `suspects` still to be
    claimed one at a time. `put_off_s`: the seconds for which other items must not be claimed, None if there are none.
    """

    context: StepContext
    attempts: dict[Key, int]
    suspects: tuple[Key, ...] = ()
    put_off_s: float | None = None

    def leave_rest(self, *, is_redelivered: bool) -> NoReturn:
        """End a message whose other items other workers have claimed, or must not be claimed yet: raise RetryLater, or
        Ignore if another worker continues from there."""
        if self.put_off_s is not None:
            # The message is early: this worker's clock is ahead of the one that deferred it.
            raise RetryLater("the step was put off", countdown_s=max(self.put_off_s, MIN_WAIT_S))
        if is_redelivered:
            # The worker that had the message before is dead, or still runs it but has lost the broker.
            raise RetryLater("another worker holds a claim", countdown_s=settings().recovery.lease_s)
        # The worker that has the rest continues from here; if it dies, the reconciler restarts the query.
        raise Ignore


async def acquire(work: Work) -> Acquired | None:
    """Claim the items of the work; None when the query has ended or was launched again."""
    if leases().has_pending:
        await asyncio.to_thread(leases().run_pending)
    run = work.run
    entry = await step_io.claim_steps(run.query_id, claim_request(run, work.keys, work.shown))
    if entry is None:
        return None
    query = QuerySnapshot(
        *(entry.id, entry.workspace_id, entry.question, entry.mode, entry.provider, QueryOptions(**entry.options)),
        *(entry.kind, entry.batch_id, entry.accepted_at, entry.traceparent),
    )
    done = entry.rounds.setdefault(run.round, {})
    budget = budget_of(query.options, entry.used_s, entry.spent_usd)
    try:
        tools = await asyncio.to_thread(tools_of, query.options.model_choice)
    except Exception:  # whatever this process lacks, another one may have
        await asyncio.to_thread(Claim(run, entry.claimed).hand_back_soon)
        raise
    acquired = Acquired(StepContext(query, run.round, (), done, tools, entry.rounds, budget=budget), entry.claimed)
    if any(key not in entry.claimed and key not in done for key in work.keys):
        try:
            looked_at = await asyncio.to_thread(_look_at_unclaimed, work, acquired)
        except DatabaseUnavailable:
            await asyncio.to_thread(Claim(run, entry.claimed).hand_back_soon)
            raise
        if looked_at is None:
            notify_beside(notify_end, entry.id)
            return None
        acquired = looked_at
    if any(map(is_taken_over, entry.claimed.values())):
        await asyncio.to_thread(_book_ended_calls, run, {step for step, _ in entry.claimed})
    if entry.entered:
        notify_beside(notify_watchers, entry.id)
    return acquired


def claim_request(run: Run, keys: Sequence[Key], stage: str | None = None, left: int = 1) -> step_io.ClaimRequest:
    """The claim of this process on `keys`. `left` is how many tries an item must have after this one; a suspect has
    none."""
    recovery = settings().recovery
    by = step_io.Claimant(worker_name(), recovery.lease_s, run.launch, recovery.max_attempts - left)
    return step_io.ClaimRequest(run.round, keys, by, stage)


def budget_of(options: QueryOptions, used_s: float, spent_usd: float) -> Budget:
    return Budget(used_s, options.deadline_s, spent_usd, options.max_cost_usd)


def _book_ended_calls(run: Run, names: set[str]) -> None:
    """Book what a process that had the steps before has finished and not booked: its cost counts from now on."""
    with transaction() as session:
        model_calls.book_ended_calls(session, uuid.UUID(run.query_id), run.round, sorted(names), worker_name())


def _look_at_unclaimed(work: Work, acquired: Acquired) -> Acquired | None:
    """Find out why items are neither claimed nor done, and park the hopeless ones. None if that ended the query."""
    run, recovery, done = work.run, settings().recovery, acquired.context.outcomes
    suspects, waits_s = list[Key](), list[float]()
    with transaction() as session:
        for step, requested in work.parts:
            items = [item for item in requested if (step.name, item) not in acquired.attempts | done]
            open_items = parking.list_open_items(
                session, run.query_id, run.round, step.name, items, launch=run.launch, lease_s=recovery.lease_s
            )
            waits_s += [item.put_off_s for item in open_items if not item.is_free and item.put_off_s is not None]
            free = [item for item in open_items if item.is_free]
            suspects += [(step.name, suspect.item) for suspect in free if suspect.tries < recovery.max_attempts]
            exhausted = [suspect.item for suspect in free if suspect.tries >= recovery.max_attempts]
            if exhausted and not _park(session, run, step, exhausted, done):
                return None
    return Acquired(acquired.context, acquired.attempts, tuple(suspects), max(waits_s, default=None))


def _park(session: Session, run: Run, step: Step, items: list[str], done: dict[Key, Outcome]) -> bool:
    """Never try these items again; False when that ends the query."""
    reason = f"parked: it broke its worker {settings().recovery.max_attempts} times"
    value = None if step.failed is None else {**step.failed, "reason": reason, "degraded": reason}
    parking.park_items(session, run.query_id, run.round, step.name, items, reason, value)
    METER.count(families.STEPS_PARKED, step.name, by=len(items))
    log.error("step_parked", step=step.name, items=items, query_id=run.query_id)
    if value is not None:
        done.update({(step.name, item): dict(value) for item in items})
        return True
    label = " ".join([step.name, *items]).strip()
    message = f"The step {label!r} broke its worker too often and is not tried again ({reason})."
    finish(session, uuid.UUID(run.query_id), QueryStatus.FAILED, error={"code": "step_parked", "message": message})
    return False


@asynccontextmanager
async def suspect_claimed(work: Work, key: Key) -> AsyncGenerator[dict[Key, int]]:
    """Claim a suspect for the length of the block, one at a time in this process. Yields no attempt number when another
    worker has claimed it by now. Raises RetryLater when other suspects take too long.
    """
    lock = _suspects_lock()
    try:
        async with asyncio.timeout(_WAIT_FOR_SUSPECTS_S):
            await lock.acquire()
    except TimeoutError:
        reason = "another step that broke its worker before is being tried"
        raise RetryLater(reason, countdown_s=_WAIT_FOR_SUSPECTS_S) from None
    try:
        entry = await step_io.claim_steps(work.run.query_id, claim_request(work.run, [key], left=0))
        yield entry.claimed if entry else {}
    finally:
        lock.release()


@once
def _suspects_lock() -> asyncio.Lock:
    return asyncio.Lock()
