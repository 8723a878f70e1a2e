"""A Celery message that asks for steps, as they see it."""

from datetime import datetime
from typing import Any, cast

import structlog
from celery import Signature, Task
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

log = structlog.get_logger()


class RetryLater(Exception):
    """The message must be delivered again, after `countdown_s` seconds or at `eta`; this is not a failure."""

    def __init__(self, reason: str, *, countdown_s: float | None = None, eta: datetime | None = None) -> None:
        super().__init__(reason)
        self.reason, self.countdown_s, self.eta = reason, countdown_s, eta


class Message:
    """A message for `task`; `context` is Celery's, with its chain (the next link is the last) and its chord."""

    def __init__(self, task: Task[Any, Any], context: Any) -> None:
        self.task, self.context = task, context

    @property
    def queue(self) -> str:
        info: Any = self.context.delivery_info or {}
        return str(info.get("routing_key", ""))

    @property
    def is_redelivered(self) -> bool:
        info: Any = self.context.delivery_info or {}
        return bool(info.get("redelivered"))

    @property
    def retries(self) -> int:
        return self.context.retries or 0

    def add_to_chord(self, *signatures: Signature[Any]) -> bool:
        """Add these to the header of the message's chord, and publish them, from any thread; False on failure.

        After a failure the chord's body may never run: the reconciler then restarts the query, which does the rest.
        """
        context, backend = self.context, cast("Any", self.task.backend)
        place: dict[str, Any] = {
            "group_id": context.group,
            "group_index": context.group_index,
            "chord": context.chord,
            "root_id": context.root_id,
        }
        try:
            for added in signatures:
                # Like Celery's Task.add_to_chord, which finds its message through the current thread.
                added.set(**place)
                backend.add_to_chord(context.group, added.freeze())
                added.apply_async()
        except (OperationalError, RedisError, OSError) as error:
            log.warning("not_added_to_chord", query_id=context.args[0], error=type(error).__name__)
            return False
        return True
