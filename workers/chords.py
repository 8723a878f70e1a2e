"""Adding to the chord that a message belongs to, while its step is at work."""

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from db.queries import early, events
from db.session import transaction
from services.early import SENTENCES
from services.step import StepContext
from workers.claims import Entered
from workers.message import Message
from workers.ringing import ring_watchers
from workers.work import Work


def with_spread(work: Work, entered: Entered | None, message: Message | None) -> Entered | None:
    """What a message has entered; with `spread` if it has claimed a step that hands work on to its chord."""
    step, run = work.parts[-1].step, work.run
    if entered is None or message is None or step.spreads is None or not entered.attempts:
        return entered
    making, attempt = step.spreads, entered.attempts.get((step.name, ""), 0)
    claim = events.Claim(uuid.UUID(run.query_id), run.launch, run.round, step.name, attempt)

    def spread(told: Sequence[events.EventData], item: str, value: Mapping[str, Any]) -> bool:
        with transaction() as session:
            held = events.add_events_while_held(session, claim, told)
            # What was handed on before is in somebody's hands, or is checked at the end; twice it might block a chord.
            new = held and early.add_once(session, claim.query_id, run.round, SENTENCES, item, value)
        if held:
            ring_watchers(claim.query_id)
        return new and message.add_to_chord(making(run, item))

    return replace(entered, context=replace(entered.context, spread=spread))


async def add_what_follows(work: Work, entered: Entered | None, context: StepContext, message: Message | None) -> None:
    """Add to the chord what has to be done now that the step is.

    Only who did the work does it: a message that finds it done must not make its chord wait for what others work on.
    """
    adds = work.parts[-1].step.adds
    if message is not None and adds is not None and entered is not None and entered.attempts:
        await asyncio.to_thread(message.add_to_chord, *adds(work.run, context))
