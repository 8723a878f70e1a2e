"""Retry policy of model calls, declared once.

| failure                 | retried                                                                     |
|-------------------------|-----------------------------------------------------------------------------|
| ModelUnavailable        | until the attempts are used up; later again (clients.llm.calling.outages)   |
| ModelTimedOut           | once: the next try most likely takes as long; later again                   |
| ModelRateLimited        | REJECTIONS_MAX times, when the limiter permits; uses up no attempt; later   |
|                         | again                                                                       |
| ModelReplyInvalid       | once, with more tokens and with what was wrong (`fault`): each try is paid  |
| ModelGone, ModelRefused | never: the answer would be the same                                         |
| CallDeferred            | not here: nothing was sent                                                  |
| CircuitOpen             | not here: nothing was sent                                                  |
"""

import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random, wait_random_exponential

from clients.llm.calling.breaker import CircuitOpen
from clients.llm.protocol import (
    CallDeferred,
    ModelError,
    ModelRateLimited,
    ModelReplyInvalid,
    ModelTimedOut,
    ModelUnavailable,
)

INVALID_REPLIES_MAX = 2
TIMEOUTS_MAX = 2
REJECTIONS_MAX = 10
"""A question ends after this many 429s, whatever wait each of them names: a server that names none, or too short a one,
is not asked for ever.
"""
_TRUSTED_WAITS = 2
"""After more rejections than this, the waits that the server names are too short."""

_T = TypeVar("_T")

_LONGEST_PAUSE_S = 8.0


class RetryBudget:
    """The remaining budget of one question: attempts, invalid replies and seconds.

    It is shared by all models of the fallback chain, so that a fallback does not start with a full budget. The first
    pause is between 0 and `backoff_s` seconds; the upper limit doubles with each further one. The wait that a 429 names
    is enforced by the limiter, or here if `keeps_waits`; that of any other failure is kept here. A question that
    `has_waited` for models that fail asks each of them once.
    """

    def __init__(
        self, attempts: int, deadline_s: float, backoff_s: float, *, keeps_waits: bool = False, has_waited: bool = False
    ) -> None:
        self.tries = 0
        self.invalid = 0
        self.fault = ""
        """What was wrong with the text of the last reply, when it was not the one that was asked for."""
        self.rejected = 0
        self.timeouts = 0
        self.out_of_time = False
        self._attempts_left = attempts
        self._keeps_waits, self._has_waited = keeps_waits, has_waited
        self.ends_at = time.monotonic() + deadline_s
        self._backoff = wait_random_exponential(multiplier=backoff_s, max=_LONGEST_PAUSE_S)
        # Calls that were rejected together must not return together.
        self._spread = wait_random(0, backoff_s)
        self._retrying = AsyncRetrying(
            retry=retry_if_exception_type((ModelUnavailable, ModelRateLimited, ModelReplyInvalid)),
            wait=self._pause,
            stop=self._spent,
            reraise=True,
        )

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.ends_at - time.monotonic())

    @property
    def is_open(self) -> bool:
        """Whether another try is allowed, though it may have to wait."""
        return self.timeouts < TIMEOUTS_MAX and self.rejected < REJECTIONS_MAX and self._attempts_left > 0

    def spare_one(self) -> bool:
        """Allow one try of another model, unless there is no time for it."""
        self._attempts_left = max(1, self._attempts_left)
        return not self.out_of_time and self.seconds_left > 0

    async def run(self, attempt: Callable[[], Awaitable[_T]]) -> _T:
        """Await `attempt()` until it succeeds; raises its last ModelError when the budget does not allow another.

        Exceptions without a call (CallDeferred, CircuitOpen) pass through and are not counted.
        """

        async def counted() -> _T:
            self.tries += 1
            try:
                return await attempt()
            except (CallDeferred, CircuitOpen):
                self.tries -= 1
                raise

        result: _T = await self._retrying(counted)
        return result

    def _pause(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        named_s = error.retry_after_s or 0.0 if isinstance(error, ModelError) else 0.0
        if not isinstance(error, ModelRateLimited):
            return max(named_s, self._backoff(state))
        # The limiter knows the wait, and who goes first after it.
        kept_s = named_s if self._keeps_waits else 0.0
        return kept_s + (self._spread(state) if named_s and self.rejected <= _TRUSTED_WAITS else self._backoff(state))

    def _spent(self, state: RetryCallState) -> bool:
        error = state.outcome.exception() if state.outcome else None
        self._attempts_left -= not isinstance(error, ModelRateLimited)
        if isinstance(error, ModelReplyInvalid):
            self.invalid += 1
            # Without words the server failed, about which a model can do nothing.
            self.fault = str(error) if error.text else ""
        self.timeouts += isinstance(error, ModelTimedOut)
        self.rejected += isinstance(error, ModelRateLimited)
        most_rejected = _TRUSTED_WAITS if self._has_waited else REJECTIONS_MAX
        if self._attempts_left <= 0 or self.invalid >= INVALID_REPLIES_MAX:
            return True
        if self.timeouts >= TIMEOUTS_MAX or self.rejected >= most_rejected:
            return True
        if self._has_waited and isinstance(error, ModelUnavailable):
            return True
        self.out_of_time = state.upcoming_sleep >= self.seconds_left
        return self.out_of_time
