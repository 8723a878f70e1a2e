"""Claims of this process on items of steps: acquired, renewed while they are worked on, handed back.

The attempt number of a claim is its fence. An item that ended its workers too often is parked instead of claimed.
"""

import asyncio
import threading
import uuid
from collections.abc import AsyncGenerator, Callable, Collection, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count

import structlog
from sqlalchemy.orm import Session

from clients.llm.protocol import CallDeferred
from clients.telemetry import families
from clients.telemetry.meter import METER
from config.settings import settings
from db.models import QueryStatus
from db.queries.runs import budgets, parking, step_io, steps
from db.queries.runs.step_io import ClaimedSteps
from db.queries.runs.steps import Key
from db.session import system_transaction, transaction
from domain.errors import DatabaseUnavailable
from domain.query.budget import Budget
from domain.query.options import QueryOptions
from services.core.context import Outcome, QuerySnapshot, StepContext
from services.finishing.completion import finish
from workers.execution.message import ComeAgain
from workers.execution.work import Step, Work
from workers.pipeline import Run
from workers.processes.notifying import ring, ring_watchers
from workers.processes.once import once
from workers.processes.runtime import leases, tools, worker_name

log = structlog.get_logger()

SHORTEST_S = 0.5
LONGEST_S = 60.0
"""Of one wait: a longer one is split, so that a message that is lost meanwhile is not missed for longer."""
_WAIT_FOR_SUSPECTS_S = 5.0


@dataclass(frozen=True, slots=True)
class Claim:
    """What this process works on, with the attempt numbers that fence it."""

    run: Run
    attempts: Mapping[Key, int]

    def of(self, step: str) -> dict[str, int]:
        """The attempt numbers of the items of a step."""
        return {item: attempt for (name, item), attempt in self.attempts.items() if name == step}

    def only(self, names: Collection[str]) -> "Claim":
        """The claim on these steps."""
        return Claim(self.run, {key: attempt for key, attempt in self.attempts.items() if key[0] in names})

    def hand_back(self, session: Session, hold_s: float = 0.0) -> bool:
        """Give it up as if it had not been made; it is not to be claimed for `hold_s` seconds. False: it has ended."""
        run, names = self.run, sorted({step for step, _ in self.attempts})
        handed = [parking.hand_back(session, run.query_id, run.round, step, self.of(step), hold_s) for step in names]
        return any(handed)

    def hand_back_soon(self, pay: Callable[[Session], None] = lambda _: None) -> None:
        """The same, now or when Postgres can be reached again: what is no fault of a step does not count as a try.

        `pay` stores what its model calls cost, if that was not stored yet.
        """

        def attempt() -> None:
            with transaction() as session:
                if self.hand_back(session):
                    pay(session)

        with suppress(DatabaseUnavailable):
            attempt()
            return
        leases().eventually(attempt)

    def retry_later(self, context: StepContext, deferred: CallDeferred, pay: Callable[[Session], None]) -> ComeAgain:
        """Hand it back because its calls would have to wait (A7), and store by `pay` what they have cost; return when
        its message has to come again.

        The lease covers the wait, so the query is not taken for stopped. If the worker that keeps the message dies, the
        lease runs out and the reconciler starts the query.
        """
        left_s = context.budget.left_s
        # Not much longer than until the deadline: then nothing waits for a model any more.
        most_s = LONGEST_S if left_s is None else min(LONGEST_S, max(left_s, 0.0) + 0.1)
        wait_s = min(max(deferred.wait_s, SHORTEST_S), most_s)
        with transaction() as session:
            pay(session)
            # A little less, so that a message that comes a little early finds it free.
            self.hand_back(session, wait_s - SHORTEST_S / 2 + settings().recovery.lease_s)
            # Not by this worker's clock: another one may wait for it.
            now = budgets.database_time(session)
        return ComeAgain(deferred.reason, eta=now + timedelta(seconds=wait_s))


class HeldClaims:
    """The claims that this process works on, of all tenants: their leases are renewed together."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[Claim, Callable[[], None]]] = {}
        self._ids = count()
        self._lock = threading.Lock()

    @contextmanager
    def hold(self, claim: Claim, stop: Callable[[], None]) -> Generator[None]:
        """Keep it for the length of the block; `stop` is called when its query has ended, or this process must end."""
        key = next(self._ids)
        with self._lock:
            self._held[key] = claim, stop
        try:
            yield
        finally:
            with self._lock:
                del self._held[key]

    def stop(self) -> None:
        """Stop the work on all of them."""
        for _, stop in self._all():
            stop()

    def renew(self) -> None:
        """Renew all of them, in one transaction."""
        claims = self._all()
        held = [
            steps.HeldItem(claim.run.query_id, claim.run.round, step, item)
            for claim, _ in claims
            for step, item in claim.attempts
        ]
        if not held:
            return
        with system_transaction() as session:
            ended = steps.renew_leases(session, held, worker_name(), settings().recovery.lease_s)
        for claim, stop in claims:
            if claim.run.query_id in ended:
                stop()

    def _all(self) -> list[tuple[Claim, Callable[[], None]]]:
        with self._lock:
            return list(self._held.values())


@once
def held_claims() -> HeldClaims:
    """Those of this process."""
    claims = HeldClaims()
    leases().hold_for_good(claims.renew)
    return claims


@dataclass(frozen=True, slots=True)
class Entered:
    """What a message found: the `attempts` of the items that it claimed, and the `suspects` that have to be claimed
    alone because they ended their worker before. The others are not to be claimed for `put_off_s` seconds, if a number.
    """

    context: StepContext
    attempts: dict[Key, int]
    suspects: tuple[Key, ...] = ()
    put_off_s: float | None = None


@dataclass(slots=True)
class _Unclaimed:
    """What is neither claimed nor done. `has_ended`: an item was parked, and with it the query ended."""

    suspects: list[Key] = field(default_factory=list[Key])
    waits_s: list[float] = field(default_factory=list[float])
    has_ended: bool = False


async def enter(work: Work) -> Entered | None:
    """Claim the items that have neither an outcome nor a claim. None when the message is stale, or the query ended."""
    if leases().is_owing:
        await asyncio.to_thread(leases().settle)
    run, keys = work.run, work.keys
    entry = await step_io.claim_steps(run.query_id, step_io.ClaimRequest(run.round, keys, claimant(work), work.stage))
    if entry is None:
        return None
    done, left = entry.rounds.setdefault(run.round, {}), _Unclaimed()
    if any(key not in entry.claimed and key not in done for key in keys):
        try:
            left = await asyncio.to_thread(_unclaimed, work, entry.claimed, done)
        except DatabaseUnavailable:
            await asyncio.to_thread(Claim(run, entry.claimed).hand_back_soon)
            raise
        if left.has_ended:
            await asyncio.to_thread(ring, entry.id)
            return None
    if entry.entered:
        await asyncio.to_thread(ring_watchers, entry.id)
    query = _snapshot(entry)
    budget = budget_of(query.options, entry.used_s, entry.spent_usd)
    context = StepContext(query, run.round, (), done, tools(), entry.rounds, budget=budget)
    return Entered(context, entry.claimed, tuple(left.suspects), max(left.waits_s, default=None))


def claimant(work: Work) -> step_io.Claimant:
    """This process, as it claims items that have not ended their workers."""
    recovery = settings().recovery
    return step_io.Claimant(worker_name(), recovery.lease_s, work.run.launch, recovery.max_attempts - 1)


def _unclaimed(work: Work, claimed: dict[Key, int], done: dict[Key, Outcome]) -> _Unclaimed:
    run, recovery, left = work.run, settings().recovery, _Unclaimed()
    with transaction() as session:
        for step, asked in work.parts:
            items = [item for item in asked if (step.name, item) not in claimed and (step.name, item) not in done]
            found = parking.list_open_items(
                session, run.query_id, run.round, step.name, items, launch=run.launch, lease_s=recovery.lease_s
            )
            free = [each for each in found if each.is_free]
            broken = [each.item for each in free if each.tries >= recovery.max_attempts]
            left.suspects += [(step.name, each.item) for each in free if each.tries < recovery.max_attempts]
            left.waits_s += [each.put_off_s for each in found if not each.is_free and each.put_off_s is not None]
            if broken and not _park(session, run, step, broken, done):
                left.has_ended = True
    return left


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
    named = " ".join([step.name, *items]).strip()
    message = f"The step {named!r} broke its worker too often and is not tried again ({reason})."
    error = {"code": "step_parked", "message": message}
    finish(session, uuid.UUID(run.query_id), QueryStatus.FAILED, error=error)
    return False


@asynccontextmanager
async def claimed_alone(work: Work, key: Key) -> AsyncGenerator[dict[Key, int]]:
    """Claim one suspect at a time in this process: when it dies, only the one that broke it is blamed for good. No
    attempt number when another worker has claimed it by now.

    Raises ComeAgain when other suspects take too long.
    """
    turn = _turn_of_suspects()
    try:
        async with asyncio.timeout(_WAIT_FOR_SUSPECTS_S):
            await turn.acquire()
    except TimeoutError:
        others = "another step that broke its worker before is being tried"
        raise ComeAgain(others, countdown_s=_WAIT_FOR_SUSPECTS_S) from None
    try:
        yield await asyncio.to_thread(_claim_suspect, work.run, *key)
    finally:
        turn.release()


@once
def _turn_of_suspects() -> asyncio.Lock:
    return asyncio.Lock()


def _claim_suspect(run: Run, step: str, item: str) -> dict[Key, int]:
    recovery = settings().recovery
    with transaction() as session:
        attempts = steps.claim_items(
            session,
            run.query_id,
            run.round,
            step,
            [item],
            worker=worker_name(),
            lease_s=recovery.lease_s,
            launch=run.launch,
            below_tries=recovery.max_attempts,
        )
    return {(step, item): attempt for item, attempt in attempts.items()}


def budget_of(options: QueryOptions, used_s: float, spent_usd: float) -> Budget:
    """What a query with these options has used of its time and money."""
    return Budget(used_s, options.deadline_s, spent_usd, options.max_cost_usd)


def _snapshot(entry: ClaimedSteps) -> QuerySnapshot:
    return QuerySnapshot(
        id=entry.id,
        workspace_id=entry.workspace_id,
        question=entry.question,
        mode=entry.mode,
        provider=entry.provider,
        options=QueryOptions(**entry.options),
        kind=entry.kind,
        batch_id=entry.batch_id,
        accepted_at=entry.accepted_at,
        traceparent=entry.traceparent,
    )
