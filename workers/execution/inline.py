"""What follows a message's work: done in this process if it serves the queue, otherwise dispatched as messages.

Continuing in place saves the cost of a message: publishing, fetching, acknowledging, and a separate transaction for
the next claim, which is made as the previous results are stored. The header of a chord that is not too wide becomes a
single work, claimed and stored together; the body follows when all of it is done.

A process without free model calls has a way out where live processes that serve only some of its queues help with a
queue: it dispatches headers whose items, or what they spread, belong there, and puts such messages back once.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

import structlog
from celery import Signature, signature
from celery.exceptions import Reject
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from clients.llm.gateway import ModelGateway
from services.core.context import StepContext
from workers.canvas import in_order
from workers.celery_app import app
from workers.execution.work import Message, Part, Step, Work
from workers.pipeline import Run
from workers.processes.runtime import is_crowded, is_helped

log = structlog.get_logger()

_MAX_PARALLEL_ITEMS = 32
"""The most items processed side by side in one work; a wider chord is spread over messages and processes."""

_steps: dict[str, tuple[Step, ...]] = {}
_served: frozenset[str] = frozenset()


def register(task: str, steps: Sequence[Step]) -> None:
    _steps[task] = tuple(steps)


def serve(queues: Iterable[str]) -> None:
    """Run the steps of these queues in place from now on; before this call everything is dispatched."""
    global _served
    _served = frozenset(queues)


def work_for(task: str, run: Run, items: Sequence[str] = ("",)) -> Work:
    return Work(run, tuple(Part(step, tuple(items)) for step in _steps[task]))


def in_place(links: Sequence[Signature[Any]]) -> Work | None:
    """The links, which run side by side, as one work; None if they are too many, or served elsewhere."""
    items: dict[str, list[str]] = {}
    for link in links:
        if link.options.get("queue") not in _served or link.task not in _steps:
            return None
        items.setdefault(str(link.task), []).extend(link.args[4] if link.args[4:] else ("",))
    if len(links) > 1 and sum(map(len, items.values())) > _MAX_PARALLEL_ITEMS:
        return None
    run = Run(*links[0].args[:4])
    return Work(run, tuple(part for task, asked in items.items() for part in work_for(task, run, asked).parts))


def _should_run_here(links: Sequence[Signature[Any]], models: ModelGateway) -> bool:
    """Whether these can run in place, and no other process would begin them sooner; this changes with the load."""
    work = in_place(links)
    if work is None:
        return False
    # What one of them spreads while it runs can be done elsewhere, too, if it goes on as a message.
    spread = [part.step.spreads(work.run, "") for part in work.parts if part.step.spreads]
    is_helped_with = all(map(_has_helpers, links)) or any(map(_has_helpers, spread))
    return models.has_room(len(work.keys)) or not is_helped_with


def _has_helpers(link: Signature[Any]) -> bool:
    return is_helped(str(link.options.get("queue")))


async def put_back_if_helped(message: Message) -> None:
    """Raise Reject, which puts the message back, if this process has no free model calls and others help with its
    queue. It does so once: what comes again is done here."""
    may_leave = message.queue in _served and is_helped(message.queue) and not message.is_redelivered
    if may_leave and await asyncio.to_thread(is_crowded):
        raise Reject(requeue=True)


class Continuation:
    """The links after a message's work: those of its chain, then those of the canvas that the last step's
    `follows` builds. Links side by side are the header of a chord; any other waits for all before it (`is_fan_in`)."""

    def __init__(self, chain: Sequence[Any] = ()) -> None:
        """`chain`: as the message carries it, the next link last."""
        self._links: list[Sequence[Signature[Any]]] = [(signature(link, app=app),) for link in reversed(chain)]
        self._canvas: Signature[Any] | None = None
        """What all links are from, if none has been taken."""
        self.is_fan_in = True

    def must_build(self, work: Work) -> bool:
        return not self._links and work.follows is not None

    def build(self, work: Work, context: StepContext) -> None:
        """Build what follows `work`. It may read the whole answer, so never on the loop."""
        self._canvas = work.follows and work.follows(work.run, context)
        self._links = [(link,) for link in _chained(self._canvas)]
        first: Any = self._links[0][0] if self._links else None
        if first is not None and first.subtask_type == "chord" and _should_run_here(first.tasks, context.tools.models):
            self._links[:1] = [(link,) for link in _chained(first.body)]
            self._put_first(first.tasks)

    def insert(self, links: Sequence[Signature[Any]], context: StepContext) -> None:
        """Run these side by side before the next link, if they can run in place."""
        if links and self._links and _should_run_here(links, context.tools.models):
            self._put_first(links)

    def _put_first(self, links: Sequence[Signature[Any]]) -> None:
        self._links.insert(0, links)
        self.is_fan_in = False

    def next(self) -> Work | None:
        """The work to run in place; None to dispatch the rest."""
        return in_place(self._links[0]) if self._links else None

    def advance(self) -> str:
        """Take the next link, to run it in place; return its task."""
        self._canvas, self.is_fan_in = None, True
        return str(self._links.pop(0)[0].task)

    async def dispatch(self) -> None:
        """Publish the links that are left."""
        if not self._links:
            return
        left = [link for links in self._links for link in links]
        canvas = self._canvas
        if canvas is None:
            canvas = in_order(left)
        try:
            await asyncio.to_thread(canvas.apply_async)
        except (OperationalError, RedisError, OSError) as error:
            # Everything is stored, so the query does not fail: the reconciler restarts it from here.
            log.warning("following_not_published", task=str(canvas), error=type(error).__name__)


def _chained(canvas: Any) -> list[Signature[Any]]:
    if canvas is None:
        return []
    if canvas.subtask_type != "chain":
        return [canvas]
    # A chain may be a link of another one.
    return [link for part in canvas.tasks for link in _chained(part)]
