"""Measures against models that fail: a circuit breaker per model, and the waits of a question before it gives up.

Only ModelUnavailable counts as a failure: refusals and invalid replies prove that the model is up. So do 429s, but many
of them without an answer in between open the circuit as a few failures do. From then on only the breaker's probes reach
the server, whichever question asks: calls that the server always refuses cost only a few tries.

A question that no model answers is put off and asked again while its terms leave time. Each wait is about twice as
long as the one before. So the number of calls grows with the logarithm of the outage's length and, once the longest
wait is reached, with that length divided by the longest wait. A process remembers its waiting questions by their text;
another process starts with short waits.
"""

import math
import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import structlog

from citewell_verify.judging.statement import Failure
from clients.llm.protocol import (
    CallDeferred,
    ModelError,
    ModelRateLimited,
    ModelReply,
    ModelUnavailable,
    NoFreeSlot,
    Terms,
)
from clients.telemetry import meter
from clients.telemetry.meter import METER, OPEN_CIRCUITS
from config.models import BreakerSettings

log = structlog.get_logger()

PROBE_S = 1.0
"""The time for one probe before the next may be sent: a hanging probe must not keep the circuit open."""

WINDOW_S = 10.0
"""The period in which calls count."""
_SHARE = 0.75
"""The share of failed calls that opens the circuit; below it, second tries mostly succeed."""
_IN_A_ROW, _FAILURE, _REJECTION = 12, 3, 1
"""Four failures without an answer in between open it, too, or twelve 429s: a server that is full answers many with 429
between two that it serves, and loses questions if it is left alone then."""
_ONE_REJECTION_S = 0.5
"""429s within this time are answers to calls that were made at once, and count as one."""
_FAILURES_FORGOTTEN_AFTER_S = 30.0
"""Without a call for this long, earlier failures say nothing about the model: another process may have had answers."""


class CircuitOpen(Exception):
    """No call was made because the model fails; retry in `wait_s` seconds. The message is that of the last failure.

    `rejects`: since its last answer the server has sent nothing but 429s.
    """

    def __init__(self, wait_s: float, reason: str, *, rejects: bool = False) -> None:
        super().__init__(reason)
        self.wait_s, self.rejects = wait_s, rejects


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
        self._in_a_row = 0
        self._rejected_at = -math.inf
        self._rejects = False
        self._pause_s = limits.open_s
        self._asked_again_at: float | None = None
        self._reason = ""
        self._failing_since: float | None = None
        self._failed_at = 0.0
        self.answered_at = -math.inf
        """The time of the last call that did not fail, by the breaker's clock."""

    @property
    def failing_s(self) -> float:
        """The number of seconds for which every call has failed; 0 if the last call succeeded, or failed long ago."""
        if self._failing_since is None or self._clock() - self._failed_at > _FAILURES_FORGOTTEN_AFTER_S:
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
            raise CircuitOpen(self._asked_again_at - now, self._reason, rejects=self._rejects)
        self._asked_again_at = now + PROBE_S
        return Pass(is_probe=True)

    def leave(self, permission: Pass, outcome: ModelReply | ModelError) -> None:
        if isinstance(outcome, NoFreeSlot):
            return
        now = self._clock()
        rejects = isinstance(outcome, ModelRateLimited)
        failed = rejects or isinstance(outcome, ModelUnavailable)
        if failed:
            self._note_failure(str(outcome), now, rejects=rejects)
        else:
            self._failing_since = None
            self._in_a_row = 0
            self.answered_at = now
        if permission.is_probe:
            self._judge_probe(failed=failed)
        elif self.is_closed:
            self._count(failed=failed and not rejects)

    def _note_failure(self, reason: str, now: float, *, rejects: bool) -> None:
        if now - self._failed_at > _FAILURES_FORGOTTEN_AFTER_S:
            self._in_a_row = 0
        if not rejects:
            self._failing_since = now - self.failing_s
        self._failed_at = now
        self._reason, self._rejects = reason, rejects and (self._rejects or not self._in_a_row)
        if not rejects:
            self._in_a_row += _FAILURE
        elif now - self._rejected_at >= _ONE_REJECTION_S:
            self._in_a_row += _REJECTION
            self._rejected_at = now

    def _judge_probe(self, *, failed: bool) -> None:
        if failed:
            if not self._rejects:
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
        is_down = self._in_a_row >= min(_IN_A_ROW, _FAILURE * self._limits.calls)
        if is_down or (len(self._ended) >= self._limits.calls and self._failures >= _SHARE * len(self._ended)):
            self._asked_again_at = now + self._pause_s
            METER.set(OPEN_CIRCUITS, 1.0, self._model)
            METER.count(meter.CIRCUIT_OPENED, self._model)
            log.warning("circuit_opened", model=self._model, failures=self._failures, calls=len(self._ended))
            # Outcomes from before the pause say nothing about the time after it.
            self._ended.clear()
            self._failures = self._in_a_row = 0


_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 15.0
_LONGEST_WAIT_AFTER_COST_S = 60.0
"""After a call that the provider may charge for, such as one whose connection broke, the waits grow further."""
_JITTER = 0.25
_UNREACHED_S = 60.0
"""The longest wait for a server that this process has never reached: its address is likely wrong."""
_WAITS_FOR_SLOW = 1
"""A question whose calls all took too long is asked again at most this often: a model may still have been loading."""
_WAITS_BESIDE_ANSWERS = 5
"""After so many failures, while the same model answers others or answers with an error in place of a reply, a question
is itself what the model cannot answer."""
_FORGOTTEN_AFTER_S = 30.0
"""A question that is this much later than its next try was answered elsewhere meanwhile, or has ended."""
_MOST_REMEMBERED = 10_000

Key = tuple[str, str, str]
"""The query, the prompt and the hash of its text."""


class Outage(Exception):
    """No model of the chain answers for now. `least_s`: the earliest time for another try, in seconds. `too_slow`: a
    call takes longer than it may. `unreached`: there was never a connection. `answered`: the server is up, and what it
    answers is an error.
    """

    def __init__(
        self,
        failure: Failure,
        *,
        least_s: float = 0.0,
        may_have_cost: bool = False,
        too_slow: bool = False,
        unreached: bool = False,
        answered: bool = False,
        unasked: bool = False,
    ) -> None:
        self.unasked = unasked
        super().__init__(failure.reason)
        self.failure, self.least_s, self.may_have_cost = failure, least_s, may_have_cost
        self.too_slow, self.unreached, self.answered = too_slow, unreached, answered

    def beside(self, later: "Outage") -> "Outage":
        """The joint outage of two models of a chain: this outage and that of the `later` model."""
        failure = replace(later.failure, reason=f"{self.failure.reason}; {later.failure.reason}")
        return Outage(
            failure,
            least_s=min(self.least_s, later.least_s),
            may_have_cost=self.may_have_cost or later.may_have_cost,
            too_slow=self.too_slow and later.too_slow,
            unreached=self.unreached and later.unreached,
            answered=self.answered and later.answered,
        )


@dataclass(slots=True)
class _Waiting:
    since: float
    waits: int = 0
    asked: int = 0
    due_at: float = math.inf


@dataclass(slots=True)
class Outages:
    """The waiting questions of one process. `clock` is monotonic, in seconds."""

    clock: Callable[[], float] = time.monotonic
    _waiting: dict[Key, _Waiting] = field(default_factory=dict[Key, _Waiting])

    def has_waited(self, key: Key) -> bool:
        if (waiting := self._waiting.get(key)) and self.clock() > waiting.due_at + _FORGOTTEN_AFTER_S:
            self.end(key)
        return key in self._waiting

    def end(self, key: Key) -> None:
        self._waiting.pop(key, None)

    def put_off(
        self, key: Key, outage: Outage, terms: Terms, *, failing_s: float, answered_at: float = -math.inf
    ) -> Failure:
        """Raise CallDeferred with the wait before the next try; return the failure if the terms leave no time for it.

        `failing_s`: the time for which no model has answered. `answered_at`: the time of the last answer of any model.
        """
        if terms.patience_s is None:
            return outage.failure
        now = self.clock()
        waiting = self._waiting.setdefault(key, _Waiting(now))
        most_s = _LONGEST_WAIT_AFTER_COST_S if outage.may_have_cost else _LONGEST_WAIT_S
        wait_s = min(_FIRST_WAIT_S * 2**waiting.waits, most_s) * random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311
        wait_s = max(wait_s, min(outage.least_s, _LONGEST_WAIT_AFTER_COST_S))
        lasted_s = max(failing_s, now - waiting.since)
        has_answers = outage.answered or answered_at > waiting.since
        is_its_own_fault = waiting.asked >= _WAITS_BESIDE_ANSWERS and has_answers
        is_too_late = terms.last_try_at is not None and now + wait_s >= terms.last_try_at
        longest_s = min(terms.outage_s, _UNREACHED_S) if outage.unreached else terms.outage_s
        is_slow = outage.too_slow and waiting.waits >= _WAITS_FOR_SLOW
        if is_its_own_fault or is_too_late or is_slow or lasted_s >= longest_s:
            self.end(key)
            failure = outage.failure
            if not waiting.waits:
                return failure
            return replace(failure, reason=f"{failure.reason} (tried again for {now - waiting.since:.0f} s)")
        waiting.waits += 1
        waiting.asked += not outage.unasked
        waiting.due_at = now + wait_s
        if len(self._waiting) > _MOST_REMEMBERED:
            self.end(next(iter(self._waiting)))
        raise CallDeferred(wait_s, outage.failure.reason)
