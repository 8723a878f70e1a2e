"""Claims of this process on items of steps: leases that it renews while it works on them, and hands back.

The attempt number of a claim is its fence.
"""

import threading
import uuid
from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import count

from sqlalchemy.orm import Session

from clients.llm.protocol import CallDeferred
from config.settings import settings
from db.queries.runs import budgets, parking, queries, steps
from db.queries.runs.steps import Key
from db.session import system_transaction, transaction
from domain.errors import DatabaseUnavailable
from services.core.context import StepContext
from workers.execution.message import RetryLater
from workers.pipeline import Run
from workers.processes.once import once
from workers.processes.runtime import leases, worker_name

MIN_WAIT_S = 0.5
MAX_WAIT_S = 60.0
"""Limit of a single wait. Longer waits are split, so that a lost message is noticed within this time."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Items that this process works on, with the attempt numbers that fence them."""

    run: Run
    attempts: Mapping[Key, int]

    def of(self, step: str) -> dict[str, int]:
        return {item: attempt for (name, item), attempt in self.attempts.items() if name == step}

    def only(self, names: Collection[str]) -> "Claim":
        return Claim(self.run, {key: attempt for key, attempt in self.attempts.items() if key[0] in names})

    def hand_back(self, session: Session, hold_s: float = 0.0) -> bool:
        """Release the claim without counting a failed attempt; the items must not be claimed for `hold_s` seconds.
        Returns False when the claim has already ended."""
        run, names = self.run, sorted({step for step, _ in self.attempts})
        released = [parking.hand_back(session, run.query_id, run.round, step, self.of(step), hold_s) for step in names]
        return any(released)

    def hand_back_soon(self, store_calls: Callable[[Session], None] = lambda _: None) -> None:
        """Hand back now, or as soon as Postgres is reachable. `store_calls` stores model calls not yet stored."""

        def attempt() -> None:
            with transaction() as session:
                self.hand_back(session)
                # Also if there is no claim any more, which a crash may have undone: a stored call is not stored again.
                if queries.find_query(session, uuid.UUID(self.run.query_id)) is not None:
                    store_calls(session)

        with suppress(DatabaseUnavailable):
            attempt()
            return
        leases().run_when_reachable(attempt)

    def defer(self, context: StepContext, deferred: CallDeferred, store_calls: Callable[[Session], None]) -> RetryLater:
        """Hand back because model calls would have to wait (A7), and store the calls made so far; return when to
        deliver the message again.

        The lease covers the wait, so the query does not count as stalled. If the worker that holds the message dies,
        the lease expires and the reconciler restarts the query.
        """
        left_s = context.budget.left_s
        # Not much past the deadline: from then on no step waits for a model.
        most_s = MAX_WAIT_S if left_s is None else min(MAX_WAIT_S, max(left_s, 0.0) + 0.1)
        wait_s = min(max(deferred.wait_s, MIN_WAIT_S), most_s)
        with transaction() as session:
            store_calls(session)
            # Slightly shorter, so that a message that arrives a little early finds the items free.
            self.hand_back(session, wait_s - MIN_WAIT_S / 2 + settings().recovery.lease_s)
            # The database's clock, because another worker may hold the message.
            now = budgets.database_time(session)
        return RetryLater(deferred.reason, eta=now + timedelta(seconds=wait_s))


class HeldClaims:
    """The claims that this process works on, of all tenants: their leases are renewed together."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[Claim, Callable[[], None]]] = {}
        self._ids = count()
        self._lock = threading.Lock()

    @contextmanager
    def hold(self, claim: Claim, stop: Callable[[], None]) -> Generator[None]:
        """Hold the claim for the length of the block; calls `stop` when its query has ended or this process must
        end."""
        key = next(self._ids)
        with self._lock:
            self._held[key] = claim, stop
        try:
            yield
        finally:
            with self._lock:
                del self._held[key]

    def stop(self) -> None:
        for _, stop in self._all():
            stop()

    def renew(self) -> None:
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
    claims = HeldClaims()
    leases().hold_forever(claims.renew)
    return claims
