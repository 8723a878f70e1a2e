"""When a model call is tried again, declared once.

| what went wrong         | tried again                                                                 |
|-------------------------|-----------------------------------------------------------------------------|
| ModelUnavailable        | until the attempts are used up: the same request may work in a moment       |
| ModelRateLimited        | until the deadline, after the wait the server names; uses up no attempt     |
| ModelReplyInvalid       | twice: each try is paid for, and a prompt that fails thrice will fail again |
| ModelGone, ModelRefused | never: the same answer would come back                                      |
"""

import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random, wait_random_exponential

from clients.llm.protocol import ModelRateLimited, ModelReplyInvalid, ModelUnavailable

INVALID_REPLIES_MAX = 3

_T = TypeVar("_T")

_LONGEST_PAUSE_S = 8.0


class RetryBudget:
    """What one question to the models may still spend: attempts, invalid replies and seconds.

    It outlives a change of model, so that a fallback does not start with a full purse. The first pause is between 0 and
    `backoff_s` seconds, each further one up to twice as long.
    """

    def __init__(self, attempts: int, deadline_s: float, backoff_s: float) -> None:
        self.tries = 0
        self.invalid = 0
        self.out_of_time = False
        self._attempts_left = attempts
        self._ends_at = time.monotonic() + deadline_s
        self._backoff = wait_random_exponential(multiplier=backoff_s, max=_LONGEST_PAUSE_S)
        # Calls that were refused together must not come back together.
        self._spread = wait_random(0, backoff_s)
        self._retrying = AsyncRetrying(
            retry=retry_if_exception_type((ModelUnavailable, ModelRateLimited, ModelReplyInvalid)),
            wait=self._pause,
            stop=self._spent,
            reraise=True,
        )

    @property
    def seconds_left(self) -> float:
        """Time until the deadline, never below zero."""
        return max(0.0, self._ends_at - time.monotonic())

    async def run(self, attempt: Callable[[], Awaitable[_T]]) -> _T:
        """Await `attempt()` until it succeeds; raises its last ModelError when the budget does not allow another."""

        async def counted() -> _T:
            self.tries += 1
            return await attempt()

        result: _T = await self._retrying(counted)
        return result

    def _pause(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, ModelRateLimited) and error.retry_after_s is not None:
            return error.retry_after_s + self._spread(state)
        return self._backoff(state)

    def _spent(self, state: RetryCallState) -> bool:
        error = state.outcome.exception() if state.outcome else None
        self._attempts_left -= not isinstance(error, ModelRateLimited)
        self.invalid += isinstance(error, ModelReplyInvalid)
        if self._attempts_left <= 0 or self.invalid >= INVALID_REPLIES_MAX:
            return True
        self.out_of_time = state.upcoming_sleep >= self.seconds_left
        return self.out_of_time
