"""A circuit breaker: stops calls to a model that mostly fails, and probes it after a pause.

Only ModelUnavailable counts as a failure: rate limits, refusals and invalid replies prove that the model is up.
"""

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from clients.llm.protocol import ModelError, ModelRateLimited, ModelReply, ModelUnavailable, NoFreeSlot
from clients.telemetry import families
from clients.telemetry.families import OPEN_CIRCUITS
from clients.telemetry.meter import METER
from config.models import BreakerSettings

log = structlog.get_logger()

PROBE_S = 1.0
"""Time for one probe before the next may go: a hanging probe must not keep the circuit open."""

WINDOW_S = 10.0
"""The period in which calls count."""
_SHARE = 0.5
"""The share of failed calls that opens the circuit."""
_FORGOTTEN_AFTER_S = 30.0
"""Without a call for this long, earlier failures say nothing about the model: another process may have had answers."""


class CircuitOpen(Exception):
    """No call was made because the model fails; retry in `wait_s` seconds. The message is the last failure's."""

    def __init__(self, wait_s: float, reason: str) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class Pass:
    """Permission for one call; the outcome of a probe decides whether the circuit closes."""

    is_probe: bool = False


class Breaker:
    """The circuit breaker of one model. `clock` is monotonic, in seconds."""

    def __init__(self, model: str, limits: BreakerSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._model = model
        self._limits = limits
        self._clock = clock
        self._ended: deque[tuple[float, bool]] = deque()
        self._failures = 0
        self._pause_s = limits.open_s
        self._asked_again_at: float | None = None
        self._reason = ""
        self._failing_since: float | None = None
        self._failed_at = 0.0
        self.answered_at = -math.inf
        """The time of the last call that did not fail, by the breaker's clock."""

    @property
    def failing_s(self) -> float:
        """For how many seconds every call has failed; 0 if the last one did not, or was long ago."""
        if self._failing_since is None or self._clock() - self._failed_at > _FORGOTTEN_AFTER_S:
            return 0.0
        return self._clock() - self._failing_since

    @property
    def is_closed(self) -> bool:
        return self._asked_again_at is None

    def enter(self) -> Pass:
        if self._asked_again_at is None:
            return Pass()
        now = self._clock()
        if now < self._asked_again_at:
            raise CircuitOpen(self._asked_again_at - now, self._reason)
        self._asked_again_at = now + PROBE_S
        return Pass(is_probe=True)

    def leave(self, permission: Pass, outcome: ModelReply | ModelError) -> None:
        if isinstance(outcome, NoFreeSlot):
            return
        failed = isinstance(outcome, ModelUnavailable)
        if failed:
            self._reason = str(outcome)
            self._failing_since, self._failed_at = self._clock() - self.failing_s, self._clock()
        else:
            self._failing_since = None
            if not isinstance(outcome, ModelRateLimited):
                self.answered_at = self._clock()
        if permission.is_probe:
            self._judge_probe(failed=failed)
        elif self.is_closed:
            self._count(failed=failed)

    def _judge_probe(self, *, failed: bool) -> None:
        if failed:
            self._pause_s = min(2 * self._pause_s, self._limits.longest_s)
            self._asked_again_at = self._clock() + self._pause_s
        elif not self.is_closed:
            self._asked_again_at = None
            self._pause_s = self._limits.open_s
            METER.set(OPEN_CIRCUITS, 0.0, self._model)
            log.info("circuit_closed", model=self._model)

    def _count(self, *, failed: bool) -> None:
        now = self._clock()
        self._ended.append((now, failed))
        self._failures += failed
        while self._ended[0][0] < now - WINDOW_S:
            self._failures -= self._ended.popleft()[1]
        if len(self._ended) >= self._limits.calls and self._failures >= _SHARE * len(self._ended):
            self._asked_again_at = now + self._pause_s
            METER.set(OPEN_CIRCUITS, 1.0, self._model)
            METER.count(families.CIRCUIT_OPENED, self._model)
            log.warning("circuit_opened", model=self._model, failures=self._failures, calls=len(self._ended))
            # Outcomes from before the pause say nothing about the time after it.
            self._ended.clear()
            self._failures = 0
