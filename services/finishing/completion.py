"""Ends a query: its final state and everything that follows from it, in one transaction, once."""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from sqlalchemy.orm import Session

from clients.telemetry import families
from clients.telemetry.meter import METER
from db.models import QueryStatus
from db.queries.runs.queries import Finished, mark_finished
from db.queries.verifications.answer_validity import record_missed
from db.queries.verifications.batches import lock_batch_of, mark_batch_finished
from db.session import after_commit
from services.finishing.answer_validity import decide_after_reverification
from services.finishing.audit_chain import AUDITED, seal_audit
from services.finishing.scores import tell_scores
from services.webhooks.outbox import announce_batch, announce_query

_EVENTS = {
    QueryStatus.SUCCEEDED: "final",
    QueryStatus.FAILED: "failed",
    QueryStatus.CANCELLED: "cancelled",
    QueryStatus.HELD: "held",
}
LAST_EVENTS = frozenset(_EVENTS.values())

# Called in this process when a query has ended and a place is free (workers.starting.launch_thread).
_listener: Callable[[], None] | None = None


def finish(
    session: Session,
    query_id: uuid.UUID,
    status: QueryStatus,
    *,
    error: dict[str, Any] | None = None,
    event: dict[str, Any] | None = None,
    is_batch_item: bool = True,
    was_held: bool = False,
) -> bool:
    """Enter the final state `status`; return False, and change nothing, if the query already had one.

    `error` is the {code, message} of a failed query; `event` the data of the last event, by default the error's
    message. The last item of a batch also ends the batch; what is known to be no item needs no lock. With
    `was_held` it ends an answer that waited for a reviewer.
    """
    batch_id = lock_batch_of(session, query_id) if is_batch_item else None
    data = event if event is not None else {"reason": error["message"]} if error else {}
    finished = mark_finished(session, query_id, status, error=error, event=(_EVENTS[status], data), was_held=was_held)
    if finished is None:
        return False
    if status in AUDITED:
        seal_audit(session, query_id)
    announce_query(session, query_id, finished, status)
    if status is QueryStatus.SUCCEEDED:
        tell_scores(session, query_id)
    if finished.reverifies is not None:
        decide_after_reverification(session, query_id, status)
    if batch_id is not None and mark_batch_finished(session, batch_id):
        announce_batch(session, batch_id)
    if was_held:
        record_missed(session, query_id)
    after_commit(session, _notify_listener)
    if not was_held:
        after_commit(session, partial(_count, finished, status))
    return True


def _count(finished: Finished, status: QueryStatus) -> None:
    METER.count(families.QUERIES_ENDED, finished.kind, status.value)
    if status is QueryStatus.SUCCEEDED:
        METER.observe(families.QUERY_SECONDS, finished.seconds, finished.kind)


def set_end_listener(listener: Callable[[], None] | None) -> None:
    """Call `listener` after every commit that ended queries in this process; it must not block. None stops that."""
    global _listener
    _listener = listener


def _notify_listener() -> None:
    if _listener is not None:
        _listener()
