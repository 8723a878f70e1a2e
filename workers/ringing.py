"""Telling those who wait for a query, or watch it, that something happened. Needs nothing of what a worker holds, so
that the API, which only tells of what it ended itself, loads no models for it."""

import uuid

from clients.bell import Ringer, ringer
from config.settings import settings


def ring(query_id: uuid.UUID) -> None:
    """Tell those who wait for the query that it has ended."""
    process_ringer().ring(query_id)


def ring_watchers(query_id: uuid.UUID) -> None:
    """Tell those who watch the query that something happened."""
    process_ringer().ring_watchers(query_id)


def process_ringer() -> Ringer:
    """That of this process."""
    return ringer(settings().redis_url.get_secret_value())
