"""Graceful shutdown: hands back the claims that this worker cannot finish in time, without counting a failed attempt.

SIGTERM lets running steps finish for at most `recovery.drain_s`; SIGQUIT does not wait. Then model calls are cancelled,
claims are released immediately, and messages go back to their queues.
"""

import asyncio
import threading

import structlog
from celery.exceptions import Reject

from config.settings import settings
from db.queries.runs.parking import hand_back_all
from db.session import system_transaction
from domain.errors import CitewellError
from workers.execution.claims import held_claims
from workers.processes.runtime import worker_prefix

log = structlog.get_logger()

_over = threading.Event()


def is_over() -> bool:
    """Whether this process has handed back its claims; it stores no more results."""
    return _over.is_set()


async def reject_if_over() -> None:
    """Raise Reject if this process is over: it could no longer cancel new work."""
    if is_over():
        # Also the claims that were acquired while all others were handed back.
        await asyncio.to_thread(hand_back)
        raise Reject(requeue=True)


def start_draining(*, wait: bool) -> None:
    """Hand back all claims in a separate thread, immediately or after `recovery.drain_s`. Signal handlers call this."""
    pause_s = settings().recovery.drain_s if wait else 0.0
    # Without a wait the process must not exit before the thread is done.
    threading.Thread(target=_drain, args=(pause_s,), name="drain", daemon=wait).start()


def _drain(pause_s: float) -> None:
    _over.wait(pause_s)
    if _over.is_set():
        return
    _over.set()
    hand_back()
    # Work claimed from now on is stopped as it begins (workers.execution.executor).
    held_claims().stop()


def hand_back() -> None:
    """Release all claims of this process; called again for claims acquired during the first call."""
    try:
        with system_transaction() as session:
            count = hand_back_all(session, worker_prefix())
        log.info("claims_handed_back", count=count)
    except CitewellError as error:
        # Their leases expire instead, which counts as an attempt each.
        log.warning("claims_not_handed_back", error=type(error).__name__)
