"""Batches of verifications: progress, results, end (N2)."""

import uuid
from collections.abc import Sequence
from typing import Any

from db.base import row_json
from db.models import QueryStatus
from db.queries.verifications import batches
from db.session import reading, transaction
from services.external.verification_results import read_verification
from services.finishing.completion import finish

_AT_A_TIME = 200


def read_batch(batch_id: uuid.UUID) -> dict[str, Any]:
    with reading() as session:
        batch = batches.get_batch(session, batch_id)
        counted = batches.count_states(session, batch_id)
    if batch.finished_at is None:
        status = "running" if counted[QueryStatus.QUEUED] < batch.total else "queued"
    else:
        status = "cancelled" if batch.cancelled_at else "finished"
    return {
        **row_json(batch, "id total created_at finished_at"),
        "status": status,
        **{state.value: counted[state] for state in QueryStatus},
    }


def read_results(batch_id: uuid.UUID, after: int, limit: int) -> list[tuple[int, dict[str, Any]]]:
    """Return (position, verification) of finished items after position `after`, in the order of the file."""
    with reading() as session:
        items = batches.finished_items(session, batch_id, after, limit)
    return [(position, read_verification(query_id)) for position, query_id in items]


def cancel_batch(batch_id: uuid.UUID) -> Sequence[uuid.UUID]:
    """Cancel the batch and end its first unfinished items; return these. Repeating it is harmless. Raises
    BatchNotFound.

    No further item starts, and work on running ones stops. `cancel_next_items` ends the others.
    """
    with transaction() as session:
        batches.get_batch(session, batch_id)
        batches.mark_batch_cancelled(session, batch_id)
    return cancel_next_items(batch_id)


def cancel_next_items(batch_id: uuid.UUID) -> Sequence[uuid.UUID]:
    """End up to _AT_A_TIME items of a cancelled batch; return them, none when all have ended.

    Several callers may run at a time, and may stop early: the reconciler continues.
    """
    with transaction() as session:
        batches.lock_batch(session, batch_id)
        items = batches.unfinished_items(session, batch_id, _AT_A_TIME)
        return [item for item in items if finish(session, item, QueryStatus.CANCELLED)]
