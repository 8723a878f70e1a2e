"""What follows a step: run in this process where it serves the queue, else dispatched as messages.

Going on in place spares what a message costs: it is not published, fetched and acknowledged, and the next claim is made
in the transaction that stores what was done before it. The header of a chord that is not too wide is one work in place,
claimed and stored together; its body follows when all of it is done.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
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
from workers.execution.message import ComeAgain
from workers.execution.work import Part, Step, Work
from workers.pipeline import Run
from workers.processes.runtime import event_loop

log = structlog.get_logger()

_WIDEST = 32
"""Items that are done side by side in one work; what is wider is spread over messages and processes."""

_steps: dict[str, tuple[Step, ...]] = {}
_served: frozenset[str] = frozenset()


def register(task: str, steps: Sequence[Step]) -> None:
    """Make known which steps a task runs."""
    _steps[task] = tuple(steps)


def work_of(task: str, run: Run, items: Sequence[str] = ("",)) -> Work:
    """What a message of a registered task asks for."""
    return Work(run, tuple(Part(step, tuple(items)) for step in _steps[task]))


def serve(queues: Iterable[str]) -> None:
    """From now on this process runs in place what belongs to these queues; without it everything is dispatched."""
    global _served
    _served = frozenset(queues)


@dataclass(frozen=True, slots=True)
class _Link:
    """A link of a chain, or the `signatures` that run side by side as the header of a chord."""

    signatures: tuple[Signature[Any], ...]
    is_header: bool = False

    @property
    def work(self) -> Work | None:
        """All of it as one work, if it runs in place."""
        if not all(map(_is_served, self.signatures)):
            return None
        run, items = _asked(self.signatures[0])[0], dict[str, list[str]]()
        for each in self.signatures:
            items.setdefault(str(each.task), []).extend(_asked(each)[1])
        if self.is_header and sum(map(len, items.values())) > _WIDEST:
            return None
        works = [work_of(task, run, asked) for task, asked in items.items()]
        return Work(run, tuple(part for work in works for part in work.parts))


class Onward:
    """What follows the work of one message: the links of its own chain, or what its last step's `then` builds."""

    def __init__(self, chain: Sequence[Any] | None = None) -> None:
        """`chain` is what the message carries, in Celery's order: the next link is the last."""
        self._links = [_Link((signature(link, app=app),)) for link in reversed(chain or ())]
        self._built: Signature[Any] | None = None
        self.untaken = list(chain or ())
        """What of the message's own chain did not run in place: Celery dispatches it."""

    @property
    def is_fan_in(self) -> bool:
        """Whether what is next waits for everything before it."""
        return not (self._links and self._links[0].is_header)

    def next(self, work: Work, context: StepContext) -> Work | None:
        """What runs in place after `work`, whose outcomes are all in `context`, if anything."""
        if not self._links and work.then is not None:
            self._built = work.then(work.run, context)
            self._links = _opened(_links_of(self._built))
        return self._links[0].work if self._links else None

    def insert(self, links: Sequence[Signature[Any]]) -> None:
        """Run these side by side before anything else that follows, if that is possible in place."""
        header = _Link(tuple(links), is_header=True)
        if links and self._built is not None and header.work is not None:
            self._links.insert(0, header)

    def take(self) -> str:
        """Go on to what `next` returned; return the name of its first task."""
        first = self._links.pop(0).signatures[0]
        if self._built is None:
            self.untaken.pop()
        else:
            left = [each for link in self._links if not link.is_header for each in link.signatures]
            self._built = pipeline.going_on(_asked(first)[0], left) if left else None
        return str(first.task)

    async def launch(self) -> None:
        """Dispatch what is left and Celery does not dispatch itself."""
        if self._built is None:
            return
        try:
            await asyncio.to_thread(self._built.apply_async)
        except (OperationalError, RedisError, OSError) as error:
            # No fault of the query: everything is stored, and the reconciler starts it again from here.
            log.warning("following_not_published", task=str(self._built), error=type(error).__name__)


class HandedOn:
    """Work that a step hands on while it runs and that has no chord: `do` runs it concurrently, in this process."""

    def __init__(self, do: Callable[[Work], Coroutine[Any, Any, None]]) -> None:
        self._do = do
        self._begun: list[Future[None]] = []

    @property
    def is_used(self) -> bool:
        return bool(self._begun)

    def add(self, link: Signature[Any]) -> bool:
        """Begin it, from any thread. False when it does not run here: then it is still to be done."""
        work = _Link((link,)).work
        if work is None:
            return False
        # For the tenant, and in the trace, of the step that hands it on.
        self._begun.append(asyncio.run_coroutine_threadsafe(self._do(work), event_loop()))
        return True

    async def ended(self) -> None:
        """Wait for all of it. What could not be done is still to be done: the next step finds it missing."""
        begun, self._begun = self._begun, []
        for each in await asyncio.gather(*map(asyncio.wrap_future, begun), return_exceptions=True):
            if isinstance(each, Ignore | Reject | ComeAgain | DatabaseUnavailable):
                log.info("not_done_beside", error=type(each).__name__)
            elif isinstance(each, Exception):
                log.error("not_done_beside", exc_info=each)


def _is_served(link: Signature[Any]) -> bool:
    return link.options.get("queue") in _served and link.task in _steps


def _asked(link: Signature[Any]) -> tuple[Run, Sequence[str]]:
    """The run and the items of a link."""
    run, items = link.args[:4], link.args[4:]
    return Run(*run), items[0] if items else ("",)


def _links_of(canvas: Signature[Any] | None) -> list[_Link]:
    if canvas is None:
        return []
    if canvas.subtask_type != "chain":
        return [_Link((canvas,))]
    # A chain may be a link of another one.
    return [link for part in cast("Any", canvas).tasks for link in _links_of(part)]


def _opened(links: list[_Link]) -> list[_Link]:
    """The same, with a chord that comes first as its header and its body, if its header can run in place."""
    first: Any = links[0].signatures[0] if links else None
    if first is None or first.subtask_type != "chord":
        return links
    header = _Link(tuple(first.tasks), is_header=True)
    return links if header.work is None else [header, *_links_of(first.body), *links[1:]]
