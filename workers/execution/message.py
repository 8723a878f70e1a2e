"""A Celery message that asks for steps: its delivery state, and how to republish, continue or extend it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

import structlog
from celery import Signature, Task, signature
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

log = structlog.get_logger()


class RetryLater(Exception):
    """The message must be delivered again, after `countdown_s` seconds or at `eta`; this is not a failure."""

    def __init__(self, reason: str, *, countdown_s: float | None = None, eta: datetime | None = None) -> None:
        super().__init__(reason)
        self.reason, self.countdown_s, self.eta = reason, countdown_s, eta


class Message:
    """A message for `task`; `context` is Celery's, with its chain and its chord. Usable from any thread."""

    def __init__(self, task: Task[Any, Any], context: Any) -> None:
        self.task, self.context = task, context

    @property
    def is_redelivered(self) -> bool:
        info: Any = self.context.delivery_info or {}
        return bool(info.get("redelivered"))

    @property
    def retries(self) -> int:
        return self.context.retries or 0

    @property
    def chain(self) -> list[Any]:
        """The remaining links, in Celery's order: the next one is the last."""
        return self.context.chain or []

    @chain.setter
    def chain(self, links: Sequence[Any]) -> None:
        self.context.chain = list(links)

    def publish_next(self) -> None:
        """Publish the next link of the chain, and count this part of the chord. Raises the broker's errors."""
        task, context, links = self.task, self.context, self.chain
        if links:
            following = signature(links[-1], app=task.app)
            following.apply_async((None,), chain=links[:-1], parent_id=context.id, root_id=context.root_id)
        task.backend.mark_as_done(context.id, None, context, store_result=False)

    def republish(self, retry: RetryLater) -> None:
        """Publish the message again, with its chain, chord and errbacks. Raises the broker's errors."""
        sent: Any = cast("Any", self.task).signature_from_request(
            self.context, countdown=retry.countdown_s, eta=retry.eta, retries=self.retries + 1
        )
        sent.apply_async()

    def add_to_chord(self, *signatures: Signature[Any]) -> bool:
        """Add these to the header of the message's chord, and publish them; False without a chord, or on failure.

        After a failure the chord's body may never run: the reconciler then restarts the query, which does the rest.
        """
        context, backend = self.context, cast("Any", self.task.backend)
        if not context.chord:
            return False
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
