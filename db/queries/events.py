"""Events: what happened to a query, numbered so that a reader can tell a gap."""

import uuid
from collections.abc import Sequence
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from db.models import Event, Query

EventData = tuple[str, dict[str, Any]]
"""(type, data)."""


def add_event(session: Session, type_: str, data: dict[str, Any], *, query_id: uuid.UUID) -> None:
    """Append one event of a query."""
    add_events(session, query_id, [(type_, data)])


def add_events(session: Session, query_id: uuid.UUID, events: Sequence[EventData]) -> None:
    """Append events of a query in their order.

    The query's row is locked until the transaction ends: numbers become visible in their order, so a reader that has
    seen event N has not missed an earlier one.
    """
    if not events:
        return
    last = session.scalar(
        update(Query)
        .where(Query.id == query_id)
        .values(event_seq=Query.event_seq + len(events))
        .returning(Query.event_seq)
        .execution_options(synchronize_session=False)
    )
    if last is None:
        return
    first = last - len(events) + 1
    session.execute(
        insert(Event),
        [
            {"query_id": query_id, "seq": first + i, "type": type_, "data": data}
            for i, (type_, data) in enumerate(events)
        ],
    )


def list_events(session: Session, query_id: uuid.UUID, after: int = 0) -> list[Event]:
    """The events of a query after number `after`, in order."""
    statement = select(Event).where(Event.query_id == query_id, Event.seq > after)
    return list(session.scalars(statement.order_by(Event.seq)))
