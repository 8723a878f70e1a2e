"""Webhooks for their owners: receivers registered and changed, their secrets, and their deliveries, listed with every
attempt, replayed, tested."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from clients.webhooks.addresses import check_url
from clients.webhooks.signing import new_secret, secret_key
from config.settings import WebhookSettings
from db.base import row_json
from db.models import DeliveryStatus, EndpointStatus, WebhookAttempt, WebhookDelivery, WebhookEndpoint, WebhookMessage
from db.queries.paging import Place
from db.queries.runs import queries
from db.queries.webhooks import endpoints, messages
from db.queries.webhooks.messages import Receiver
from db.session import current_tenant, reading, transaction
from domain.errors.state import DeliveryPending, WebhookDisabled
from domain.webhooks.delivery import TEST_EVENT, EventType, checked_filters, matches
from services.webhooks.outbox import address_policy, receiver_of, write_message

Json = dict[str, Any]

MAX_REPLAYED = 10_000
_QUERY_DELIVERIES = 1_000
_SECRETS_KEPT = 2
_BY_REQUEST = "It was disabled by request."


@dataclass(frozen=True, slots=True)
class NewEndpoint:
    """A receiver to register; if no secret is given, one is created."""

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
    """Change a receiver. Disabling it cancels its waiting deliveries; a new URL applies to them, too.

    Raises WebhookNotFound, and the errors of `register`.
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
    return row_json(endpoint, "id url events description status disabled_reason failing_since created_at")


def write_test(endpoint_id: uuid.UUID) -> Json:
    """Write a test message for a receiver, regardless of its filters; return the delivery.

    Raises WebhookNotFound, WebhookDisabled.
    """
    with transaction() as session:
        endpoint = _active(endpoints.get_endpoint(session, endpoint_id))
        data = {"webhook_id": str(endpoint.id), "message": "This is a test; nothing happened."}
        [delivery_id] = write_message(session, TEST_EVENT, data, [receiver_of(endpoint)])
        return _delivery_json(*messages.get_delivery(session, delivery_id), [])


def replay(delivery_id: uuid.UUID) -> Json:
    """Deliver an earlier message once more; return the new delivery.

    Raises DeliveryNotFound, DeliveryPending, WebhookDisabled.
    """
    with transaction() as session:
        old, message = messages.get_delivery(session, delivery_id)
        if old.status == DeliveryStatus.PENDING:
            raise DeliveryPending
        receiver = Receiver(old.url, old.destination)
        if old.endpoint_id is not None:
            receiver = receiver_of(_active(endpoints.get_endpoint(session, old.endpoint_id)))
        return _delivery_json(messages.add_delivery(session, message.id, receiver), message, [])


def replay_range(
    endpoint_id: uuid.UUID, since: datetime, until: datetime | None, statuses: Sequence[str]
) -> list[uuid.UUID]:
    """Deliver the messages of [since, until) once more, at most the MAX_REPLAYED oldest; return the new deliveries.

    A message counts by its newest delivery to this receiver; `missed` are messages that match its filters but were
    never addressed to it.
    Raises WebhookNotFound, WebhookDisabled.
    """
    with transaction() as session:
        endpoint = _active(endpoints.get_endpoint(session, endpoint_id))
        wanted = [known.value for known in EventType if any(matches(pattern, known) for pattern in endpoint.events)]
        return messages.replay_range(
            session,
            endpoint,
            since=since,
            until=until,
            statuses=[status for status in statuses if status != "missed"],
            missed_types=wanted if "missed" in statuses else [],
            limit=MAX_REPLAYED,
        )


def read_deliveries(endpoint_id: uuid.UUID, status: str | None, *, after: Place | None, limit: int) -> list[Json]:
    with reading() as session:
        endpoints.get_endpoint(session, endpoint_id)
        rows = messages.list_deliveries(session, endpoint_id=endpoint_id, status=status, after=after, limit=limit)
        attempts = messages.list_attempts(session, [delivery.id for delivery, _ in rows])
    return [_delivery_json(delivery, message, attempts[delivery.id]) for delivery, message in rows]


def read_query_deliveries(query_id: uuid.UUID) -> list[Json]:
    with reading() as session:
        queries.get_query(session, query_id)
        rows = messages.list_deliveries(session, query_id=query_id, limit=_QUERY_DELIVERIES)
        attempts = messages.list_attempts(session, [delivery.id for delivery, _ in rows])
    return [_delivery_json(delivery, message, attempts[delivery.id]) for delivery, message in rows]


def read_delivery(delivery_id: uuid.UUID) -> Json:
    with reading() as session:
        delivery, message = messages.get_delivery(session, delivery_id)
        attempts = messages.list_attempts(session, [delivery.id])[delivery.id]
        return {**_delivery_json(delivery, message, attempts), "payload": message.payload}


def attempt_json(attempt: WebhookAttempt) -> Json:
    said = row_json(attempt, "number status_code error duration_ms response_excerpt")
    return {**said, "time": attempt.created_at.isoformat()}


def _active(endpoint: WebhookEndpoint) -> WebhookEndpoint:
    if endpoint.status != EndpointStatus.ACTIVE:
        raise WebhookDisabled
    return endpoint


def _delivery_json(delivery: WebhookDelivery, message: WebhookMessage, attempts: Sequence[WebhookAttempt]) -> Json:
    next_at, is_pending = delivery.next_attempt_at, delivery.status == DeliveryStatus.PENDING
    return {
        **row_json(delivery, "id url status error created_at finished_at"),
        **row_json(message, "type query_id"),
        "message_id": message.id,
        "webhook_id": str(delivery.endpoint_id) if delivery.endpoint_id else None,
        "next_attempt_at": next_at.isoformat() if next_at and is_pending else None,
        "attempts": [attempt_json(attempt) for attempt in attempts],
    }
