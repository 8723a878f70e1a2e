"""Renews the leases of a process while it works on them; when the process dies, they expire."""

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
    """Calls all held renewals every `interval_s` seconds from a daemon thread, started on first use after a fork."""

    def __init__(self, interval_s: float) -> None:
        self._beats = Periodic("leases", interval_s, self._beat, failed="lease_not_renewed")
        self._held: dict[int, Callable[[], object]] = {}
        self._pending: deque[Callable[[], object]] = deque()
        self._ids = count()
        self._lock = threading.Lock()

    @contextmanager
    def hold(self, renew: Callable[[], object]) -> Generator[None]:
        """Renew a lease for the length of the block; `renew` acts for the block's tenant."""
        key = next(self._ids)
        context = copy_context()
        with self._lock:
            self._held[key] = lambda: context.run(_on_own_connection, renew)
            self._beats.start()
        try:
            yield
        finally:
            with self._lock:
                del self._held[key]

    def hold_forever(self, renew: Callable[[], object]) -> None:
        """Call `renew` at every beat for the lifetime of the process, without a tenant."""
        with self._lock:
            self._held[next(self._ids)] = lambda: _on_own_connection(renew)
            self._beats.start()

    def run_when_reachable(self, act: Callable[[], object]) -> None:
        context = copy_context()
        with self._lock:
            self._pending.append(lambda: context.run(_on_own_connection, act))
            self._beats.start()

    @property
    def has_pending(self) -> bool:
        return bool(self._pending)

    def run_pending(self) -> None:
        while self._pending:
            with suppress(IndexError):  # Another thread may have taken the last one.
                act = self._pending.popleft()
                try:
                    act()
                except DatabaseUnavailable:
                    self._pending.appendleft(act)
                    return
                except Exception:
                    log.exception("claim_not_handed_back")

    def _beat(self) -> None:
        self.run_pending()
        with self._lock:
            held = list(self._held.values())
        for renew in held:
            # A failing renewal must not stop the others. If the lease expires while Postgres is unreachable, another
            # worker takes over and this one is fenced.
            attempt("leases", renew, "lease_not_renewed")


def _on_own_connection(act: Callable[[], object]) -> None:
    """Act on a separate connection: steps may occupy all others for longer than a lease lasts."""
    with reserved_connection():
        act()
