"""Webhook deliveries: claimed, attempted, finished. All times are the database's."""

import uuid
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session

from db.models import DeliveryStatus, WebhookAttempt, WebhookDelivery, WebhookEndpoint

# An arbitrary constant: the first half of the advisory lock keys of destinations.
_DESTINATIONS = 0x4349

_PENDING = WebhookDelivery.status == DeliveryStatus.PENDING
_LEASED = and_(_PENDING, WebhookDelivery.lease_until > func.now())


class AttemptResult(NamedTuple):
    """The outcome of one attempt, as stored."""

    status_code: int | None
    error: str | None
    address: str | None
    duration_ms: float
    response_excerpt: str | None


def lock_due(
    session: Session, delivery_id: uuid.UUID, in_flight: int, in_flight_of_tenant: int
) -> WebhookDelivery | None:
    """Lock a delivery that is due, unclaimed and within the limits in flight; None otherwise.

    The limits are per destination and per tenant. Until the transaction ends, no other delivery to the same destination
    can be claimed; simultaneous claims may exceed a tenant's limit by a few.
    """
    own = WebhookDelivery.id == delivery_id
    # Postgres checks the reference again when this transaction changes the row twice. A transaction that deletes the
    # endpoint would then wait for the delivery, and this one for the endpoint.
    of_endpoint = select(WebhookEndpoint.id).where(WebhookEndpoint.id == WebhookDelivery.endpoint_id, own)
    session.execute(of_endpoint.with_for_update(read=True, key_share=True, of=WebhookEndpoint))
    # This is a statement of its own, and the first one: the counts below must include deliveries claimed while this one
    # waited.
    session.execute(
        select(func.pg_advisory_xact_lock(_DESTINATIONS, func.hashtext(WebhookDelivery.destination))).where(own)
    )
    delivery = session.scalar(select(WebhookDelivery).where(own, _is_due()).with_for_update())
    if delivery is None:
        return None
    there = WebhookDelivery.destination == delivery.destination
    leased = select(func.count().filter(there), func.count()).where(
        WebhookDelivery.tenant_id == delivery.tenant_id, _LEASED
    )
    at_destination, of_tenant = session.execute(leased).one()
    return delivery if at_destination < in_flight and of_tenant < in_flight_of_tenant else None


def begin_attempt(session: Session, delivery: WebhookDelivery, lease: timedelta) -> datetime:
    delivery.attempts += 1
    delivery.lease_until = session.scalar(select(func.now() + lease))
    session.flush()
    return session.scalars(select(func.clock_timestamp())).one()


def lock_attempt(session: Session, delivery_id: uuid.UUID) -> WebhookDelivery | None:
    return session.get(WebhookDelivery, delivery_id, with_for_update=True, populate_existing=True)


def add_attempt(session: Session, delivery_id: uuid.UUID, number: int, at: datetime, result: AttemptResult) -> None:
    session.add(WebhookAttempt(delivery_id=delivery_id, number=number, created_at=at, **result._asdict()))


def finish_delivery(
    session: Session, delivery: WebhookDelivery, status: DeliveryStatus, error: str | None = None
) -> None:
    delivery.status, delivery.error, delivery.lease_until = status, error, None
    delivery.finished_at = session.scalar(select(func.now()))


def postpone_delivery(session: Session, delivery: WebhookDelivery, delay_s: float, error: str) -> None:
    delivery.error, delivery.lease_until = error, None
    delivery.next_attempt_at = session.scalars(select(func.now() + timedelta(seconds=delay_s))).one()


def find_next_due(session: Session, destination: str) -> uuid.UUID | None:
    return session.scalar(
        select(WebhookDelivery.id)
        .where(WebhookDelivery.destination == destination, _is_due())
        .order_by(WebhookDelivery.next_attempt_at, WebhookDelivery.id)
        .limit(1)
    )


def list_due(session: Session, in_flight: int, limit: int = 500) -> list[tuple[uuid.UUID, int]]:
    """Return (id, tenant) of deliveries that can be sent now: for each destination no more than it has room for."""
    place = func.row_number().over(
        partition_by=(WebhookDelivery.tenant_id, WebhookDelivery.destination),
        order_by=(WebhookDelivery.next_attempt_at, WebhookDelivery.id),
    )
    due = (
        select(
            WebhookDelivery.id,
            WebhookDelivery.tenant_id,
            WebhookDelivery.destination,
            WebhookDelivery.next_attempt_at,
            place.label("place"),
        )
        .where(_is_due())
        .subquery()
    )
    busy = (
        select(WebhookDelivery.tenant_id, WebhookDelivery.destination, func.count().label("leased"))
        .where(_LEASED)
        .group_by(WebhookDelivery.tenant_id, WebhookDelivery.destination)
        .subquery()
    )
    same = and_(busy.c.tenant_id == due.c.tenant_id, busy.c.destination == due.c.destination)
    rows = session.execute(
        select(due.c.id, due.c.tenant_id)
        .outerjoin(busy, same)
        .where(due.c.place <= in_flight - func.coalesce(busy.c.leased, 0))
        # First the first delivery of every tenant, then the second of every tenant, so that no tenant's backlog delays
        # the others.
        .order_by(func.row_number().over(partition_by=due.c.tenant_id, order_by=[due.c.place, due.c.next_attempt_at]))
        .limit(limit)
    )
    return [(delivery_id, tenant_id) for delivery_id, tenant_id in rows]


def _is_due() -> ColumnElement[bool]:
    free = or_(WebhookDelivery.lease_until.is_(None), WebhookDelivery.lease_until <= func.now())
    return and_(_PENDING, WebhookDelivery.next_attempt_at <= func.now(), free)
