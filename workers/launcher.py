"""The launcher: a thread that starts waiting work as soon as its process knows that there may be some.

Requests and steps only nudge it, so none of them ever waits for the broker. It admits over all tenants, whoever nudged;
while the broker or the database is away it tries again by itself, more and more slowly. What a process that dies leaves
undone, the reconciler does.
"""

import random
import threading
import uuid
from collections.abc import Callable
from contextvars import copy_context
from functools import cache

import structlog

from domain.errors import CitewellError
from services.finishing import tell_ends_to
from workers.launch import NotPublished, launch_documents, launch_waiting

log = structlog.get_logger()

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 3.0
_MOST_HINTS = 1_000
_JOIN_S = 2.0


class Launcher:
    """One per process. Before `start` it ignores what it is told, so that nothing is started where nobody wants it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanted: dict[object, Callable[[], object]] = {}
        self._nudged = threading.Event()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, with what may wait already; it hears of every query that ends in this process. Also after `stop`."""
        # The thread of before, if it still lives, has to go on seeing that it was stopped.
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(self._stopped,), name="launcher", daemon=True)
        self._thread.start()
        tell_ends_to(self.queries)
        self.queries()

    def stop(self) -> None:
        """End, after what it is at; what it was nudged for and has not done, others do."""
        tell_ends_to(None)
        thread, self._thread = self._thread, None
        self._stopped.set()
        self._nudged.set()
        if thread is not None:
            thread.join(_JOIN_S)

    def queries(self) -> None:
        """A query was accepted, or has ended."""
        self._want("queries", launch_waiting)

    def documents(self) -> None:
        """A document was accepted, or has been read."""
        self._want("documents", launch_documents)

    def hint(self, launch: Callable[[uuid.UUID], bool], row_id: uuid.UUID) -> None:
        """Have `launch` called with `row_id`, for the tenant that the caller acts for, until it returns True."""
        context = copy_context()

        def publish() -> None:
            if not context.run(launch, row_id):
                raise NotPublished

        self._want((launch, row_id), publish)

    def _want(self, key: object, work: Callable[[], object]) -> None:
        if self._thread is None:
            return
        with self._lock:
            if len(self._wanted) < _MOST_HINTS:
                self._wanted.setdefault(key, work)
        self._nudged.set()

    def _run(self, stopped: threading.Event) -> None:
        pause = _FIRST_PAUSE_S
        while not stopped.is_set():
            self._nudged.wait()
            self._nudged.clear()
            if self._work_off(stopped):
                pause = _FIRST_PAUSE_S
            else:
                # Not all processes at once when the broker is back.
                stopped.wait(pause * random.uniform(0.5, 1))  # noqa: S311 - no secret
                pause = min(2 * pause, _LONGEST_PAUSE_S)
                self._nudged.set()

    def _work_off(self, stopped: threading.Event) -> bool:
        """Do what is wanted; False when it has to be tried again."""
        while (each := self._next(stopped)) is not None:
            key, work = each
            try:
                work()
            except Exception as error:
                if isinstance(error, (NotPublished, CitewellError)):
                    log.warning("launch_failed", error=type(error).__name__)
                else:
                    # Nobody would start this thread again.
                    log.exception("launch_failed")
                self._want(key, work)
                return False
        return True

    def _next(self, stopped: threading.Event) -> tuple[object, Callable[[], object]] | None:
        with self._lock:
            if not self._wanted or stopped.is_set():
                return None
            key = next(iter(self._wanted))
            return key, self._wanted.pop(key)


@cache
def launcher() -> Launcher:
    """The process's launcher."""
    return Launcher()
