"""The claims of this process on items of steps, renewed while it works on them, and the context in which their steps
start.

SIGTERM lets running steps finish for at most `recovery.drain_s`; SIGQUIT does not wait. Then all claims are handed back
without counting a failed attempt, model calls are cancelled, and messages go back to their queues.

An item that ended its worker before is a suspect: it is claimed alone, so that only the item that breaks a worker is
blamed, and parked when it has used up its attempts.
"""

import asyncio
import threading
import uuid
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import NoReturn

import structlog
from celery.exceptions import Ignore, Reject
from sqlalchemy.orm import Session

from citewell_verify.errors import CitewellError
from clients.notifications import notify_beside, notify_end, notify_watchers
from clients.telemetry import meter
from clients.telemetry.meter import METER
from config.settings import settings
from db.models import QueryStatus
from db.queries.runs import model_calls, parking, queries, step_io, steps
from db.queries.runs.steps import Key, is_taken_over
from db.session import system_transaction, transaction
from domain.errors.service import DatabaseUnavailable
from domain.query.budget import Budget
from domain.query.options import QueryOptions
from services.core.context import Outcome, QuerySnapshot, StepContext
from services.finishing.completion import finish
from workers.execution.work import RetryLater, Step, Work
from workers.pipeline import Run
from workers.processes.runtime import leases, once, tools_of, worker_name, worker_prefix

log = structlog.get_logger()

_over = threading.Event()


def _nothing(*_: object) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Claim:
    """Items that this process works on. The attempt numbers are the fence: a later claim of an item has a higher one.
    `stop` ends the work on the items, from any thread."""

    run: Run
    attempts: Mapping[Key, int]
    stop: Callable[[], None] = _nothing

    def hand_back(self, session: Session, hold_s: float = 0.0) -> bool:
        """Release the items without counting a failed attempt; they must not be claimed for `hold_s` seconds.
        False when the claim has already ended."""
        run, released = self.run, list[bool]()
        for (step, item), attempt in sorted(self.attempts.items()):
            released.append(parking.hand_back(session, run.query_id, run.round, step, {item: attempt}, hold_s))
        return any(released)

    def hand_back_soon(self, store_calls: Callable[[Session], None] = _nothing) -> None:
        """Hand back now, or as soon as Postgres is reachable. `store_calls` stores model calls not yet stored."""

        def attempt() -> None:
            with transaction() as session:
                self.hand_back(session)
                # The calls are stored even if there is no claim any more, which a crash may have undone: a call that is
                # stored already is skipped.
                if queries.find_query(session, uuid.UUID(self.run.query_id)) is not None:
                    store_calls(session)

        with suppress(DatabaseUnavailable):
            attempt()
            return
        leases().run_when_reachable(attempt)


class HeldClaims:
    """The claims that this process works on, of all tenants: their leases are renewed together."""

    def __init__(self) -> None:
        self._holders = set[Callable[[], Iterable[Claim]]]()

    @contextmanager
    def hold(self, claims: Callable[[], Iterable[Claim]]) -> Generator[None]:
        """For the length of the block, hold the claims that `claims` returns at each renewal, which another thread
        makes."""
        self._holders.add(claims)
        try:
            yield
        finally:
            self._holders.discard(claims)

    def stop(self, queries: Iterable[str] | None = None) -> None:
        """Stop the work on these queries, or on all."""
        for claim in self._all():
            if queries is None or claim.run.query_id in queries:
                claim.stop()

    def renew(self) -> None:
        """Renew all leases, and stop the work on queries that have ended."""
        held = [
            steps.HeldItem(claim.run.query_id, claim.run.round, step, item)
            for claim in self._all()
            for step, item in claim.attempts
        ]
        if held:
            with system_transaction() as session:
                ended = steps.renew_leases(session, held, worker_name(), settings().recovery.lease_s)
            self.stop(ended)

    def _all(self) -> list[Claim]:
        # The holders are copied at once, because the event loop changes them meanwhile.
        return [claim for claims in tuple(self._holders) for claim in claims()]


@once
def held_claims() -> HeldClaims:
    claims = HeldClaims()
    leases().hold_forever(claims.renew)
    return claims


def is_over() -> bool:
    """Return whether this process has handed back its claims; then it stores no more results."""
    return _over.is_set()


async def reject_if_over() -> None:
    """Raise Reject if this process has handed back its claims, because it could not cancel new work any more."""
    if is_over():
        # This also hands back the claims that were acquired while all others were handed back.
        await asyncio.to_thread(hand_back_all)
        raise Reject(requeue=True)


def start_draining(*, wait: bool) -> None:
    """Hand back all claims in a separate thread, immediately or after `recovery.drain_s`. Signal handlers call this."""
    pause_s = settings().recovery.drain_s if wait else 0.0
    # Without a wait the process must not exit before the thread is done.
    threading.Thread(target=_drain, args=(pause_s,), name="drain", daemon=wait).start()


def _drain(pause_s: float) -> None:
    if _over.wait(pause_s):
        return
    _over.set()
    hand_back_all()
    # Work that is claimed from now on is stopped as it begins (workers.execution.executor).
    held_claims().stop()


def hand_back_all() -> None:
    try:
        with system_transaction() as session:
            count = parking.hand_back_all(session, worker_prefix())
        log.info("claims_handed_back", count=count)
    except CitewellError as error:
        # Their leases expire instead, which counts as an attempt each.
        log.warning("claims_not_handed_back", error=type(error).__name__)


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
        """End a message whose other items are claimed by other workers, or must not be claimed yet: raise RetryLater,
        or Ignore if another worker continues from there."""
        if self.put_off_s is not None:
            # The message is early, because this worker's clock is ahead of the one that deferred it.
            raise RetryLater("the step was put off", countdown_s=max(self.put_off_s, MIN_WAIT_S))
        if is_redelivered:
            # The previous worker of the message is dead, or still runs it but has lost the broker.
            raise RetryLater("another worker holds a claim", countdown_s=settings().recovery.lease_s)
        # The worker that has the other items continues from here; if it dies, the reconciler restarts the query.
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
    except Exception:  # another process may have the means that this one lacks
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
    """Return the claim of this process on `keys`. `left` is how many attempts an item must have after this one; a
    suspect has none."""
    recovery = settings().recovery
    by = step_io.Claimant(worker_name(), recovery.lease_s, run.launch, recovery.max_attempts - left)
    return step_io.ClaimRequest(run.round, keys, by, stage)


def budget_of(options: QueryOptions, used_s: float, spent_usd: float) -> Budget:
    return Budget(used_s, options.deadline_s, spent_usd, options.max_cost_usd)


def _book_ended_calls(run: Run, names: set[str]) -> None:
    """Book the calls that a previous process of the steps has finished and not booked: their cost counts from now
    on."""
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
    """Never try these items again; return False when that ends the query."""
    reason = f"parked: it broke its worker {settings().recovery.max_attempts} times"
    value = None if step.failed is None else {**step.failed, "reason": reason, "degraded": reason}
    parking.park_items(session, run.query_id, run.round, step.name, items, reason, value)
    METER.count(meter.STEPS_PARKED, step.name, by=len(items))
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
