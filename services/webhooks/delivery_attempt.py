"""Attempts one delivery of one message: claims it, sends it outside any transaction, records the result.

A process that dies in between leaves a lease that expires; the message is then sent again under the same id, because it
may or may not have arrived.
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from secrets import SystemRandom

import structlog
from opentelemetry.trace import Span, SpanKind
from sqlalchemy.orm import Session

from clients.telemetry import meter, tracing
from clients.telemetry.meter import METER
from clients.webhooks.sending import Sent
from clients.webhooks.signing import signature_headers
from config.settings import WebhookSettings
from db.models import DeliveryStatus, EndpointStatus, WebhookDelivery, WebhookEndpoint
from db.queries.webhooks import deliveries as rows
from db.queries.webhooks import endpoints, messages
from db.queries.webhooks.deliveries import AttemptResult
from db.session import current_tenant, transaction
from domain.errors.missing import WebhookNotFound
from domain.webhooks.delivery import Outcome, next_delay_s, outcome

log = structlog.get_logger()

Send = Callable[[str, bytes, Mapping[str, str]], Sent]
"""A function that sends a body with headers to a URL, within the deadline of the settings."""

LEASE_MARGIN_S = 10.0
JITTER = 0.1
"""The largest random share by which a wait is longer."""
DISABLE_AFTER_S = 432_000.0
"""An endpoint is disabled after it has failed for this long without a success."""
IN_FLIGHT_OF_TENANT = 16
"""The most concurrent deliveries of one tenant, to all its receivers."""
_chance = SystemRandom()
_LOST = "The process that was sending ended before it noted what came of it; the message may have arrived."
_GONE = "The receiver answered 410 Gone."


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One claim of a delivery: attempt `number`, begun `at`."""

    delivery_id: uuid.UUID
    endpoint_id: uuid.UUID | None
    destination: str
    message_id: str
    url: str
    number: int
    at: datetime
    body: bytes
    secrets: tuple[str, ...]
    traceparent: str | None


def deliver(delivery_id: uuid.UUID, send: Send, limits: WebhookSettings) -> uuid.UUID | None:
    """Try once, if the delivery is due and its destination has room; return the next due delivery of that destination.

    Raises DatabaseUnavailable; the lease then expires, and the attempt is repeated.
    """
    with transaction() as session:
        attempt = _claim(session, delivery_id, limits)
    if attempt is None:
        return None
    attributes = {"citewell.delivery_id": str(delivery_id), "citewell.attempt": attempt.number}
    with (
        tracing.following(attempt.traceparent, delivery_id),
        tracing.span("webhook", attributes, SpanKind.CLIENT) as span,
    ):
        return _send(attempt, send, limits, span)


def _send(attempt: _Attempt, send: Send, limits: WebhookSettings, span: Span) -> uuid.UUID | None:
    delivery_id = attempt.delivery_id
    signed = signature_headers(attempt.message_id, int(attempt.at.timestamp()), attempt.body, attempt.secrets)
    sent = send(attempt.url, attempt.body, signed)
    with transaction() as session:
        result = _note(session, attempt, sent, limits)
        following = rows.find_next_due(session, attempt.destination)
    _record_result(span, sent, result)
    log.info(
        "webhook_attempt",
        delivery_id=str(delivery_id),
        number=attempt.number,
        status=sent.status,
        outcome=result,
        duration_ms=sent.duration_ms,
    )
    return following


def _record_result(span: Span, sent: Sent, result: Outcome | None) -> None:
    named = "deleted" if result is None else result.value
    METER.count(meter.WEBHOOK_ATTEMPTS, named)
    METER.observe(meter.WEBHOOK_SECONDS, sent.duration_ms / 1000)
    span.set_attribute("citewell.outcome", named)
    if sent.status is not None:
        span.set_attribute("http.response.status_code", sent.status)
    if result is not Outcome.DELIVERED:
        tracing.fail(span, named if sent.status is None else str(sent.status))


def _claim(session: Session, delivery_id: uuid.UUID, limits: WebhookSettings) -> _Attempt | None:
    delivery = rows.lock_due(session, delivery_id, limits.in_flight, IN_FLIGHT_OF_TENANT)
    if delivery is None or not _may_be_sent(session, delivery, limits):
        return None
    at = rows.begin_attempt(session, delivery, _lease(limits))
    message = messages.get_message(session, delivery.message_id)
    if delivery.endpoint_id is None:
        secrets = (endpoints.callback_secret(session, current_tenant()),)
    else:
        secrets = tuple(endpoints.get_endpoint(session, delivery.endpoint_id).secrets)
    return _Attempt(
        delivery_id=delivery.id,
        endpoint_id=delivery.endpoint_id,
        destination=delivery.destination,
        message_id=delivery.message_id,
        url=delivery.url,
        number=delivery.attempts,
        at=at,
        body=message.payload.encode(),
        secrets=secrets,
        traceparent=message.traceparent,
    )


def _may_be_sent(session: Session, delivery: WebhookDelivery, limits: WebhookSettings) -> bool:
    if delivery.lease_until is not None:
        began = delivery.lease_until - _lease(limits)
        rows.add_attempt(session, delivery.id, delivery.attempts, began, AttemptResult(None, _LOST, None, 0.0, None))
        # A delivery that crashes its process each time must end, too.
        if delivery.attempts >= len(limits.schedule_s):
            rows.finish_delivery(session, delivery, DeliveryStatus.FAILED, _LOST)
            return False
    endpoint = endpoints.get_endpoint(session, delivery.endpoint_id) if delivery.endpoint_id else None
    if endpoint is not None and endpoint.status != EndpointStatus.ACTIVE:
        # The endpoint was disabled while the delivery was written.
        rows.finish_delivery(session, delivery, DeliveryStatus.CANCELLED, endpoint.disabled_reason)
        return False
    return True


def _lease(limits: WebhookSettings) -> timedelta:
    return timedelta(seconds=limits.deadline_s + LEASE_MARGIN_S)


def _note(session: Session, attempt: _Attempt, sent: Sent, limits: WebhookSettings) -> Outcome | None:
    try:
        endpoint = endpoints.lock_endpoint(session, attempt.endpoint_id) if attempt.endpoint_id else None
    except WebhookNotFound:
        return None
    delivery = rows.lock_attempt(session, attempt.delivery_id)
    if delivery is None:
        return None
    result = AttemptResult(sent.status, sent.error, sent.address, float(sent.duration_ms), sent.response_excerpt)
    rows.add_attempt(session, delivery.id, attempt.number, attempt.at, result)
    attempted = outcome(sent.status, attempt.number, limits.schedule_s)
    # Otherwise the delivery was cancelled meanwhile, or its lease expired and another process is sending it.
    if delivery.status == DeliveryStatus.PENDING and delivery.attempts == attempt.number:
        _settle_delivery(session, delivery, attempted, sent, limits)
    if endpoint is not None and endpoint.status == EndpointStatus.ACTIVE:
        _settle_endpoint(session, endpoint, attempted)
    return attempted


def _settle_delivery(
    session: Session, delivery: WebhookDelivery, attempted: Outcome, sent: Sent, limits: WebhookSettings
) -> None:
    error, retry_after_s = sent.error or f"HTTP {sent.status}", sent.retry_after_s
    if attempted is Outcome.DELIVERED:
        rows.finish_delivery(session, delivery, DeliveryStatus.DELIVERED)
    elif attempted is Outcome.RETRY:
        chance = _chance.random()
        delay_s = next_delay_s(
            delivery.attempts, limits.schedule_s, jitter=JITTER, random01=chance, retry_after_s=retry_after_s
        )
        rows.postpone_delivery(session, delivery, delay_s or 0.0, error)
    else:
        rows.finish_delivery(session, delivery, DeliveryStatus.FAILED, error)


def _settle_endpoint(session: Session, endpoint: WebhookEndpoint, attempted: Outcome) -> None:
    if attempted is Outcome.DELIVERED:
        endpoint.failing_since = None
        return
    failing_long = endpoints.record_failure(session, endpoint, DISABLE_AFTER_S)
    if attempted is Outcome.GONE:
        reason = _GONE
    elif failing_long:
        reason = f"Every attempt failed for more than {DISABLE_AFTER_S / 3600:g} hours."
    else:
        return
    endpoints.disable_endpoint(session, endpoint, reason)
    log.warning("webhook_disabled", webhook_id=str(endpoint.id), reason=reason)
