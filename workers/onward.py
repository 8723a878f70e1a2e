"""What comes behind the work of a message: done in place where this process serves its queue, else launched.

Going on spares what a message costs: it is not published, fetched and acknowledged, and the claim is made in the
transaction that stores what was done before it.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, cast

import structlog
from celery import Signature, signature
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from services.step import StepContext
from workers import pipeline
from workers.celery_app import app
from workers.pipeline import Run
from workers.work import Part, Step, Work

log = structlog.get_logger()

_steps: dict[str, tuple[Step, ...]] = {}
_served: frozenset[str] = frozenset()


def register(task: str, steps: Sequence[Step]) -> None:
    """Make known which steps a task does."""
    _steps[task] = tuple(steps)


def work_of(task: str, run: Run, items: Sequence[str] = ("",)) -> Work:
    """What a message of a registered task asks for."""
    return Work(run, tuple(Part(step, tuple(items)) for step in _steps[task]))


def serve(queues: Iterable[str]) -> None:
    """From now on this process does in place what belongs to these queues; without it everything is launched."""
    global _served
    _served = frozenset(queues)


class Onward:
    """What follows the work of one message: the links of its own chain, or what its last step's `then` builds."""

    def __init__(self, chain: Sequence[Any] | None = None) -> None:
        """`chain` is what the message carries, in Celery's order: the next link is the last."""
        self._links: list[Signature[Any]] = [signature(link, app=app) for link in reversed(chain or ())]
        self._built: Signature[Any] | None = None
        self.untaken = list(chain or ())
        """What of the message's own chain was not done in place: Celery launches it."""

    def next(self, work: Work, context: StepContext) -> Work | None:
        """What is done in place behind `work`, whose outcomes are all in `context`, if anything."""
        if not self._links and work.then is not None:
            self._built = work.then(work.run, context)
            self._links = _links_of(self._built)
        if not self._links or self._links[0].options.get("queue") not in _served:
            return None
        link = self._links[0]
        return work_of(str(link.task), Run(*link.args[:4]), *link.args[4:]) if link.task in _steps else None

    def take(self) -> str:
        """Go on to what `next` returned; return the name of its task."""
        link = self._links.pop(0)
        if self._built is None:
            self.untaken.pop()
        else:
            self._built = pipeline.going_on(Run(*link.args[:4]), self._links)
        return str(link.task)

    async def launch(self) -> None:
        """Publish what is left and nobody else publishes."""
        if self._built is None or not self._links:
            return
        try:
            await asyncio.to_thread(self._built.apply_async)
        except (OperationalError, RedisError, OSError) as error:
            # No fault of the query: everything is stored, and the reconciler starts it again from here.
            log.warning("following_not_published", task=str(self._links[0].task), error=type(error).__name__)


def _links_of(canvas: Signature[Any] | None) -> list[Signature[Any]]:
    if canvas is None:
        return []
    if canvas.subtask_type != "chain":
        return [canvas]
    # A chain may be a link of another one.
    return [link for part in cast("Any", canvas).tasks for link in _links_of(part)]
