"""The body of a step while it runs: in this thread, or as a coroutine that may be stopped."""

import inspect
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from typing import Any, cast

from services.step import StepResult
from workers.runtime import Running


class Thought:
    """Runs `body` once."""

    def __init__(self, body: Callable[[], StepResult | Coroutine[Any, Any, StepResult]]) -> None:
        self._body = body
        self._running: Running[StepResult] | None = None

    def result(self) -> StepResult:
        """Run it to its end. A stopped one has no values; what its model calls cost is in the context's log."""
        result = self._body()
        if not inspect.iscoroutine(result):
            return cast("StepResult", result)
        self._running = Running(result)
        try:
            return self._running.result()
        except CancelledError:
            return StepResult({})

    def stop(self) -> None:
        """End it as soon as it waits for something."""
        if self._running is not None:
            self._running.stop()
