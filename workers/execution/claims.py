"""Claims of this process on items of steps: leases that it renews while it works on them, and hands back.

SIGTERM lets running steps finish for at most `recovery.drain_s`; SIGQUIT does not wait. Then all claims are handed back
without counting a failed attempt, model calls are cancelled, and messages go back to their queues.
"""

import asyncio
import threading
import uuid
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import structlog
from celery.exceptions import Reject
from sqlalchemy.orm import Session

from citewell_verify.errors import CitewellError
from config.settings import settings
from db.queries.runs import parking, queries, steps
from db.queries.runs.steps import Key
from db.session import system_transaction, transaction
from domain.errors import DatabaseUnavailable
from workers.pipeline import Run
from workers.processes.once import once
from workers.processes.runtime import leases, worker_name, worker_prefix

log = structlog.get_logger()

_over = threading.Event()


def _nothing(*_: object) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Claim:
    """Items that this process works on. The attempt numbers are the fence: a later claim of an item has a higher
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
                self.hand_back(session)
                # Also if there is no claim any more, which a crash may have undone: a stored call is not stored again.
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
        """Hold for the length of the block what `claims` returns at each renewal, in another thread."""
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
    """Whether this process has handed back its claims; it stores no more results."""
    return _over.is_set()


async def reject_if_over() -> None:
    """Raise Reject if this process is over: it could no longer cancel new work."""
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
    # Work claimed from now on is stopped as it begins (workers.execution.executor).
    held_claims().stop()


def hand_back_all() -> None:
    try:
        with system_transaction() as session:
            count = parking.hand_back_all(session, worker_prefix())
        log.info("claims_handed_back", count=count)
    except CitewellError as error:
        # Their leases expire instead, which counts as an attempt each.
        log.warning("claims_not_handed_back", error=type(error).__name__)
