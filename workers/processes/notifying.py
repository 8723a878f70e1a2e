"""Wakes up clients that wait for a query, or watch it. It needs none of a worker's resources, so that the API, which
only reports queries that it ended itself, loads no models for it."""

import uuid

from clients.notifications import Ringer, ringer
from config.settings import settings


def ring(query_id: uuid.UUID) -> None:
    """Wake up clients that wait for the query: it has ended."""
    process_ringer().ring(query_id)


def ring_watchers(query_id: uuid.UUID) -> None:
    """Wake up the query's watchers: something happened."""
    process_ringer().ring_watchers(query_id)


def process_ringer() -> Ringer:
    return ringer(settings().redis_url.get_secret_value())
