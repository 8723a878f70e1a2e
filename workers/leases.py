"""Leases: a process renews the claims it works on; when it dies, they run out by themselves."""

import threading
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from itertools import count

import structlog

from db.session import apart
from domain.errors import DatabaseUnavailable
from workers.periodic import Periodic, attempt

log = structlog.get_logger()


class LeaseRenewer:
    """Calls every held renewal each `interval_s` seconds from one daemon thread, started on first use after a fork."""

    def __init__(self, interval_s: float) -> None:
        self._beats = Periodic("leases", interval_s, self._beat, failed="lease_not_renewed")
        self._held: dict[int, Callable[[], object]] = {}
        self._owed: deque[Callable[[], object]] = deque()
        self._ids = count()
        self._lock = threading.Lock()

    @contextmanager
    def hold(self, renew: Callable[[], object]) -> Generator[None]:
        """Keep a claim alive for the length of the block; `renew` acts for the tenant that the block acts for."""
        key = next(self._ids)
        context = copy_context()
        with self._lock:
            self._held[key] = lambda: context.run(_apart, renew)
            self._beats.start()
        try:
            yield
        finally:
            with self._lock:
                del self._held[key]

    def hold_for_good(self, renew: Callable[[], object]) -> None:
        """Call `renew` at every beat for the rest of the process; it acts for no tenant."""
        with self._lock:
            self._held[next(self._ids)] = lambda: _apart(renew)
            self._beats.start()

    def eventually(self, act: Callable[[], object]) -> None:
        """Do `act` as soon as Postgres can be reached; it acts for the tenant that is acted for now."""
        context = copy_context()
        with self._lock:
            self._owed.append(lambda: context.run(_apart, act))
            self._beats.start()

    @property
    def is_owing(self) -> bool:
        """Whether anything was put off until Postgres can be reached."""
        return bool(self._owed)

    def settle(self) -> None:
        """Do what was put off until Postgres can be reached, if it can."""
        while self._owed:
            with suppress(IndexError):  # another thread was faster
                act = self._owed.popleft()
                try:
                    act()
                except DatabaseUnavailable:
                    self._owed.appendleft(act)
                    return
                except Exception:
                    log.exception("claim_not_handed_back")

    def _beat(self) -> None:
        self.settle()
        with self._lock:
            held = list(self._held.values())
        for renew in held:
            # One that fails must not keep the others from being renewed. While Postgres is away the lease may run out:
            # then another worker takes over and this one is fenced.
            attempt("leases", renew, "lease_not_renewed")


def _apart(act: Callable[[], object]) -> None:
    # On a connection of its own: work may use all the others for longer than a lease lasts.
    with apart():
        act()
