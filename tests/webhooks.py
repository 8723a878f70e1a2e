"""Receivers, deliveries and control of time for the tests of webhooks."""

import ssl
import uuid
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from sqlalchemy import select, text
from standardwebhooks import Webhook

from clients.webhooks.sending import Sent, WebhookSender
from config.settings import WebhookSettings
from db.models import QueryStatus, Tenant, WebhookDelivery
from db.queries.webhooks import deliveries as rows
from db.queries.webhooks.messages import list_attempts
from db.session import acting_for, reading, system_transaction, transaction
from services.finishing.completion import finish
from services.webhooks import endpoints
from services.webhooks.delivery_attempt import deliver
from services.webhooks.endpoints import NewEndpoint, attempt_json
from services.webhooks.outbox import address_policy
from tests.factories import make_query
from tests.simulators.sink import Received
from workers.processes.runtime import run

LIMITS = WebhookSettings(allowed_networks=("127.0.0.0/8",), deadline_s=60)

Json = dict[str, Any]

_CONTEXT = ssl.create_default_context()  # once for all: reading the certificates of the system takes its time


def sending(limits: WebhookSettings, url: str, body: bytes, headers: Mapping[str, str]) -> Sent:
    sender = WebhookSender(address_policy(limits), limits.deadline_s, ssl_context=_CONTEXT)
    return run(sender.send(url, body, headers))


def register(url: str, *events: str, limits: WebhookSettings = LIMITS, **over: Any) -> tuple[uuid.UUID, str]:
    """Register an endpoint; return its id and its secret."""
    told = endpoints.register(NewEndpoint(url, events or ("*",), **over), limits)
    return uuid.UUID(told["id"]), told["secret"]


def end_query(status: QueryStatus = QueryStatus.SUCCEEDED, **over: Any) -> uuid.UUID:
    """A query that has just ended, with all consequences."""
    error = {"code": "gave_up", "message": "It stopped."} if status is QueryStatus.FAILED else None
    with transaction() as session:
        query_id = make_query(session, **over).id
        assert finish(session, query_id, status, error=error)
    return query_id


def all_deliveries() -> list[WebhookDelivery]:
    """The tenant's deliveries, oldest first."""
    with reading() as session:
        statement = select(WebhookDelivery).order_by(WebhookDelivery.created_at, WebhookDelivery.id)
        return list(session.scalars(statement))


def the_delivery() -> WebhookDelivery:
    [delivery] = all_deliveries()
    return delivery


def attempts_of(delivery_id: uuid.UUID) -> list[Json]:
    """The attempts as the API shows them."""
    with reading() as session:
        found = list_attempts(session, [delivery_id])[delivery_id]
        return [attempt_json(attempt) for attempt in found]


def work(limits: WebhookSettings = LIMITS) -> int:
    """Try everything that is due, repeatedly until nothing is; return the number of attempts."""

    def send(url: str, body: bytes, headers: Mapping[str, str]) -> Sent:
        nonlocal made
        made += 1
        return sending(limits, url, body, headers)

    made = 0
    while due := _due(limits):
        for delivery_id, tenant in due:
            with acting_for(tenant):
                deliver(delivery_id, send, limits)
    return made


def _due(limits: WebhookSettings) -> list[tuple[uuid.UUID, int]]:
    with system_transaction() as session:
        return rows.list_due(session, limits.in_flight)


def later(**passed: float) -> None:
    """Let time pass, by moving everything stored into the past."""
    columns = {
        "webhook_deliveries": ("next_attempt_at", "lease_until", "created_at", "finished_at"),
        "webhook_endpoints": ("failing_since", "created_at"),
        "webhook_messages": ("created_at",),
    }
    with system_transaction() as session:
        for table, names in columns.items():
            moved = ", ".join(f"{name} = {name} - :passed" for name in names)
            session.execute(text(f"UPDATE {table} SET {moved}"), {"passed": timedelta(**passed)})


def verified(secret: str, received: Received) -> Json:
    """The received message, if the independent library accepts its signature."""
    return Webhook(secret).verify(received.body, dict(received.headers))


@contextmanager
def as_other_tenant() -> Generator[int]:
    """Act for another tenant."""
    with system_transaction() as session:
        other = Tenant(name="other", callback_secret="whsec_" + "B" * 43 + "=")
        session.add(other)
        session.flush()
        tenant_id = other.id
    with acting_for(tenant_id):
        yield tenant_id
