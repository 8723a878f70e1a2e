"""Which items of its steps a message may work on: claimed, left to others, or parked as they broke their workers."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import structlog
from sqlalchemy.orm import Session

from clients.llm.protocol import CallDeferred
from clients.telemetry import families
from clients.telemetry.meter import METER
from config.settings import settings
from db.models import QueryStatus
from db.queries import entries, parking, steps
from db.queries.entries import Entry
from db.queries.steps import Key
from db.session import transaction
from domain.budget import Budget
from domain.errors import DatabaseUnavailable
from domain.options import QueryOptions
from services.finishing import finish
from services.step import Outcome, QuerySnapshot, StepContext
from workers.once import once
from workers.ringing import ring, ring_watchers
from workers.runtime import leases, tools, worker_name
from workers.work import Claim, Part, Work

log = structlog.get_logger()

_LONGEST_QUEUE_S = 5.0


@dataclass(frozen=True, slots=True)
class Entered:
    """What a message found: the `attempts` of the items that it claimed, and the `suspects` that have to be claimed
    alone because they ended their worker before. For `put_off_s` seconds nobody is to claim the others, if a number."""

    context: StepContext
    attempts: dict[Key, int]
    suspects: tuple[Key, ...] = ()
    put_off_s: float | None = None


@dataclass(frozen=True, slots=True)
class _Left:
    """Of a part, what has a claim and no outcome, and was not claimed: what broke its workers, and the others. `ended`
    when that ended the query."""

    part: Part
    items: Sequence[parking.OpenItem]
    ended: bool = False

    @property
    def broken(self) -> list[str]:
        most = settings().recovery.max_attempts
        return [each.item for each in self.items if each.is_free and each.tries >= most]

    @property
    def suspects(self) -> list[Key]:
        most = settings().recovery.max_attempts
        return [(self.part.step.name, each.item) for each in self.items if each.is_free and each.tries < most]


def claimant(work: Work) -> entries.Claimant:
    """This process, as it claims what nobody suspects of having ended a worker."""
    recovery = settings().recovery
    return entries.Claimant(worker_name(), recovery.lease_s, work.run.launch, recovery.max_attempts - 1)


async def enter(work: Work) -> Entered | None:
    """Claim what nobody has done or does. None when the message is stale, or the query ended here."""
    if leases().is_owing:
        await asyncio.to_thread(leases().settle)
    run, keys = work.run, work.keys
    entry = await entries.enter(run.query_id, entries.Wanted(run.round, keys, claimant(work), work.stage))
    if entry is None:
        return None
    done, left = entry.rounds.setdefault(run.round, {}), list[_Left]()
    if any(key not in entry.claimed and key not in done for key in keys):
        try:
            left = await asyncio.to_thread(_what_is_left, work, entry.claimed, done)
        except DatabaseUnavailable:
            await asyncio.to_thread(Claim(run, entry.claimed).hand_back_soon)
            raise
        if any(each.ended for each in left):
            await asyncio.to_thread(ring, entry.id)
            return None
    if entry.entered:
        await asyncio.to_thread(ring_watchers, entry.id)
    query = _snapshot(entry)
    budget = budget_of(query.options, entry.used_s, entry.spent_usd)
    context = StepContext(query, run.round, (), done, tools(), entry.rounds, budget=budget)
    waits = [item.put_off_s for each in left for item in each.items if not item.is_free and item.put_off_s is not None]
    suspects = tuple(key for each in left for key in each.suspects)
    return Entered(context, entry.claimed, suspects, max(waits, default=None))


def _what_is_left(work: Work, claimed: dict[Key, int], done: dict[Key, Outcome]) -> list[_Left]:
    """What was neither claimed nor done; what broke its worker too often is parked."""
    run, lease_s = work.run, settings().recovery.lease_s
    left: list[_Left] = []
    with transaction() as session:
        for part in work.parts:
            name, launch = part.step.name, run.launch
            items = [item for item in part.items if (name, item) not in claimed and (name, item) not in done]
            found = parking.list_open_items(
                session, run.query_id, run.round, name, items, launch=launch, lease_s=lease_s
            )
            each = _Left(part, found)
            ended = bool(each.broken) and not _park(session, work, each, done)
            left.append(replace(each, ended=ended))
    return left


@asynccontextmanager
async def alone() -> AsyncGenerator[None]:
    """One suspect at a time in this process: when it dies, only the one that broke it is blamed for good.

    Raises CallDeferred when others take their time.
    """
    turn = _turn_of_suspects()
    try:
        async with asyncio.timeout(_LONGEST_QUEUE_S):
            await turn.acquire()
    except TimeoutError:
        others = "another step that broke its worker before is being tried"
        raise CallDeferred(_LONGEST_QUEUE_S, others) from None
    try:
        yield
    finally:
        turn.release()


@once
def _turn_of_suspects() -> asyncio.Lock:
    return asyncio.Lock()


def claim_alone(work: Work, key: Key) -> dict[Key, int]:
    """Claim one suspect; empty when somebody else has it by now."""
    run, (step, item), recovery = work.run, key, settings().recovery
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


def _park(session: Session, work: Work, left: _Left, done: dict[Key, Outcome]) -> bool:
    """Park what broke its worker too often; False when that ends the query."""
    run, step, items = work.run, left.part.step, left.broken
    reason = f"parked: it broke its worker {settings().recovery.max_attempts} times"
    value = None if step.failed is None else {**step.failed, "reason": reason, "degraded": reason}
    parking.park_items(session, run.query_id, run.round, step.name, items, reason, value)
    METER.count(families.STEPS_PARKED, step.name, by=len(items))
    log.error("step_parked", step=step.name, items=list(items), query_id=run.query_id)
    if value is not None:
        done.update({(step.name, item): dict(value) for item in items})
        return True
    named = " ".join([step.name, *items]).strip()
    message = f"The step {named!r} broke its worker too often and is not tried again ({reason})."
    error = {"code": "step_parked", "message": message}
    finish(session, uuid.UUID(run.query_id), QueryStatus.FAILED, error=error)
    return False


def budget_of(options: QueryOptions, used_s: float, spent_usd: float) -> Budget:
    """What a query with these options has used of its time and money."""
    return Budget(used_s, options.deadline_s, spent_usd, options.max_cost_usd)


def _snapshot(entry: Entry) -> QuerySnapshot:
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
