"""Claims of this process on items of steps: leases that it renews while it works on them, and hands back."""

import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count

from sqlalchemy.orm import Session

from config.settings import settings
from db.queries.runs import parking, steps
from db.queries.runs.steps import Key
from db.session import system_transaction, transaction
from domain.errors import DatabaseUnavailable
from workers.pipeline import Run
from workers.processes.once import once
from workers.processes.runtime import leases, worker_name


def _nothing(*_: object) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Claim:
    """Items that this process works on. The attempt numbers are the fence: whoever claims an item later has a higher
    one. `stop` ends the work on them, from any thread."""

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
                if self.hand_back(session):
                    store_calls(session)

        with suppress(DatabaseUnavailable):
            attempt()
            return
        leases().run_when_reachable(attempt)


class HeldClaims:
    """The claims that this process works on, of all tenants: their leases are renewed together."""

    def __init__(self) -> None:
        self._holders: dict[int, Callable[[], Iterable[Claim]]] = {}
        self._ids = count()
        self._lock = threading.Lock()

    @contextmanager
    def hold(self, claims: Callable[[], Iterable[Claim]]) -> Generator[None]:
        """Hold for the length of the block what `claims` returns at each renewal, in another thread."""
        key = next(self._ids)
        with self._lock:
            self._holders[key] = claims
        try:
            yield
        finally:
            with self._lock:
                del self._holders[key]

    def stop(self) -> None:
        for claim in self._all():
            claim.stop()

    def renew(self) -> None:
        """Renew all leases, and stop the work on queries that have ended."""
        claims = self._all()
        held = [
            steps.HeldItem(claim.run.query_id, claim.run.round, step, item)
            for claim in claims
            for step, item in claim.attempts
        ]
        if not held:
            return
        with system_transaction() as session:
            ended = steps.renew_leases(session, held, worker_name(), settings().recovery.lease_s)
        for claim in claims:
            if claim.run.query_id in ended:
                claim.stop()

    def _all(self) -> list[Claim]:
        with self._lock:
            return [claim for claims in self._holders.values() for claim in claims()]


@once
def held_claims() -> HeldClaims:
    claims = HeldClaims()
    leases().hold_forever(claims.renew)
    return claims
