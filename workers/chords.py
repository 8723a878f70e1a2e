"""Adding to the chord that a message belongs to, while its step is at work."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import structlog
from celery import Signature, Task
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from db.queries import early, events
from db.session import transaction
from services.early import SENTENCES
from services.step import StepContext
from workers.claims import Entered
from workers.ringing import ring_watchers
from workers.work import Work

log = structlog.get_logger()


class MessageChord:
    """The chord of the message that `task` is executing. It may be used from any thread until the step has ended."""

    def __init__(self, task: Task[Any, Any]) -> None:
        self._task: Any = task
        # Celery keeps it per thread, and a step that streams works in others, too.
        self._request: Any = self._task.request_stack.top

    def add(self, *signatures: Signature[Any]) -> bool:
        """Have the chord's body wait for these, too, and publish them; False when that failed, or there is no chord.

        After a failure the body may never run: the reconciler starts the query again, and what is missing is done then.
        """
        if self._request is None or not self._request.chord:
            return False
        self._task.request_stack.push(self._request)
        try:
            for signature in signatures:
                self._task.add_to_chord(signature)
        except (OperationalError, RedisError, OSError) as error:
            log.warning("not_added_to_chord", query_id=self._request.args[0], error=type(error).__name__)
            return False
        finally:
            self._task.request_stack.pop()
        return True


def with_spread(work: Work, entered: Entered | None, chord: MessageChord | None) -> Entered | None:
    """What a message has entered; with `spread` if it has claimed a step that hands work on to its chord."""
    step, run = work.parts[-1].step, work.run
    if entered is None or chord is None or step.spreads is None or not entered.attempts:
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
        return new and chord.add(making(run, item))

    return replace(entered, context=replace(entered.context, spread=spread))


def add_what_follows(work: Work, entered: Entered | None, context: StepContext, chord: MessageChord | None) -> None:
    """Add to the chord what has to be done now that the step is.

    Only who did the work does it: a message that finds it done must not make its chord wait for what others work on.
    """
    adds = work.parts[-1].step.adds
    if chord is not None and adds is not None and entered is not None and entered.attempts:
        chord.add(*adds(work.run, context))
