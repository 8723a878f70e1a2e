"""Runs the steps that follow in this process if it serves their queue; otherwise dispatches them as messages.

Continuing in place saves the cost of a message: publishing, fetching, acknowledging, and a separate transaction for
the next claim, which is made as the previous results are stored. The header of a chord that is not too wide becomes a
single work, claimed and stored together; the body follows when all of it is done.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, cast

import structlog
from celery import Signature, signature
from celery.exceptions import Ignore, Reject
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from domain.errors import DatabaseUnavailable
from services.core.context import StepContext
from workers import pipeline
from workers.celery_app import app
from workers.execution.message import RetryLater
from workers.execution.work import Part, Step, Work
from workers.pipeline import Run
from workers.processes.runtime import event_loop

log = structlog.get_logger()

_MAX_PARALLEL_ITEMS = 32
"""The most items processed side by side in one work; a wider chord is spread over messages and processes."""

_steps: dict[str, tuple[Step, ...]] = {}
_served: frozenset[str] = frozenset()


def register(task: str, steps: Sequence[Step]) -> None:
    _steps[task] = tuple(steps)


def work_for(task: str, run: Run, items: Sequence[str] = ("",)) -> Work:
    return Work(run, tuple(Part(step, tuple(items)) for step in _steps[task]))


def serve(queues: Iterable[str]) -> None:
    """Run the steps of these queues in place from now on; before this call everything is dispatched."""
    global _served
    _served = frozenset(queues)


@dataclass(frozen=True, slots=True)
class _Link:
    """A link of a chain, or the `signatures` that run side by side as the header of a chord."""

    signatures: tuple[Signature[Any], ...]
    is_header: bool = False

    @property
    def work(self) -> Work | None:
        """The link as one work, or None if it cannot run in place."""
        if not all(map(_is_served, self.signatures)):
            return None
        run, items = _run_and_items(self.signatures[0])[0], dict[str, list[str]]()
        for each in self.signatures:
            items.setdefault(str(each.task), []).extend(_run_and_items(each)[1])
        if self.is_header and sum(map(len, items.values())) > _MAX_PARALLEL_ITEMS:
            return None
        works = [work_for(task, run, requested) for task, requested in items.items()]
        return Work(run, tuple(part for work in works for part in work.parts))


class Continuation:
    """The steps after the work of a message: the links of its own chain, or the canvas built by its last step's
    `then`."""

    def __init__(self, chain: Sequence[Any] | None = None) -> None:
        """`chain`: the links that the message carries, in Celery's order: the next link is the last."""
        self._links = [_Link((signature(link, app=app),)) for link in reversed(chain or ())]
        self._built: Signature[Any] | None = None
        self.remaining_links = list(chain or ())
        """The links of the message's own chain that did not run in place: Celery dispatches them."""

    @property
    def is_fan_in(self) -> bool:
        return not (self._links and self._links[0].is_header)

    def next(self, work: Work, context: StepContext) -> Work | None:
        """The work to run in place after `work`, whose outcomes are all in `context`; None to dispatch the rest."""
        if not self._links and work.then is not None:
            self._built = work.then(work.run, context)
            self._links = _expand_chord(_split_chain(self._built))
        return self._links[0].work if self._links else None

    def insert(self, links: Sequence[Signature[Any]]) -> None:
        """Run these side by side before the next link, if they can run in place."""
        header = _Link(tuple(links), is_header=True)
        if links and self._built is not None and header.work is not None:
            self._links.insert(0, header)

    def advance(self) -> str:
        first = self._links.pop(0).signatures[0]
        if self._built is None:
            self.remaining_links.pop()
        else:
            left = [each for link in self._links if not link.is_header for each in link.signatures]
            self._built = pipeline.remaining_canvas(_run_and_items(first)[0], left) if left else None
        return str(first.task)

    async def launch(self) -> None:
        """Dispatch the remaining links that Celery does not dispatch itself."""
        if self._built is None:
            return
        try:
            await asyncio.to_thread(self._built.apply_async)
        except (OperationalError, RedisError, OSError) as error:
            # Everything is stored, so the query does not fail: the reconciler restarts it from here.
            log.warning("following_not_published", task=str(self._built), error=type(error).__name__)


class ParallelWork:
    """Work that a step without a chord spreads while it runs: `execute` runs it concurrently, in this process."""

    def __init__(self, execute: Callable[[Work], Coroutine[Any, Any, StepContext]]) -> None:
        self._execute = execute
        self._futures: list[Future[StepContext]] = []

    def merged(self, context: StepContext) -> StepContext | None:
        """The context with the outcomes of all started work. None while some of it runs, and if some failed: then only
        a later claim finds the outcomes."""
        for each in self._futures:
            if not each.done() or each.cancelled() or each.exception() is not None:
                return None
            context = replace(context, outcomes={**each.result().outcomes, **context.outcomes})
        return context

    def add(self, link: Signature[Any]) -> bool:
        """Start the link's work, from any thread. False when this process does not run it: it is still to be done."""
        work = _Link((link,)).work
        if work is None:
            return False
        # It inherits the tenant and the trace of the step that spreads it.
        self._futures.append(asyncio.run_coroutine_threadsafe(self._execute(work), event_loop()))
        return True

    async def join(self) -> None:
        """Wait for all started work. The next step finds what failed missing, and does it."""
        futures, self._futures = self._futures, []
        for each in await asyncio.gather(*map(asyncio.wrap_future, futures), return_exceptions=True):
            if isinstance(each, Ignore | Reject | RetryLater | DatabaseUnavailable):
                log.info("not_done_beside", error=type(each).__name__)
            elif isinstance(each, Exception):
                log.error("not_done_beside", exc_info=each)


def _is_served(link: Signature[Any]) -> bool:
    return link.options.get("queue") in _served and link.task in _steps


def _run_and_items(link: Signature[Any]) -> tuple[Run, Sequence[str]]:
    run, items = link.args[:4], link.args[4:]
    return Run(*run), items[0] if items else ("",)


def _split_chain(canvas: Signature[Any] | None) -> list[_Link]:
    if canvas is None:
        return []
    if canvas.subtask_type != "chain":
        return [_Link((canvas,))]
    # A chain may be a link of another one.
    return [link for part in cast("Any", canvas).tasks for link in _split_chain(part)]


def _expand_chord(links: list[_Link]) -> list[_Link]:
    first: Any = links[0].signatures[0] if links else None
    if first is None or first.subtask_type != "chord":
        return links
    header = _Link(tuple(first.tasks), is_header=True)
    return links if header.work is None else [header, *_split_chain(first.body), *links[1:]]
