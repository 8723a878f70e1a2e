"""Leases: a process renews the claims it works on; when it dies, they run out by themselves."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import copy_context
from itertools import count

import structlog

from domain.errors import DatabaseUnavailable

log = structlog.get_logger()


class LeaseRenewer:
    """Calls every held renewal each `interval_s` seconds from one daemon thread, started on first use after a fork."""

    def __init__(self, interval_s: float) -> None:
        self._interval_s = interval_s
        self._held: dict[int, Callable[[], object]] = {}
        self._ids = count()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    @contextmanager
    def hold(self, renew: Callable[[], object]) -> Generator[None]:
        """Keep a claim alive for the length of the block; `renew` acts for the tenant that the block acts for."""
        key = next(self._ids)
        context = copy_context()
        with self._lock:
            self._held[key] = lambda: context.run(renew)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="leases", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                del self._held[key]

    def _run(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(self._interval_s)
            with self._lock:
                held = list(self._held.values())
            for renew in held:
                try:
                    renew()
                except DatabaseUnavailable:
                    # The lease may run out meanwhile: then another worker takes over and this one is fenced.
                    log.warning("lease_not_renewed")
                except Exception:
                    # Without this thread no lease of the process would ever be renewed again.
                    log.exception("lease_not_renewed")
