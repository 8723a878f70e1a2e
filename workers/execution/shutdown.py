"""Ending a worker: what it cannot finish in time is handed back, and counts as no failed try.

SIGTERM lets running steps end, for `recovery.drain_s` at most; SIGQUIT does not wait. Their model calls are stopped,
their claims are free at once, and their messages go back to the queue.
"""

import threading

import structlog

from config.settings import settings
from db.queries.runs.parking import hand_back_all
from db.session import system_transaction
from domain.errors import CitewellError
from workers.execution.claims import held_claims
from workers.processes.runtime import worker_prefix

log = structlog.get_logger()

_over = threading.Event()


def is_over() -> bool:
    """Whether this process has handed back what it held; what it finds from now on it does not store."""
    return _over.is_set()


def start_draining(*, wait: bool) -> None:
    """Hand everything back in a thread of its own, at once or after `recovery.drain_s`: a signal handler calls this."""
    pause_s = settings().recovery.drain_s if wait else 0.0
    # Without a wait the process must not end before it is done.
    threading.Thread(target=_drain, args=(pause_s,), name="drain", daemon=wait).start()


def _drain(pause_s: float) -> None:
    _over.wait(pause_s)
    if _over.is_set():
        return
    _over.set()
    hand_back()
    # What is claimed from now on is stopped as it begins (workers.execution.executor).
    held_claims().stop()


def hand_back() -> None:
    """Give up all that this process holds: when its time is over, and again for what was claimed at that moment."""
    try:
        with system_transaction() as session:
            count = hand_back_all(session, worker_prefix())
        log.info("claims_handed_back", count=count)
    except CitewellError as error:
        # Then their leases run out, and each of them counts one try.
        log.warning("claims_not_handed_back", error=type(error).__name__)
