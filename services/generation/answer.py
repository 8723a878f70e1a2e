"""The answer's draft by the main model, streamed while it is written, and the passages that the fast model quotes
(S4.4).
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, TypeVar

import structlog

from citewell_verify.answers.statements import without_unfinished_sentence
from citewell_verify.answers.translation import strip_references, translated
from citewell_verify.evidence.citation_scoring import score_citation
from citewell_verify.evidence.passages import Passage
from citewell_verify.judging.statement import Failure, numbered_sources
from citewell_verify.markers.citable import Citable
from citewell_verify.prompting.judgements import (
    EXTRACT_CITATIONS,
    GENERATE_ANSWER,
    REGENERATE_ANSWER,
    SYNTHESIZE_ANSWER,
    ExtractedCitation,
)
from citewell_verify.verdicts.states import is_ungrounded
from clients.llm.gateway import ComposedText
from db.queries.runs.events import DRAFT, EventData
from domain.answers.drafts import ClosingSentences, batch_item, batch_keys, without_frames
from domain.errors.service import DatabaseUnavailable
from domain.objects.filling import wish_for
from domain.objects.schema import read_schema
from domain.query.model_refusals import refuses
from domain.query.options import idk_for
from domain.query.outcomes import ASSESS, Drafted, Extracted, ScoredCitation
from domain.query.workspace_rules import style_of
from services.core.context import StepContext, StepResult, when_loaded
from services.verification.checks import notes_text
from services.verification.round_results import states_so_far

ASK_EVERY_S = 0.25
"""The time within which a new watcher, or the absence of one, is noticed."""
UNWATCHED_EVERY_S = 1.0
"""The interval for unwatched queries: a watcher may come, or may be unknown to the wake-up channel."""


class PublishingSchedule:
    """Decides when to publish the draft of one query: soon while a person watches, otherwise seldom.

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
    """Yield a draft, which takes the whole text so far at each change. Nothing is published after the block: events
    that are then `unpublished` go with the step's outcome.

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
        # Calls that several statements share are made when all these statements are known.
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
        """Take the whole text so far. Offsets count from its first word; characters that JSON columns cannot store are
        replaced, because they would fail the step for a mere draft."""
        self._written = text.replace("\x00", "").encode("utf-8", "replace").decode().lstrip()
        self._grew.set()

    async def publish_every(self, seconds: float) -> None:
        """Publish the first words at once, and then at intervals the added text; dispatch the checks that are possible,
        until cancelled."""
        while True:
            # Verdicts also arrive while the model writes nothing.
            with suppress(TimeoutError):
                # Not `wait_for`, which in Python 3.11 may swallow a cancellation that arrives at the same time.
                async with asyncio.timeout(_POLL_EVERY_S):
                    await self._grew.wait()
            self._grew.clear()
            is_due = await self._schedule.should_publish()
            # Early verdicts cost messages, and the only gain is that a watcher sees the first of them sooner.
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
        """Publish the added text, and dispatch complete sentences; the rest is checked with the whole answer."""
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
                # The answer matters more than watching it grow; the next call publishes the missed text.
                return
            self._published = written

    async def finish_publishing(self) -> None:
        """Wait for a publication in progress: its text is shorter than the next one, and must not arrive after it."""
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


STOPPED = "The answer was not written to its end: no sentence that was checked by then is in the sources."


async def generate(context: StepContext) -> StepResult:
    """Write the answer; a cut, empty or refused one is a failed draft, never a short answer."""
    passages = await when_loaded(context, context.selected_passages)
    options = context.query.options
    style = style_of(options.instructions)
    if options.answer_schema is not None:
        style = f"{style}\n\n{wish_for(read_schema(options.answer_schema))}"
    composition, fields = (
        GENERATE_ANSWER,
        {
            "sources": numbered_sources(passages, context.replaced_by),
            "question": context.question,
            # The workspace's own refusal is for readers: a model refuses in words that are recognised.
            "idk": idk_for(context.question, [passage.readable for passage in passages]),
            "style": style,
        },
    )
    if notes := notes_text(context):
        composition, fields = SYNTHESIZE_ANSWER, {**fields, "notes": notes}
    if (assessed := context.read_earlier(ASSESS)) and (gaps := assessed["gaps"]):
        composition, fields = REGENERATE_ANSWER, {**fields, "gaps": "\n".join(f"- {gap}" for gap in gaps)}
    async with publishing_draft(context) as draft:
        reply = await draft.while_grounded(
            context.tools.models.compose(composition, fields, log=context.log, model=options.model, on_text=draft.write)
        )
    drafted = _stopped(context, draft) if reply is None else _drafted(reply, draft, context.citable)
    return replace(drafted, events=[*draft.unpublished(), *drafted.events])


def _drafted(reply: ComposedText | Failure, draft: StreamedDraft, sources: Citable) -> StepResult:
    if isinstance(reply, Failure):
        return StepResult.single(
            Drafted(status="failed", text="", model=None, reason=reply.reason, code=f"model_{reply.kind}")
        )
    text = without_frames(reply.text.replace("\x00", "").strip())
    if not text:
        empty = "The model returned an empty answer."
        return StepResult.single(
            Drafted(status="failed", text="", model=reply.model, reason=empty, code="model_invalid_reply")
        )
    if refuses(strip_references(text), sources.refusal):
        reason = "The passages that were found do not contain the answer."
        return StepResult.single(Drafted(status="abstained", text=text, model=reply.model, reason=reason))
    # The prompt numbers the sources from 1.
    text = translated(text, sources, first_number=1).text
    return StepResult.single(Drafted(status="complete", text=text, model=reply.model, early=sorted(draft.dispatched)))


def _stopped(context: StepContext, draft: StreamedDraft) -> StepResult:
    model = context.log.records[-1].model if context.log.records else None
    drafted = Drafted(
        status="complete", text=draft.closed_text, model=model, early=sorted(draft.dispatched), stopped=STOPPED
    )
    return StepResult.single(drafted, events=[("draft.stopped", {"round": context.round, "reason": STOPPED})])


async def extract_citations(context: StepContext) -> StepResult:
    """Ask for citations; the code that uses a citation checks whether its quote occurs in the source."""
    options = context.query.options
    passages = await when_loaded(context, context.selected_passages)
    fields = {
        "sources": numbered_sources(passages, context.replaced_by),
        "question": context.question,
        "min_chars": options.span_min_chars,
        "max_chars": options.span_max_chars,
    }
    reply = await context.tools.models.ask(EXTRACT_CITATIONS, fields, log=context.log)
    if isinstance(reply, Failure):
        return StepResult.single(Extracted(status="failed", citations=[], reason=reply.reason))
    scored = [_scored(citation, passages) for citation in reply.citations]
    return StepResult.single(Extracted(status="extracted", citations=[citation for citation in scored if citation]))


def _scored(citation: ExtractedCitation, passages: Sequence[Passage]) -> ScoredCitation | None:
    """S4.4: return the citation with its scores and issues; None if its source does not exist."""
    if not 1 <= citation.source <= len(passages):
        return None
    passage = passages[citation.source - 1]
    score = score_citation(citation.claim_text, passage.readable, citation.text_span, context=passage.readable_context)
    return ScoredCitation(
        **citation.model_dump(),
        chunk_id=passage.chunk_id,
        text_span_score=score.text_span_score,
        claim_relevance=score.claim_relevance,
        confidence_score=score.confidence,
        is_accurate=score.is_accurate,
        issues=list(score.issues),
    )
