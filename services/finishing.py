"""The end of a query: its final state and everything that follows from it, in one transaction, once."""

import uuid
from typing import Any

from sqlalchemy.orm import Session

from db.models import QueryStatus
from db.queries.batches import lock_batch_of, mark_batch_finished
from db.queries.events import add_event
from db.queries.queries import mark_finished
from services.webhooks import announce_batch, announce_query

_EVENTS = {QueryStatus.SUCCEEDED: "final", QueryStatus.FAILED: "failed", QueryStatus.CANCELLED: "cancelled"}
LAST_EVENTS = frozenset(_EVENTS.values())


def finish(
    session: Session,
    query_id: uuid.UUID,
    status: QueryStatus,
    *,
    error: dict[str, Any] | None = None,
    event: dict[str, Any] | None = None,
) -> bool:
    """Enter the final state `status`; False, and nothing else happens, when the query had one already.

    `error` is {code, message} of a query that failed; `event` the data of the last event, else the error's message.
    With the last item of a batch the batch ends.
    """
    batch_id = lock_batch_of(session, query_id)
    if not mark_finished(session, query_id, status, error=error):
        return False
    data = event if event is not None else {"reason": error["message"]} if error else {}
    add_event(session, _EVENTS[status], data, query_id=query_id)
    announce_query(session, query_id, status)
    if batch_id is not None and mark_batch_finished(session, batch_id):
        announce_batch(session, batch_id)
    return True
