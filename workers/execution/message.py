"""A message of Celery's that asks for steps: what a task is told of it, and what it may do with it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

import structlog
from celery import Signature, Task, signature
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

log = structlog.get_logger()


class ComeAgain(Exception):
    """The message has to be delivered again, after `countdown_s` seconds or at `eta`; it counts as no failure."""

    def __init__(self, reason: str, *, countdown_s: float | None = None, eta: datetime | None = None) -> None:
        super().__init__(reason)
        self.reason, self.countdown_s, self.eta = reason, countdown_s, eta


class Message:
    """What `task` executes; `context` is Celery's own, with its chain and its chord. It may be used in any thread."""

    def __init__(self, task: Task[Any, Any], context: Any) -> None:
        self.task, self.context = task, context

    @property
    def is_redelivered(self) -> bool:
        """Whether a worker had it before."""
        told: Any = self.context.delivery_info or {}
        return bool(told.get("redelivered"))

    @property
    def retries(self) -> int:
        """How often it came again so far."""
        return self.context.retries or 0

    @property
    def chain(self) -> list[Any]:
        """The links that follow, in Celery's order: the next one is the last."""
        return self.context.chain or []

    @chain.setter
    def chain(self, links: Sequence[Any]) -> None:
        self.context.chain = list(links)

    def launch_what_follows(self) -> None:
        """Publish the next link of the chain, and count this part of the chord. Raises what the broker raises."""
        task, context, links = self.task, self.context, self.chain
        if links:
            following = signature(links[-1], app=task.app)
            following.apply_async((None,), chain=links[:-1], parent_id=context.id, root_id=context.root_id)
        task.backend.mark_as_done(context.id, None, context, store_result=False)

    def send_again(self, again: ComeAgain) -> None:
        """Publish it again, with its chain, its chord and its errbacks. Raises what the broker raises."""
        sent: Any = cast("Any", self.task).signature_from_request(
            self.context, countdown=again.countdown_s, eta=again.eta, retries=self.retries + 1
        )
        sent.apply_async()

    def add_to_chord(self, *signatures: Signature[Any]) -> bool:
        """Have the body of its chord wait for these, too, and publish them; False when that failed, or it has no chord.

        After a failure the body may never run: the reconciler starts the query again, and what is missing is done then.
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
                # As Celery's Task.add_to_chord, which finds the message by its thread.
                added.set(**place)
                backend.add_to_chord(context.group, added.freeze())
                added.apply_async()
        except (OperationalError, RedisError, OSError) as error:
            log.warning("not_added_to_chord", query_id=context.args[0], error=type(error).__name__)
            return False
        return True
