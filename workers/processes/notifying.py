"""Wakes up clients that wait for a query, or watch it. It needs none of a worker's resources, so that the API, which
only reports queries that it ended itself, loads no models for it."""

import uuid

from clients.notifications import Notifier, notifier
from config.settings import settings


def ring(query_id: uuid.UUID) -> None:
    """Wake up clients that wait for the query: it has ended."""
    process_notifier().notify_end(query_id)


def ring_watchers(query_id: uuid.UUID) -> None:
    """Wake up the query's watchers: something happened."""
    process_notifier().notify_watchers(query_id)


def process_notifier() -> Notifier:
    return notifier(settings().redis_url.get_secret_value())
