"""Leases: a process renews the claims it works on; when it dies, they expire."""

import threading
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from itertools import count

import structlog

from db.session import reserved_connection
from domain.errors import DatabaseUnavailable
from workers.processes.periodic import Periodic, attempt

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
        """Keep a claim alive for the length of the block; `renew` acts for the block's tenant."""
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
        """Call `renew` at every beat for the rest of the process, without a tenant."""
        with self._lock:
            self._held[next(self._ids)] = lambda: _apart(renew)
            self._beats.start()

    def eventually(self, act: Callable[[], object]) -> None:
        """Call `act` as soon as Postgres is reachable, for the current tenant."""
        context = copy_context()
        with self._lock:
            self._owed.append(lambda: context.run(_apart, act))
            self._beats.start()

    @property
    def is_owing(self) -> bool:
        """Whether work waits for Postgres to be reachable."""
        return bool(self._owed)

    def settle(self) -> None:
        """Do the work that waits for Postgres, if it is reachable."""
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
            # A failing renewal must not stop the others. While Postgres is unreachable the lease may expire: then
            # another worker takes over and this one is fenced.
            attempt("leases", renew, "lease_not_renewed")


def _apart(act: Callable[[], object]) -> None:
    # On a connection of its own: work may occupy all the others for longer than a lease lasts.
    with reserved_connection():
        act()
