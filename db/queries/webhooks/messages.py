"""Webhook messages and their receivers: the outbox, its lists and replays."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Select, and_, func, insert, literal, or_, select
from sqlalchemy.orm import Session

from db.models import WebhookAttempt, WebhookDelivery, WebhookEndpoint, WebhookMessage
from db.queries.paging import Place, page
from domain.errors.missing import DeliveryNotFound


class Receiver(NamedTuple):
    """A message's receiver, as in WebhookDelivery. A callback has no endpoint."""

    url: str
    destination: str
    endpoint_id: uuid.UUID | None = None


def current_time(session: Session) -> datetime:
    return session.scalars(select(func.clock_timestamp())).one()


def add_message(
    session: Session,
    message_id: str,
    type_: str,
    payload: str,
    query_id: uuid.UUID | None,
    to: Sequence[Receiver],
    traceparent: str | None = None,
) -> list[uuid.UUID]:
    session.add(WebhookMessage(id=message_id, type=type_, payload=payload, query_id=query_id, traceparent=traceparent))
    session.flush()
    return [add_delivery(session, message_id, receiver).id for receiver in to]


def add_delivery(session: Session, message_id: str, to: Receiver) -> WebhookDelivery:
    delivery = WebhookDelivery(message_id=message_id, **to._asdict())
    session.add(delivery)
    session.flush()
    session.refresh(delivery)
    return delivery


def get_message(session: Session, message_id: str) -> WebhookMessage:
    return session.get_one(WebhookMessage, message_id)


def get_delivery(session: Session, delivery_id: uuid.UUID) -> tuple[WebhookDelivery, WebhookMessage]:
    row = session.execute(_with_message().where(WebhookDelivery.id == delivery_id)).one_or_none()
    if row is None:
        raise DeliveryNotFound(f"There is no delivery {delivery_id}.")
    return row[0], row[1]


def list_deliveries(
    session: Session,
    *,
    limit: int,
    endpoint_id: uuid.UUID | None = None,
    query_id: uuid.UUID | None = None,
    status: str | None = None,
    after: Place | None = None,
) -> list[tuple[WebhookDelivery, WebhookMessage]]:
    statement = _with_message()
    if endpoint_id is not None:
        statement = statement.where(WebhookDelivery.endpoint_id == endpoint_id)
    if query_id is not None:
        statement = statement.where(WebhookMessage.query_id == query_id)
    if status is not None:
        statement = statement.where(WebhookDelivery.status == status)
    newest = page(statement, WebhookDelivery.created_at, WebhookDelivery.id, after=after, limit=limit)
    return [(delivery, message) for delivery, message in session.execute(newest)]


def list_attempts(session: Session, delivery_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[WebhookAttempt]]:
    attempts: dict[uuid.UUID, list[WebhookAttempt]] = {delivery_id: [] for delivery_id in delivery_ids}
    rows = select(WebhookAttempt).where(WebhookAttempt.delivery_id.in_(delivery_ids))
    for attempt in session.scalars(rows.order_by(WebhookAttempt.number, WebhookAttempt.id)):
        attempts[attempt.delivery_id].append(attempt)
    return attempts


def replay_range(
    session: Session,
    endpoint: WebhookEndpoint,
    *,
    since: datetime,
    until: datetime | None,
    statuses: Sequence[str],
    missed_types: Sequence[str],
    limit: int,
) -> list[uuid.UUID]:
    """Deliver messages of [since, until) to the endpoint again, the oldest first; return the new deliveries.

    Includes messages whose latest delivery to this endpoint ended in one of `statuses`, and messages of `missed_types`
    that were never sent to it.
    """
    newest = (
        select(WebhookDelivery.status)
        .where(WebhookDelivery.message_id == WebhookMessage.id, WebhookDelivery.endpoint_id == endpoint.id)
        .order_by(WebhookDelivery.created_at.desc(), WebhookDelivery.id.desc())
        .limit(1)
        .correlate(WebhookMessage)
        .scalar_subquery()
    )
    missed = and_(newest.is_(None), WebhookMessage.type.in_(missed_types))
    before_end = WebhookMessage.created_at < (func.now() if until is None else until)
    chosen = (
        select(
            func.gen_random_uuid(),
            WebhookMessage.id,
            literal(endpoint.id),
            literal(endpoint.url),
            literal(str(endpoint.id)),
        )
        .where(WebhookMessage.created_at >= since, before_end, or_(newest.in_(statuses), missed))
        .order_by(WebhookMessage.created_at, WebhookMessage.id)
        .limit(limit)
    )
    columns = ["id", "message_id", "endpoint_id", "url", "destination"]
    new = insert(WebhookDelivery).from_select(columns, chosen, include_defaults=False)
    return list(session.scalars(new.returning(WebhookDelivery.id)))


def _with_message() -> Select[WebhookDelivery, WebhookMessage]:
    return select(WebhookDelivery, WebhookMessage).join(WebhookMessage, WebhookMessage.id == WebhookDelivery.message_id)
