"""Pool `webhooks`."""

import uuid
from collections.abc import Mapping

import structlog

from clients.webhooks.sending import Sent
from config.settings import settings
from db.session import acting_for
from domain.errors import DatabaseUnavailable
from services.webhooks.delivery_attempt import deliver
from workers.celery_app import app
from workers.processes.runtime import run, webhook_sender
from workers.starting.launch import launch_delivery

log = structlog.get_logger()


@app.task(name="webhook.deliver")
def deliver_webhook(delivery_id: str, tenant: int) -> None:
    """Attempt a delivery once, and start the next one that waited for it."""
    with acting_for(tenant), structlog.contextvars.bound_contextvars(delivery_id=delivery_id):
        try:
            following = deliver(uuid.UUID(delivery_id), _send, settings().webhooks)
        except DatabaseUnavailable:
            # The dispatcher finds it again: at once if nothing was claimed, else when the lease has expired.
            log.warning("webhook_not_noted", delivery_id=delivery_id)
            return
        if following is not None:
            launch_delivery(following)


def _send(url: str, body: bytes, headers: Mapping[str, str]) -> Sent:
    return run(webhook_sender().send(url, body, headers))
