"""The body of a step while it runs: in this thread, or as a coroutine that may be stopped."""

import inspect
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Any, cast

from clients.llm.protocol import CallLog
from services.step import StepResult
from workers.runtime import Running


class Thought:
    """Runs `body` once; its model calls are those of `log`."""

    def __init__(self, body: Callable[[], StepResult | Coroutine[Any, Any, StepResult]], log: CallLog) -> None:
        self._body = body
        self._log = log
        self._begun: StepResult | Running[StepResult] | None = None
        self._is_stopped = False
        self._ended_ns = 0

    @property
    def ended_ns(self) -> int:
        """When it ended, Unix time in ns by this process's clock; now if it has not."""
        return self._ended_ns or time.time_ns()

    def begin(self) -> None:
        """Run it as far as this thread is needed for it: to its end, or until it is a coroutine on the loop."""
        if self._is_stopped:
            self._begun = StepResult({})
            return
        result = self._body()
        self._ended_ns = time.time_ns()
        self._begun = Running(self._settled(result)) if inspect.iscoroutine(result) else cast("StepResult", result)
        if self._is_stopped:
            self.stop()

    def result(self) -> StepResult:
        """Run it to its end. A stopped one has no values; what its model calls cost is in the context's log.

        Raises CallDeferred when a call has to wait, and whatever breaks it, after the calls that were under way beside
        it have ended.
        """
        if self._begun is None:
            self.begin()
        if not isinstance(self._begun, Running):
            return cast("StepResult", self._begun)
        try:
            return self._begun.result()
        except CancelledError:
            return StepResult({})

    def stop(self) -> None:
        """End it as soon as it waits for something; one that is not begun yet never begins."""
        self._is_stopped = True
        if isinstance(self._begun, Running):
            self._begun.stop()

    async def _settled(self, body: Coroutine[Any, Any, StepResult]) -> StepResult:
        try:
            return await body
        except Exception:
            # Whatever it is, the others are paid for: their records, and their replies, must not be lost. None of them
            # goes on to more.
            self._log.terms = replace(self._log.terms, ends_at=time.monotonic())
            await self._log.settled()
            raise
        finally:
            self._ended_ns = time.time_ns()
