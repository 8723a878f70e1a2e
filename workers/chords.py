"""What a step hands on while it is at work, and what has to be done besides before the step that waits for it all.

A message that is part of a chord adds to its chord. What is done in place has no chord: there it goes on beside the
step, in this process.
"""

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Protocol

import structlog
from celery import Signature
from celery.exceptions import Ignore, Reject

from clients.llm.protocol import CallDeferred
from db.queries import early, events
from db.queries.steps import Key
from db.session import transaction
from domain.errors import DatabaseUnavailable
from services.early import SENTENCES
from services.step import StepContext
from workers.claims import Entered
from workers.message import Message
from workers.onward import Onward, work_in_place
from workers.ringing import ring_watchers
from workers.runtime import event_loop
from workers.work import Adds, Doing, Step, Work

log = structlog.get_logger()


class Adding(Protocol):
    """Takes what a step hands on; from any thread."""

    def add(self, link: Signature[Any]) -> bool:
        """False when it was not taken: then it is still to be done."""
        ...


class Chord:
    """Of a message."""

    def __init__(self, message: Message) -> None:
        self._message = message

    def add(self, link: Signature[Any]) -> bool:
        return self._message.add_to_chord(link)


class Beside:
    """In this process, beside the works of one message; `do` executes them."""

    def __init__(self, do: Doing) -> None:
        self._do = do
        self._begun: list[Future[None]] = []

    @property
    def is_used(self) -> bool:
        """Whether anything was handed on."""
        return bool(self._begun)

    def add(self, link: Signature[Any]) -> bool:
        work = work_in_place(link)
        if work is None:
            return False
        # For the tenant, and in the trace, of the step that hands it on.
        self._begun.append(asyncio.run_coroutine_threadsafe(self._do(work), event_loop()))
        return True

    async def ended(self) -> None:
        """Wait for all of it. What could not be done is still to be done: the step behind finds it missing."""
        begun, self._begun = self._begun, []
        for each in await asyncio.gather(*map(asyncio.wrap_future, begun), return_exceptions=True):
            if isinstance(each, Ignore | Reject | CallDeferred | DatabaseUnavailable):
                log.info("not_done_beside", error=type(each).__name__)
            elif isinstance(each, Exception):
                log.error("not_done_beside", exc_info=each)


def with_spread(work: Work, entered: Entered | None, adding: Adding) -> Entered | None:
    """What a message has entered; with `spread` if it has claimed a step that hands work on."""
    step, run = handing_on(work), work.run
    if entered is None or step is None or step.spreads is None or (step.name, "") not in entered.attempts:
        return entered
    making, attempt = step.spreads, entered.attempts[step.name, ""]
    claim = events.Claim(uuid.UUID(run.query_id), run.launch, run.round, step.name, attempt)

    def spread(told: Sequence[events.EventData], item: str, value: Mapping[str, Any]) -> bool:
        with transaction() as session:
            held = events.add_events_while_held(session, claim, told)
            # What was handed on before is in somebody's hands, or is checked at the end; twice it might block a chord.
            new = held and early.add_once(session, claim.query_id, run.round, SENTENCES, item, value)
        if held:
            ring_watchers(claim.query_id)
        return new and adding.add(making(run, item))

    return replace(entered, context=replace(entered.context, spread=spread))


async def add_what_follows(
    work: Work, entered: Entered | None, context: StepContext, message: Message | None, onward: Onward
) -> None:
    """Have done what has to be done now that the step is: by the chord of its message, or in place."""
    adding = what_is_added(work, entered.attempts) if entered is not None else None
    if adding is None:
        return
    added = await asyncio.to_thread(adding, work.run, context)
    if message is not None and message.context.chord:
        await asyncio.to_thread(message.add_to_chord, *added)
    else:
        onward.insert(added)


def what_is_added(work: Work, claimed: Mapping[Key, int]) -> Adds | None:
    """What builds that which has to be done besides, if the step is among what was `claimed`.

    Only who did the work does it: a message that finds it done must not make its chord wait for what others work on.
    """
    step = handing_on(work)
    return step.adds if step is not None and (step.name, "") in claimed else None


def handing_on(work: Work) -> Step | None:
    """The step of a work that hands on, if one does."""
    return next((part.step for part in work.parts if part.step.spreads or part.step.adds), None)
