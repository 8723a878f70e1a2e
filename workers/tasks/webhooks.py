"""The pool `webhooks`: all work that waits for servers of other people."""

import uuid
from collections.abc import Mapping

import structlog

from clients.webhooks.mail import send_mail
from clients.webhooks.sending import Sent, score_request
from config.settings import settings
from db.session import acting_for
from domain.errors.service import DatabaseUnavailable
from domain.webhooks.delivery import LANGFUSE, MAILTO
from services.sources.running import run_source
from services.webhooks.delivery_attempt import deliver
from workers.celery_app import app
from workers.processes.runtime import langfuse_sender, leases, run, webhook_sender
from workers.starting.launch import launch_delivery, launcher

log = structlog.get_logger()


@app.task(name="webhook.deliver")
def deliver_webhook(delivery_id: str, tenant: int) -> None:
    """Attempt a delivery once, and start the next delivery that waited for it."""
    with acting_for(tenant), structlog.contextvars.bound_contextvars(delivery_id=delivery_id):
        try:
            following = deliver(uuid.UUID(delivery_id), _send, settings().webhooks)
        except DatabaseUnavailable:
            # The dispatcher finds the delivery again: at once if nothing was claimed, else when the lease has expired.
            log.warning("webhook_not_noted", delivery_id=delivery_id)
            return
        if following is not None:
            launch_delivery(following)


@app.task(name="source.run")
def look_at_source(source_id: str, tenant: int) -> None:
    """List and fetch the items of a source for a limited time; the source is due again when there is more to do."""
    with acting_for(tenant), structlog.contextvars.bound_contextvars(source_id=source_id):
        try:
            run_source(uuid.UUID(source_id), settings(), leases().hold, launcher().documents)
        except DatabaseUnavailable:
            # The source is due again after the time of a lease.
            log.warning("source_not_noted", source_id=source_id)


def _send(url: str, body: bytes, headers: Mapping[str, str]) -> Sent:
    current = settings()
    if url.startswith(MAILTO):
        address, home = url.removeprefix(MAILTO), current.public_url or f"http://{current.api_host}:{current.api_port}"
        return send_mail(address, body, home.rstrip("/"), current.mail, current.webhooks.deadline_s)
    if url == LANGFUSE:
        address, own = score_request(current.langfuse)
        return run(langfuse_sender().send(address, body, own))
    return run(webhook_sender().send(url, body, headers))
