"""Attempts at a model call: the retry policy, and one attempt that waits within the limits, calls, hedges, and
records.

| failure                 | retried                                                                     |
|-------------------------|-----------------------------------------------------------------------------|
| ModelUnavailable        | until the attempts are used up, _PAID_MAX of them where a reply had begun;  |
|                         | later again (clients.llm.calling.outages)                                   |
| ModelTimedOut           | once: the next try most likely takes as long; later again                   |
| ModelRateLimited        | REJECTIONS_MAX times, when the limiter permits; uses up no attempt; later   |
|                         | again                                                                       |
| ModelReplyInvalid       | once, with more tokens and with what was wrong (`fault`): each try is paid  |
| ModelGone, ModelRefused | never: the answer would be the same                                         |
| CallDeferred            | not here: nothing was sent                                                  |
| CircuitOpen             | not here: nothing was sent                                                  |
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from citewell_verify.prompting.judgements import Judgement
from clients.limiter import Lease, Limiter, Priority
from clients.llm.calling.hedging import Hedges
from clients.llm.calling.outages import Breaker, CircuitOpen, Pass
from clients.llm.calling.reply_cache import ReplyCache
from clients.llm.calling.request import Question, Recorder
from clients.llm.calling.slots import Slot, Slots
from clients.llm.protocol import (
    CallDeferred,
    ChatModel,
    ModelError,
    ModelRateLimited,
    ModelReply,
    ModelReplyInvalid,
    ModelRequest,
    ModelTimedOut,
    ModelUnavailable,
    NoFreeSlot,
    ServerUnreachable,
    Usage,
)
from config.models import ModelSettings

INVALID_REPLIES_MAX = 2
TIMEOUTS_MAX = 2
REJECTIONS_MAX = 10
"""A question ends after this many 429s, whatever wait each of them names: a server that names none, or too short a one,
is not asked for ever.
"""
_PAID_MAX = 3
"""A reply that broke off is paid for: a question ends after this many of them."""
_TRUSTED_WAITS = 2
"""After more rejections than this, the waits that the server names are too short."""

_T = TypeVar("_T")

_LONGEST_PAUSE_S = 8.0


class RetryBudget:
    """The remaining budget of one question: attempts, invalid replies and seconds.

    It is shared by all models of the fallback chain, so that a fallback does not start with a full budget. The first
    pause is between 0 and `backoff_s` seconds; the upper limit doubles with each further pause. The limiter enforces
    the wait that a 429 names, or this budget does if `keeps_waits`; the wait that any other failure names is always
    kept here. A question that `has_waited` for models that fail asks each of them once.
    """

    def __init__(
        self, attempts: int, deadline_s: float, backoff_s: float, *, keeps_waits: bool = False, has_waited: bool = False
    ) -> None:
        self.tries = 0
        self.invalid = 0
        self.fault = ""
        """The error in the text of the last reply, if it was not as asked for."""
        self.rejected = 0
        self.timeouts = 0
        self.paid = 0
        self.out_of_time = False
        self._attempts_left = attempts
        self._keeps_waits, self._has_waited = keeps_waits, has_waited
        self.ends_at = time.monotonic() + deadline_s
        self._backoff_s = backoff_s

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.ends_at - time.monotonic())

    @property
    def is_open(self) -> bool:
        """True if another try is allowed; it may have to wait."""
        return self.timeouts < TIMEOUTS_MAX and self.rejected < REJECTIONS_MAX and self._attempts_left > 0

    def spare_one(self) -> bool:
        """Allow one try of another model, unless there is no time for it."""
        self._attempts_left = max(1, self._attempts_left)
        return not self.out_of_time and self.seconds_left > 0

    async def run(self, attempt: Callable[[], Awaitable[_T]]) -> _T:
        """Await `attempt()` until it succeeds; raises its last ModelError when the budget allows no further try.

        Exceptions that mean that no call was made (CallDeferred, CircuitOpen) pass through and are not counted.
        """
        failures = 0
        while True:
            self.tries += 1
            try:
                return await attempt()
            except (CallDeferred, CircuitOpen):
                self.tries -= 1
                raise
            except (ModelUnavailable, ModelRateLimited, ModelReplyInvalid) as error:
                pause_s = self._pause_s(error, failures)
                if self._is_spent(error, pause_s):
                    raise
            failures += 1
            await asyncio.sleep(pause_s)

    def _pause_s(self, error: ModelError, failures: int) -> float:
        """Return the pause after an error that had `failures` before it."""
        named_s = error.retry_after_s or 0.0
        longest_s = min(_LONGEST_PAUSE_S, self._backoff_s * 2.0**failures)
        if not isinstance(error, ModelRateLimited):
            return max(named_s, _up_to(longest_s))
        # The limiter knows the wait, and which call goes first after it.
        kept_s = named_s if self._keeps_waits else 0.0
        # Calls that were rejected together must not return together.
        return kept_s + _up_to(self._backoff_s if named_s and self.rejected <= _TRUSTED_WAITS else longest_s)

    def _is_spent(self, error: ModelError, pause_s: float) -> bool:
        """Count the error; return whether there is neither a try nor, after this pause, time left."""
        self._attempts_left -= not isinstance(error, ModelRateLimited)
        if isinstance(error, ModelReplyInvalid):
            self.invalid += 1
            # A reply without text is a fault of the server, which no hint to the model mends.
            self.fault = str(error) if error.text else ""
        self.timeouts += isinstance(error, ModelTimedOut)
        self.rejected += isinstance(error, ModelRateLimited)
        self.paid += isinstance(error, ModelUnavailable) and error.usage is not None
        most_rejected = _TRUSTED_WAITS if self._has_waited else REJECTIONS_MAX
        if self._attempts_left <= 0 or self.invalid >= INVALID_REPLIES_MAX:
            return True
        if self.timeouts >= TIMEOUTS_MAX or self.rejected >= most_rejected or self.paid >= _PAID_MAX:
            return True
        if self._has_waited and isinstance(error, ModelUnavailable):
            return True
        self.out_of_time = pause_s >= self.seconds_left
        return self.out_of_time


def _up_to(longest_s: float) -> float:
    return random.uniform(0, longest_s)  # noqa: S311 - no secret


T = TypeVar("T")
HEDGE_MIN_S = 0.4
"""No judgement counts as late before this many seconds."""


@dataclass(frozen=True, slots=True)
class Attempt(Generic[T]):
    """`number` counts from 1. The attempt ends at `ends_at`; at most `patience_s` seconds of it are spent waiting for
    the limiter.
    """

    question: Question[T]
    request: ModelRequest
    number: int
    ends_at: float
    patience_s: float
    hedged: bool = False

    @property
    def may_be_hedged(self) -> bool:
        # Only judgements by the fast role are asked twice: streams are watched while they grow.
        return isinstance(self.question.task, Judgement) and self.question.task.role == "fast"

    def second(self) -> "Attempt[T]":
        return replace(self, patience_s=0.0, hedged=True)


@dataclass(frozen=True, slots=True)
class _Place:
    """A call that may start: the breaker's permission, and the limiter's lease, None for a call that costs nothing.

    `least` is the minimum cost of a cancelled call, that of its prompt.
    """

    permission: Pass
    lease: Lease | None
    least: Usage


class _ByModel(dict[str, T]):
    """Makes the object of a model when it is first asked for."""

    def __init__(self, make: Callable[[str], T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, model: str) -> T:
        self[model] = self._make(model)
        return self[model]


class Caller:
    """Makes the calls of a process."""

    def __init__(self, model: ChatModel, settings: ModelSettings, limiter: Limiter, cache: ReplyCache) -> None:
        self._model = model
        self._limiter = limiter
        self._cache = cache
        self.has_reached_server = False
        self._breakers = _ByModel(lambda model: Breaker(model, settings.breaker))
        self._hedges = Hedges(settings.hedge_share, HEDGE_MIN_S)
        self._slots = _ByModel(lambda _: Slots(settings.concurrency))

    async def make(self, attempt: Attempt[T]) -> T:
        """Return the value of a valid reply. Raises ModelError, and CircuitOpen and CallDeferred if it made no call."""
        with Slot(self._slots_of(attempt), attempt.ends_at) as slot:
            place = await self._place(attempt, slot)
            late_after: float | None = None
            if place.lease is not None and not place.permission.is_probe and attempt.may_be_hedged:
                late_after = self._hedges.delay_s(_kind(attempt.request))
            if late_after is None:
                return await self._call(attempt, place)
            return await self._race(attempt, place, late_after)

    def failing_s(self, model: str) -> float:
        """The number of seconds for which the model has failed, see Breaker."""
        return self._breaker(model).failing_s

    def answered_at(self, model: str) -> float:
        """The time of the model's last answer, see Breaker."""
        return self._breaker(model).answered_at

    async def _place(self, attempt: Attempt[T], slot: Slot) -> _Place:
        if self._model.reserves(attempt.request):
            # The slot comes first: a call that waits for one holds no tokens that others could use, and its time has
            # not begun.
            await slot.take()
        permission = self._breaker(attempt.request.model).enter()
        return await self._leased(attempt, permission, slot)

    async def _leased(self, attempt: Attempt[T], permission: Pass, slot: Slot) -> _Place:
        request, terms = attempt.request, attempt.question.log.terms
        tokens = self._model.reserves(request)
        least = Usage(prompt_tokens=max(0, tokens - request.max_tokens), estimated=True)
        if not tokens:
            return _Place(permission, None, least)
        priority = Priority(terms.is_batch, terms.since)
        patience_s = min(attempt.patience_s, max(0.0, attempt.ends_at - time.monotonic()))
        lease = await self._limiter.acquire(request.model, tokens, priority, patience_s=patience_s, sleep=slot.sleep)
        return _Place(permission, lease, least)

    def _slots_of(self, attempt: Attempt[Any]) -> Slots:
        return self._slots[attempt.request.model]

    def _breaker(self, model: str) -> Breaker:
        return self._breakers[model]

    async def _race(self, attempt: Attempt[T], place: _Place, late_after: float) -> T:
        """Make the call, and a second one when it is late. The first usable reply wins, and the other call is
        cancelled.
        """
        started = time.perf_counter()
        first = asyncio.create_task(self._call(attempt, place))
        calls = [first]
        slot = Slot(self._slots_of(attempt), attempt.ends_at)
        try:
            await asyncio.wait(calls, timeout=late_after)
            if not first.done() and (another := await self._second_place(attempt, slot)):
                calls.append(asyncio.create_task(self._call(attempt.second(), another)))
            return await _first_value(calls)
        finally:
            if not first.done():
                self._hedges.note(_kind(attempt.request), time.perf_counter() - started)
            for call in calls:
                call.cancel()
            with slot:
                await asyncio.gather(*calls, return_exceptions=True)

    async def _second_place(self, attempt: Attempt[T], slot: Slot) -> _Place | None:
        if not self._breaker(attempt.request.model).is_closed or not self._hedges.take():
            return None
        if not await slot.take_now():
            self._hedges.give_back()
            return None
        try:
            return await self._leased(attempt.second(), Pass(), slot)
        except CallDeferred:
            slot.give_back()
            self._hedges.give_back()
            return None

    async def _call(self, attempt: Attempt[T], place: _Place) -> T:
        question = attempt.question
        # The time is computed here, because waiting for a slot and a lease used part of it. A reply that is still
        # coming may take all of the time that is left.
        request = replace(attempt.request, whole_s=max(0.0, attempt.ends_at - time.monotonic()))
        recorder, answered_before = self._recorder(attempt, request), self._slots_of(attempt).answered
        outcome: ModelReply | ModelError | None = None
        try:
            outcome = reply = await question.fetch(request)
            value = question.read(reply)
            if question.key is not None:
                # The reply is stored first, because it is paid for and the steps below may be cancelled.
                self._cache.put(question.key, reply, recorder.record_of(reply), question.log)
        except ModelError as error:
            outcome = error
            raise
        except asyncio.CancelledError:
            # The cost of the call is unknown, but it must be recorded.
            recorder.ended(ModelUnavailable("stopped before its end", usage=place.least))
            raise
        finally:
            if outcome is not None and not _was_cut_short(outcome, attempt.request, request):
                self._slots_of(attempt).note(outcome, recorder.seconds, request.timeout_s, answered_before)
            await self._ended(attempt, place, recorder, outcome)
        if place.lease is not None:
            self._hedges.note(_kind(request), recorder.seconds)
        return value

    def _recorder(self, attempt: Attempt[T], request: ModelRequest) -> Recorder:
        question = attempt.question
        return Recorder(
            add=question.log.records.append,
            provider=self._model.provider,
            request=request,
            item=question.item,
            attempt=attempt.number,
            hedged=attempt.hedged,
            started=time.perf_counter(),
        )

    async def _ended(
        self, attempt: Attempt[T], place: _Place, recorder: Recorder, outcome: ModelReply | ModelError | None
    ) -> None:
        if outcome is not None:
            recorder.ended(outcome)
            self.has_reached_server |= not isinstance(outcome, ServerUnreachable | NoFreeSlot)
            if not _was_cut_short(outcome, attempt.request, recorder.request):
                self._breaker(attempt.request.model).leave(place.permission, outcome)
        if place.lease is not None:
            await self._limiter.settle(place.lease, outcome)


def _kind(request: ModelRequest) -> tuple[str, str]:
    return request.model, request.prompt


def _was_cut_short(outcome: ModelReply | ModelError, wanted: ModelRequest, given: ModelRequest) -> bool:
    # Our own deadline may have ended the call early; the outcome then says nothing about the model.
    unanswered = isinstance(outcome, ModelUnavailable) and outcome.status is None
    return unanswered and given.whole_s is not None and given.whole_s < wanted.timeout_s


async def _first_value(calls: Iterable["asyncio.Task[T]"]) -> T:
    """The value of the first call that succeeds. If none does, the error of the first call is raised."""
    calls, waiting = list(calls), set[asyncio.Task[Any]](calls)
    while waiting:
        done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for call in done:
            if call.exception() is None:
                return call.result()
    return calls[0].result()
