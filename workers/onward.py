"""What comes behind the work of a message: done in place where this process serves its queue, else launched.

Going on spares what a message costs: it is not published, fetched and acknowledged, and the claim is made in the
transaction that stores what was done before it. Of a chord that is not too wide the whole header is one work in place,
claimed and stored together; its body follows when all of it is done.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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

_WIDEST = 32
"""Items that are done side by side in one work; what is wider is spread over messages and processes."""

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


@dataclass(frozen=True, slots=True)
class _Group:
    """Links that are done side by side."""

    links: Sequence[Signature[Any]]

    @property
    def work(self) -> Work | None:
        """All of it as one work, if it is done in place."""
        if len(self.links) > _WIDEST or not all(map(_is_served, self.links)):
            return None
        run, items = _asked(self.links[0])[0], dict[str, list[str]]()
        for link in self.links:
            items.setdefault(str(link.task), []).extend(_asked(link)[1])
        if sum(map(len, items.values())) > _WIDEST:
            return None
        works = [work_of(task, run, asked) for task, asked in items.items()]
        return Work(run, tuple(part for work in works for part in work.parts))


class Onward:
    """What follows the work of one message: the links of its own chain, or what its last step's `then` builds."""

    def __init__(self, chain: Sequence[Any] | None = None) -> None:
        """`chain` is what the message carries, in Celery's order: the next link is the last."""
        self._links: list[Signature[Any] | _Group] = [signature(link, app=app) for link in reversed(chain or ())]
        self._built: Signature[Any] | None = None
        self.untaken = list(chain or ())
        """What of the message's own chain was not done in place: Celery launches it."""

    @property
    def is_fan_in(self) -> bool:
        """Whether what is next waits for everything before it."""
        return not (self._links and isinstance(self._links[0], _Group))

    def next(self, work: Work, context: StepContext) -> Work | None:
        """What is done in place behind `work`, whose outcomes are all in `context`, if anything."""
        if not self._links and work.then is not None:
            self._built = work.then(work.run, context)
            self._links = [*_links_of(self._built)]
            self._open()
        if not self._links:
            return None
        link = self._links[0]
        if isinstance(link, _Group):
            return link.work
        return work_of(str(link.task), *_asked(link)) if _is_served(link) else None

    def _open(self) -> None:
        """Have the header of a chord done in place, and then its body, if that is possible."""
        if self._links and not isinstance(first := self._links[0], _Group) and first.subtask_type == "chord":
            chord: Any = first
            group = _Group(tuple(chord.tasks))
            if group.work is not None:
                self._links[:1] = [group, *_links_of(chord.body)]

    def insert(self, links: Sequence[Signature[Any]]) -> None:
        """Have these done side by side before anything else that follows, if that is possible in place."""
        group = _Group(tuple(links))
        if links and self._built is not None and group.work is not None:
            self._links.insert(0, group)

    def take(self) -> str:
        """Go on to what `next` returned; return the name of its first task."""
        link = self._links.pop(0)
        first = link.links[0] if isinstance(link, _Group) else link
        if self._built is None:
            self.untaken.pop()
        else:
            left = [each for each in self._links if not isinstance(each, _Group)]
            self._built = pipeline.going_on(_asked(first)[0], left) if left else None
        return str(first.task)

    async def launch(self) -> None:
        """Publish what is left and nobody else publishes."""
        if self._built is None:
            return
        try:
            await asyncio.to_thread(self._built.apply_async)
        except (OperationalError, RedisError, OSError) as error:
            # No fault of the query: everything is stored, and the reconciler starts it again from here.
            log.warning("following_not_published", task=str(self._built), error=type(error).__name__)


def _is_served(link: Signature[Any]) -> bool:
    return link.options.get("queue") in _served and link.task in _steps


def _asked(link: Signature[Any]) -> tuple[Run, Sequence[str]]:
    """The run and the items of a link."""
    run, items = link.args[:4], link.args[4:]
    return Run(*run), items[0] if items else ("",)


def work_in_place(link: Signature[Any]) -> Work | None:
    """What a single link asks for, if it is done in place."""
    return _Group((link,)).work


def _links_of(canvas: Signature[Any] | None) -> list[Signature[Any]]:
    if canvas is None:
        return []
    if canvas.subtask_type != "chain":
        return [canvas]
    # A chain may be a link of another one.
    return [link for part in cast("Any", canvas).tasks for link in _links_of(part)]
