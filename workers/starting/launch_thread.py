"""The launcher: a thread that starts waiting work as soon as its process learns that there may be some.

Requests and steps only wake it, so they never wait for the broker. It admits work of all tenants, and retries with
growing pauses while the broker or the database is unreachable. If the process dies, the reconciler starts the work.
"""

import threading
import uuid
from collections.abc import Callable
from contextvars import copy_context
from functools import cache

from db.session import reserved_connection
from services.finishing.completion import set_end_listener
from workers.processes.periodic import Periodic
from workers.starting.launch import NotPublished, launch_documents, launch_waiting

_RETRY_S = (0.1, 3.0)
_MAX_HINTS = 1_000


class Launcher:
    """One per process. Before `start` it ignores all calls, so that processes without a launcher start no work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanted: dict[object, Callable[[], object]] = {}
        self._launching = Periodic("launcher", None, self._run_wanted, failed="launch_failed", retry_s=_RETRY_S)

    def start(self) -> None:
        """Start, also again after `stop`, and check for waiting queries; every query that ends in this process wakes
        it."""
        self._launching.start()
        set_end_listener(self.queries)
        self.queries()

    def stop(self) -> None:
        set_end_listener(None)
        self._launching.stop()

    def queries(self) -> None:
        self._want("queries", launch_waiting)

    def documents(self) -> None:
        self._want("documents", launch_documents)

    def hint(self, launch: Callable[[uuid.UUID], bool], row_id: uuid.UUID) -> None:
        """Call `launch` with `row_id`, for the current tenant, until it returns True."""
        context = copy_context()

        def publish() -> None:
            if not context.run(launch, row_id):
                raise NotPublished

        self._want((launch, row_id), publish)

    def _want(self, key: object, work: Callable[[], object]) -> None:
        if not self._launching.is_running:
            return
        with self._lock:
            if len(self._wanted) < _MAX_HINTS:
                self._wanted.setdefault(key, work)
        self._launching.wake()

    def _run_wanted(self) -> None:
        while (wanted := self._next()) is not None:
            key, work = wanted
            try:
                with reserved_connection():
                    work()
            except Exception:
                self._want(key, work)
                raise

    def _next(self) -> tuple[object, Callable[[], object]] | None:
        with self._lock:
            if not self._wanted or not self._launching.is_running:
                return None
            key = next(iter(self._wanted))
            return key, self._wanted.pop(key)


@cache
def launcher() -> Launcher:
    return Launcher()
