"""Batches: many verifications from one file (N2). A few run at a time; the others wait for their turn."""

import uuid
from collections import Counter
from collections.abc import Sequence

from sqlalchemy import ColumnElement, Select, exists, func, select, update
from sqlalchemy.orm import Session

from db.models import Batch, Query
from db.session import is_limited
from domain.errors.missing import BatchNotFound


def add_batch(session: Session, batch_id: uuid.UUID, total: int, callback_url: str | None) -> None:
    session.add(Batch(id=batch_id, total=total, callback_url=callback_url))
    session.flush()


def get_batch(session: Session, batch_id: uuid.UUID) -> Batch:
    """Return the batch. Raises BatchNotFound when there is none, or when the transaction may not see the workspaces of
    some of its items."""
    batch = session.get(Batch, batch_id)
    if batch is None or (is_limited() and count_states(session, batch_id).total() < batch.total):
        raise BatchNotFound(f"There is no batch {batch_id}.")
    return batch


def count_states(session: Session, batch_id: uuid.UUID) -> Counter[str]:
    rows = session.execute(select(Query.status, func.count()).where(Query.batch_id == batch_id).group_by(Query.status))
    return Counter({str(status): count for status, count in rows})


def lock_batch_of(session: Session, query_id: uuid.UUID) -> uuid.UUID | None:
    """Return the batch of a query, locked until the transaction ends; None when the query is not part of one.

    Code that ends items takes this lock before the item's own, so exactly one of them sees that it ended the last item.
    """
    owner = select(Query.batch_id).where(Query.id == query_id).scalar_subquery()
    return session.scalar(_locked(Batch.id == owner))


def lock_batch(session: Session, batch_id: uuid.UUID) -> None:
    session.execute(_locked(Batch.id == batch_id))


def _locked(condition: ColumnElement[bool]) -> Select[uuid.UUID]:
    # A second change of an item in one transaction checks its foreign key. Under a plain FOR UPDATE that check would
    # wait for the holder, which may itself wait for this item.
    return select(Batch.id).where(condition).with_for_update(key_share=True)


def mark_batch_finished(session: Session, batch_id: uuid.UUID) -> bool:
    """Mark a batch as finished, once, if no item is unfinished; the caller holds its lock. True if it was marked."""
    open_items = exists().where(Query.batch_id == batch_id, Query.finished_at.is_(None))
    done = session.scalar(
        update(Batch)
        .where(Batch.id == batch_id, Batch.finished_at.is_(None), ~open_items)
        .values(finished_at=func.clock_timestamp())
        .returning(Batch.id)
    )
    return done is not None


def mark_batch_cancelled(session: Session, batch_id: uuid.UUID) -> None:
    session.execute(
        update(Batch)
        .where(Batch.id == batch_id, Batch.finished_at.is_(None), Batch.cancelled_at.is_(None))
        .values(cancelled_at=func.clock_timestamp())
    )


def unfinished_items(session: Session, batch_id: uuid.UUID, limit: int) -> list[uuid.UUID]:
    statement = select(Query.id).where(Query.batch_id == batch_id, Query.finished_at.is_(None))
    return list(session.scalars(statement.order_by(Query.position).limit(limit)))


def finished_items(session: Session, batch_id: uuid.UUID, after: int, limit: int) -> list[tuple[int, uuid.UUID]]:
    rows = session.execute(
        select(Query.position, Query.id)
        .where(Query.batch_id == batch_id, Query.position > after, Query.finished_at.is_not(None))
        .order_by(Query.position)
        .limit(limit)
    )
    return [(position, query_id) for position, query_id in rows if position is not None]


def list_cancelling_batches(session: Session) -> Sequence[tuple[uuid.UUID, int]]:
    rows = session.execute(
        select(Batch.id, Batch.tenant_id).where(Batch.cancelled_at.is_not(None), Batch.finished_at.is_(None))
    )
    return [(batch_id, tenant_id) for batch_id, tenant_id in rows]
