"""Publishes a growing draft to the watchers of its query, and dispatches finished sentences for early checks (N1)."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import structlog

from citewell_verify.answers.streaming import without_unfinished_sentence
from citewell_verify.verdicts.states import is_ungrounded
from db.queries.runs.events import DRAFT, EventData
from domain.answers.closed_sentences import ClosingSentences, batch_item, batch_keys
from domain.errors import DatabaseUnavailable
from services.core.context import StepContext
from services.verification.streamed_results import states_so_far

ASK_EVERY_S = 0.25
"""How soon a new watcher, or the absence of one, is noticed."""
UNWATCHED_EVERY_S = 1.0
"""The interval for unwatched queries: a watcher may come, or may be unknown to the wake-up channel."""


class PublishingSchedule:
    """When to publish the draft of one query: soon while a person watches, else seldom.

    `is_watched` may use the network; it is called in a thread.
    """

    def __init__(self, is_watched: Callable[[], bool]) -> None:
        self._ask = is_watched
        self.is_watched = True
        self._asked_at = float("-inf")
        self._published_at = time.monotonic()

    async def should_publish(self) -> bool:
        now = time.monotonic()
        if now - self._asked_at >= ASK_EVERY_S:
            self._asked_at = now
            self.is_watched = await asyncio.to_thread(self._ask)
        return self.is_watched or now - self._published_at >= UNWATCHED_EVERY_S

    def record_publication(self) -> None:
        self._published_at = time.monotonic()


log = structlog.get_logger()

T = TypeVar("T")

_POLL_EVERY_S = 0.25


@asynccontextmanager
async def publishing_draft(context: StepContext) -> AsyncGenerator["StreamedDraft"]:
    """Yield what takes the whole text so far at each change. Nothing is published after the block: what is then
    `unpublished` goes with the step's outcome.

    An event says that the draft is now `draft[:start] + text`: after a broken stream a model restarts from a shorter
    text.
    """
    draft = StreamedDraft(context)
    publisher = asyncio.create_task(draft.publish_every(context.tools.draft_every_s))
    publisher.add_done_callback(_report)
    try:
        yield draft
    finally:
        publisher.cancel()
        await asyncio.gather(publisher, return_exceptions=True)
        await draft.finish_publishing()


def _report(publisher: asyncio.Task[None]) -> None:
    """Log an error that ended the publishing and the early checks; it never ends the answer."""
    if not publisher.cancelled() and (error := publisher.exception()) is not None:
        log.error("drafts_not_told", exc_info=error)


class StreamedDraft:
    """The text written so far, and `dispatched`: the keys of the checks already dispatched.

    `stoppable` are the batches of the current text: verdicts on words that were taken back stop nothing.
    """

    def __init__(self, context: StepContext) -> None:
        options = context.query.options
        self._context = context
        self._written = ""
        self._published = ""
        self._grew = asyncio.Event()
        self._publishing = asyncio.Lock()
        self._schedule = PublishingSchedule(lambda: context.tools.is_watched(context.query.id))
        self._closing = ClosingSentences(context.citable, options.check_batch)
        # Calls that several statements share are made when all of them are known.
        wanted = options.verification and not options.shares_calls
        self._check_early = context.tools.check_early if wanted else "never"
        self.dispatched: set[str] = set()
        self.stoppable: set[str] = set()
        self._is_ungrounded = asyncio.Event()
        self._polled_at = time.monotonic()

    @property
    def closed_text(self) -> str:
        return without_unfinished_sentence(self._written)

    async def while_grounded(self, writing: Coroutine[Any, Any, T]) -> T | None:
        task = asyncio.ensure_future(writing)
        alarm = asyncio.ensure_future(self._is_ungrounded.wait())
        try:
            await asyncio.wait({task, alarm}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            alarm.cancel()
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        return None if self._is_ungrounded.is_set() and task.cancelled() else task.result()

    def write(self, text: str) -> None:
        """Take the whole text so far. Offsets count from its first word; characters that JSON columns cannot hold are
        replaced, as they would fail the step because of a mere draft."""
        self._written = text.replace("\x00", "").encode("utf-8", "replace").decode().lstrip()
        self._grew.set()

    async def publish_every(self, seconds: float) -> None:
        """Publish the first words at once, and then at intervals what was added; dispatch what can be checked, until
        cancelled."""
        while True:
            # Verdicts also arrive while the model writes nothing.
            with suppress(TimeoutError):
                # Not `wait_for`, which in Python 3.11 may swallow a cancellation that arrives at the same time.
                async with asyncio.timeout(_POLL_EVERY_S):
                    await self._grew.wait()
            self._grew.clear()
            is_due = await self._schedule.should_publish()
            # Early verdicts cost messages; all they gain is that a watcher sees the first of them sooner.
            dispatch = self._check_early == "always" or (self._check_early == "watched" and self._schedule.is_watched)
            if is_due or dispatch:
                # A cancelled thread would still write, and the next draft might overtake it.
                await asyncio.shield(self.publish(dispatch=dispatch))
            await self._stop_if_ungrounded()
            await asyncio.sleep(seconds)

    async def _stop_if_ungrounded(self) -> None:
        after, now = self._context.tools.stop_ungrounded_after, time.monotonic()
        if not after or not self.stoppable or now - self._polled_at < _POLL_EVERY_S:
            return
        self._polled_at = now
        try:
            states = await asyncio.to_thread(states_so_far, self._context, frozenset(self.stoppable))
        except DatabaseUnavailable:
            return
        if is_ungrounded(states, after):
            self._is_ungrounded.set()

    async def publish(self, *, dispatch: bool = False) -> None:
        """Publish what was added, and dispatch complete sentences; the rest is checked with the whole answer."""
        async with self._publishing:
            written = self._written
            if not (events := self.unpublished()):
                return
            self._schedule.record_publication()
            if not written.startswith(self._published):
                self.stoppable.clear()
            try:
                await asyncio.to_thread(self._dispatch if dispatch else self._context.publish, events)
            except DatabaseUnavailable:
                # The answer matters more than watching it grow; the next call publishes what was missed.
                return
            self._published = written

    async def finish_publishing(self) -> None:
        """Wait for a publication under way: it has less text than the next one, and must not arrive after it."""
        async with self._publishing:
            pass

    def unpublished(self) -> list[EventData]:
        if self._written == self._published:
            return []
        start = common_prefix_length(self._published, self._written)
        return [(DRAFT, {"round": self._context.round, "start": start, "text": self._written[start:]})]

    def _dispatch(self, events: Sequence[EventData]) -> None:
        self._closing.read(self._written)
        if (batch := self._closing.take_batch()) is None:
            self._context.publish(events)
        elif self._context.dispatch(events, item := batch_item(batch), batch):
            self.dispatched.update(batch_keys(batch))
            self.stoppable.add(item)


def common_prefix_length(before: str, after: str) -> int:
    if after.startswith(before):
        return len(before)
    pairs = enumerate(zip(before, after, strict=False))
    return next((i for i, (old, new) in pairs if old != new), min(len(before), len(after)))
