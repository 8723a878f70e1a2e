"""Registered webhook endpoints, and the tenant's secret for callbacks.

A transaction that changes an endpoint together with its deliveries locks the endpoint first. All code uses this order,
so there is no deadlock.
"""

import uuid
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import Update, func, select, update
from sqlalchemy.orm import Session

from db.models import DeliveryStatus, EndpointStatus, Tenant, WebhookDelivery, WebhookEndpoint
from domain.errors.missing import WebhookNotFound


def add_endpoint(
    session: Session, *, url: str, events: Sequence[str], description: str, secret: str
) -> WebhookEndpoint:
    endpoint = WebhookEndpoint(url=url, events=list(events), description=description, secrets=[secret])
    session.add(endpoint)
    session.flush()
    session.refresh(endpoint)
    return endpoint


def get_endpoint(session: Session, endpoint_id: uuid.UUID) -> WebhookEndpoint:
    return _existing(session.get(WebhookEndpoint, endpoint_id), endpoint_id)


def lock_endpoint(session: Session, endpoint_id: uuid.UUID) -> WebhookEndpoint:
    # This is the weaker lock: new deliveries, which refer to the endpoint, do not wait for it.
    endpoint = session.get(WebhookEndpoint, endpoint_id, with_for_update={"key_share": True}, populate_existing=True)
    return _existing(endpoint, endpoint_id)


def list_endpoints(session: Session) -> list[WebhookEndpoint]:
    return list(
        session.scalars(select(WebhookEndpoint).order_by(WebhookEndpoint.created_at.desc(), WebhookEndpoint.id))
    )


def move_endpoint(session: Session, endpoint: WebhookEndpoint, url: str) -> None:
    endpoint.url = url
    session.execute(_pending_of(endpoint.id).values(url=url))


def enable_endpoint(endpoint: WebhookEndpoint) -> None:
    endpoint.status, endpoint.disabled_reason, endpoint.failing_since = EndpointStatus.ACTIVE, None, None


def disable_endpoint(session: Session, endpoint: WebhookEndpoint, reason: str) -> None:
    endpoint.status, endpoint.disabled_reason = EndpointStatus.DISABLED, reason
    session.execute(
        _pending_of(endpoint.id).values(status=DeliveryStatus.CANCELLED, error=reason, finished_at=func.now())
    )


def record_failure(session: Session, endpoint: WebhookEndpoint, disable_after_s: float) -> bool:
    since = WebhookEndpoint.failing_since
    return bool(
        session.scalar(
            update(WebhookEndpoint)
            .where(WebhookEndpoint.id == endpoint.id)
            .values(failing_since=func.coalesce(since, func.now()))
            .returning(since < func.now() - timedelta(seconds=disable_after_s))
        )
    )


def callback_secret(session: Session, tenant_id: int) -> str:
    return session.get_one(Tenant, tenant_id).callback_secret


def replace_callback_secret(session: Session, tenant_id: int, secret: str) -> None:
    session.get_one(Tenant, tenant_id).callback_secret = secret


def _pending_of(endpoint_id: uuid.UUID) -> Update:
    return update(WebhookDelivery).where(
        WebhookDelivery.endpoint_id == endpoint_id, WebhookDelivery.status == DeliveryStatus.PENDING
    )


def _existing(endpoint: WebhookEndpoint | None, endpoint_id: uuid.UUID) -> WebhookEndpoint:
    if endpoint is None:
        raise WebhookNotFound(f"There is no webhook {endpoint_id}.")
    return endpoint
