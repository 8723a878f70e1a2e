"""Notifies clients that wait for a query or watch it.

It needs none of a worker's resources, so the API can use it without loading models.
"""

import asyncio
import uuid
from collections.abc import Callable

from clients.notifications import Notifier, notifier
from config.settings import settings


def notify_end(query_id: uuid.UUID) -> None:
    process_notifier().notify_end(query_id)


def notify_watchers(query_id: uuid.UUID) -> None:
    process_notifier().notify_watchers(query_id)


def notify_beside(notify: Callable[[uuid.UUID], None], query_id: uuid.UUID) -> None:
    """Notify from a coroutine, without waiting for Redis: nothing depends on a notification."""
    asyncio.get_running_loop().run_in_executor(None, notify, query_id)


def process_notifier() -> Notifier:
    return notifier(settings().redis_url.get_secret_value())
