"""Webhook endpoints as their owners see them: registration, changes, secrets."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from clients.webhooks.addresses import check_url
from clients.webhooks.signing import new_secret, secret_key
from config.settings import WebhookSettings
from db.models import EndpointStatus, WebhookEndpoint
from db.queries.webhooks import endpoints
from db.session import current_tenant, reading, transaction
from domain.webhooks.delivery import checked_filters
from services.webhooks.outbox import address_policy

Json = dict[str, Any]

_SECRETS_KEPT = 2
_BY_REQUEST = "It was disabled by request."


@dataclass(frozen=True, slots=True)
class NewEndpoint:
    """A receiver to register; without a secret it gets one."""

    url: str
    events: Sequence[str]
    description: str = ""
    secret: str | None = None


@dataclass(frozen=True, slots=True)
class EndpointChange:
    """The fields to change; None leaves a field as it is."""

    url: str | None = None
    events: Sequence[str] | None = None
    description: str | None = None
    status: Literal["active", "disabled"] | None = None


def register(new: NewEndpoint, limits: WebhookSettings) -> Json:
    """Register a receiver; only this result contains its secret.

    Raises WebhookUrlInvalid, AddressForbidden, EventTypeUnknown, WebhookSecretInvalid.
    """
    check_url(new.url, address_policy(limits))
    events, secret = checked_filters(new.events), _checked(new.secret)
    with transaction() as session:
        endpoint = endpoints.add_endpoint(
            session, url=new.url, events=events, description=new.description, secret=secret
        )
        return {**_endpoint_json(endpoint), "secret": secret}


def read_endpoints() -> list[Json]:
    with reading() as session:
        return [_endpoint_json(endpoint) for endpoint in endpoints.list_endpoints(session)]


def read_endpoint(endpoint_id: uuid.UUID) -> Json:
    with reading() as session:
        return _endpoint_json(endpoints.get_endpoint(session, endpoint_id))


def change(endpoint_id: uuid.UUID, to: EndpointChange, limits: WebhookSettings) -> Json:
    """Change a receiver. Disabling it cancels its waiting deliveries; a new URL applies to them too.

    Raises WebhookNotFound, and what `register` raises.
    """
    if to.url is not None:
        check_url(to.url, address_policy(limits))
    events = None if to.events is None else checked_filters(to.events)
    with transaction() as session:
        endpoint = endpoints.lock_endpoint(session, endpoint_id)
        if events is not None:
            endpoint.events = list(events)
        if to.description is not None:
            endpoint.description = to.description
        if to.url is not None:
            endpoints.move_endpoint(session, endpoint, to.url)
        if to.status is not None and to.status != endpoint.status:
            if to.status == EndpointStatus.ACTIVE:
                endpoints.enable_endpoint(endpoint)
            else:
                endpoints.disable_endpoint(session, endpoint, _BY_REQUEST)
        return _endpoint_json(endpoint)


def remove(endpoint_id: uuid.UUID) -> None:
    with transaction() as session:
        session.delete(endpoints.lock_endpoint(session, endpoint_id))


def rotate_secret(endpoint_id: uuid.UUID, secret: str | None = None) -> Json:
    secret = _checked(secret)
    with transaction() as session:
        endpoint = endpoints.lock_endpoint(session, endpoint_id)
        endpoint.secrets = [secret, *endpoint.secrets][:_SECRETS_KEPT]
        return {**_endpoint_json(endpoint), "secret": secret}


def read_callback_secret() -> str:
    with reading() as session:
        return endpoints.callback_secret(session, current_tenant())


def rotate_callback_secret() -> str:
    secret = new_secret()
    with transaction() as session:
        endpoints.replace_callback_secret(session, current_tenant(), secret)
    return secret


def _checked(secret: str | None) -> str:
    if secret is None:
        return new_secret()
    secret_key(secret)
    return secret


def _endpoint_json(endpoint: WebhookEndpoint) -> Json:
    return {
        "id": str(endpoint.id),
        "url": endpoint.url,
        "events": endpoint.events,
        "description": endpoint.description,
        "status": endpoint.status,
        "disabled_reason": endpoint.disabled_reason,
        "failing_since": _time(endpoint.failing_since),
        "created_at": _time(endpoint.created_at),
    }


def _time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
