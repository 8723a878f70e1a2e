"""Deliveries as the owners of webhooks see them: listed with every attempt, replayed, tested."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from db.models import DeliveryStatus, EndpointStatus, WebhookAttempt, WebhookDelivery, WebhookEndpoint, WebhookMessage
from db.queries.paging import Place
from db.queries.runs import queries
from db.queries.webhooks import endpoints, messages
from db.queries.webhooks.messages import Receiver
from db.session import reading, transaction
from domain.errors.state import DeliveryPending, WebhookDisabled
from domain.webhooks.delivery import TEST_EVENT, EventType, matches
from services.webhooks.outbox import receiver_of, write_message

Json = dict[str, Any]

MAX_REPLAYED = 10_000
_QUERY_DELIVERIES = 1_000


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
    return {
        "number": attempt.number,
        "time": _time(attempt.created_at),
        "status_code": attempt.status_code,
        "error": attempt.error,
        "duration_ms": attempt.duration_ms,
        "response_excerpt": attempt.response_excerpt,
    }


def _active(endpoint: WebhookEndpoint) -> WebhookEndpoint:
    if endpoint.status != EndpointStatus.ACTIVE:
        raise WebhookDisabled
    return endpoint


def _delivery_json(delivery: WebhookDelivery, message: WebhookMessage, attempts: Sequence[WebhookAttempt]) -> Json:
    return {
        "id": str(delivery.id),
        "message_id": message.id,
        "type": message.type,
        "webhook_id": _text(delivery.endpoint_id),
        "query_id": _text(message.query_id),
        "url": delivery.url,
        "status": delivery.status,
        "error": delivery.error,
        "next_attempt_at": _time(delivery.next_attempt_at) if delivery.status == DeliveryStatus.PENDING else None,
        "created_at": _time(delivery.created_at),
        "finished_at": _time(delivery.finished_at),
        "attempts": [attempt_json(attempt) for attempt in attempts],
    }


def _time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def _text(row_id: uuid.UUID | None) -> str | None:
    return str(row_id) if row_id else None
