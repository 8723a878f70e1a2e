"""A Celery message for steps; its work: items, and how each step runs; and the work that follows it, done in this
process if it serves the queue, otherwise dispatched as messages.

Continuing in place saves the cost of a message: publishing, fetching, acknowledging, and a separate transaction for the
next claim, which is made as the previous results are stored. The header of a chord that is not too wide becomes a
single work, claimed and stored together; the body follows when all of it is done.

A process without free model calls gets relief where live processes that serve only some of its queues help with a
queue: it dispatches headers whose items, or the items that they spread, belong there, and puts such messages back once.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, cast

import structlog
from celery import Signature, Task, chain, signature
from celery.exceptions import Reject
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from clients.llm.gateway import ModelGateway
from db.queries.runs.steps import Key
from domain.query.budget import NO_CALL
from services.core.context import StepContext, StepResult
from workers.celery_app import app
from workers.pipeline import Run
from workers.processes.runtime import is_crowded, is_helped

log = structlog.get_logger()


Body = Callable[[StepContext], StepResult | Coroutine[Any, Any, StepResult]]
Next = Callable[[Run, StepContext], Signature[Any] | None]
_MAX_PARALLEL_ITEMS = 32
"""The most items processed side by side in one work; a wider chord is spread over messages and processes."""
_served: frozenset[str] = frozenset()


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
        """Add these signatures to the header of the message's chord, and publish them, from any thread; False on
        failure.

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
                # This resembles Celery's Task.add_to_chord, which finds its message through the current thread.
                added.set(**place)
                backend.add_to_chord(context.group, added.freeze())
                added.apply_async()
        except (OperationalError, RedisError, OSError) as error:
            log.warning("not_added_to_chord", query_id=context.args[0], error=type(error).__name__)
            return False
        return True


@dataclass(frozen=True, slots=True)
class Step:
    """The way in which a step runs. Its row in `workers.pipeline.STAGES` has `shown`, `follows`, `adds`, `spreads`.

    - `failed`: the outcome of an item whose body raised, or that was skipped because the query's time or money was used
      up to the share `until`; without it the error ends the query.
    - `needed`: the query fails without it, so it waits for models that fail for as long as the deadline permits; any
      other waits for `models.outage_s` at most.
    - `ends`: its outcome ends the query.
    - `computes`: its body, a function of `services`, may compute for long over the whole answer and its sources, and
      runs in a child process if these are long (workers.execution.step_run). It stores no events before it ends.
    - `fresh`: it reloads its passages, to notice deletions; other steps share those that are already loaded.
    - `reads`: the passages that it starts with, loaded with its claim.
    - `derived`: it follows from earlier outcomes alone, so it needs no claim; its outcome is stored together with them.
    """

    name: str
    shown: str | None
    body: Body
    failed: Mapping[str, Any] | None = None
    follows: Next | None = None
    adds: Callable[[Run, StepContext], Sequence[Signature[Any]]] | None = None
    spreads: Callable[[Run, str], Signature[Any]] | None = None
    needed: bool = False
    ends: bool = False
    until: float = NO_CALL
    computes: bool = False
    fresh: bool = False
    reads: Callable[[StepContext], Sequence[int]] | None = None
    derived: bool = False


class Part(NamedTuple):
    """Items of one step."""

    step: Step
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """Parts of one stage that run side by side. Only a single part can end its canvas."""

    run: Run
    parts: tuple[Part, ...]

    @classmethod
    def single(cls, step: Step, run: Run, items: Sequence[str] = ("",)) -> "Work":
        return cls(run, (Part(step, tuple(items)),))

    @property
    def name(self) -> str:
        return ", ".join(part.step.name for part in self.parts)

    @property
    def shown(self) -> str | None:
        return self.parts[0].step.shown

    @property
    def follows(self) -> Next | None:
        return self.parts[-1].step.follows

    @property
    def is_derived(self) -> bool:
        return all(part.step.derived for part in self.parts)

    @property
    def keys(self) -> list[Key]:
        return [(part.step.name, item) for part in self.parts for item in part.items]


_steps: dict[str, tuple[Step, ...]] = {}


def register(task: str, steps: Sequence[Step]) -> None:
    _steps[task] = tuple(steps)


def serve(queues: Iterable[str]) -> None:
    """Run the steps of these queues in place from now on; before this call everything is dispatched."""
    global _served
    _served = frozenset(queues)


def work_for(task: str, run: Run, items: Sequence[str] = ("",)) -> Work:
    return Work(run, tuple(Part(step, tuple(items)) for step in _steps[task]))


def in_place(links: Sequence[Signature[Any]]) -> Work | None:
    """Return the links, which run side by side, as one work; None if they are too many, or served elsewhere."""
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
    """Return whether these can run in place, and no other process would begin them sooner; this changes with the
    load."""
    work = in_place(links)
    if work is None:
        return False
    # A step that is sent as a message may spread its parts over other processes.
    spread = [part.step.spreads(work.run, "") for part in work.parts if part.step.spreads]
    is_helped_with = all(map(_has_helpers, links)) or any(map(_has_helpers, spread))
    return models.has_room(len(work.keys)) or not is_helped_with


def _has_helpers(link: Signature[Any]) -> bool:
    return is_helped(str(link.options.get("queue")))


async def put_back_if_helped(message: Message) -> None:
    """Raise Reject, which puts the message back, if this process has no free model calls and others help with its
    queue. A message is put back once; when it comes again, it is done here."""
    may_leave = message.queue in _served and is_helped(message.queue) and not message.is_redelivered
    if may_leave and await asyncio.to_thread(is_crowded):
        raise Reject(requeue=True)


class Continuation:
    """The links after a message's work: those of its chain, then those of the canvas that the last step's
    `follows` builds. Links side by side are the header of a chord; any other waits for all before it (`is_fan_in`)."""

    def __init__(self, chain: Sequence[Any] = ()) -> None:
        """`chain` is the chain in the form that the message carries, the next link last."""
        self._links: list[Sequence[Signature[Any]]] = [(signature(link, app=app),) for link in reversed(chain)]
        self._canvas: Signature[Any] | None = None
        """What all links are from, if none has been taken."""
        self.is_fan_in = True

    def must_build(self, work: Work) -> bool:
        return not self._links and work.follows is not None

    def build(self, work: Work, context: StepContext) -> None:
        """Build the work that follows `work`. It may read the whole answer, so never on the loop."""
        self._canvas = work.follows and work.follows(work.run, context)
        self._links = [(link,) for link in _chained(self._canvas)]
        first: Any = self._links[0][0] if self._links else None
        if first is not None and first.subtask_type == "chord" and _should_run_here(first.tasks, context.tools.models):
            self._links[:1] = [(link,) for link in _chained(first.body)]
            self._put_first(first.tasks)

    def insert(self, links: Sequence[Signature[Any]], context: StepContext) -> None:
        """Run these links side by side before the next link, if they can run in place."""
        if links and self._links and _should_run_here(links, context.tools.models):
            self._put_first(links)

    def _put_first(self, links: Sequence[Signature[Any]]) -> None:
        self._links.insert(0, links)
        self.is_fan_in = False

    def next(self) -> Work | None:
        """Return the work to run in place; None to dispatch the rest."""
        return in_place(self._links[0]) if self._links else None

    def advance(self) -> str:
        """Take the next link, to run it in place; return its task."""
        self._canvas, self.is_fan_in = None, True
        return str(self._links.pop(0)[0].task)

    async def dispatch(self) -> None:
        """Publish the remaining links."""
        if not self._links:
            return
        left = [link for links in self._links for link in links]
        canvas = self._canvas
        if canvas is None:
            canvas = chain(*left)
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
