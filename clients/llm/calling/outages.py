"""How long a question waits for models that fail, and when it gives up.

A question that no model answers is put off and asked again while its terms leave time. Each wait is about twice as
long as the one before, so the number of calls grows with the logarithm of an outage, and then with its length divided
by the longest wait. A process remembers its waiting questions by their text; another process starts with short waits.
"""

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from citewell_verify.judging.model import Failure
from clients.llm.protocol import CallDeferred, Terms

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
"""After so many failures, while the same model answers others, a question is itself what the model cannot answer."""
_FORGOTTEN_AFTER_S = 30.0
"""A question that is this much later than its next try was answered elsewhere meanwhile, or has ended."""
_MOST_REMEMBERED = 10_000

Key = tuple[str, str, str]
"""The query, the prompt and the hash of its text."""


class Outage(Exception):
    """No model of the chain answers for now. `least_s`: the earliest time for another try, in seconds. `too_slow`: a
    call takes longer than it may. `unreached`: there was never a connection.
    """

    def __init__(
        self,
        failure: Failure,
        *,
        least_s: float = 0.0,
        may_have_cost: bool = False,
        too_slow: bool = False,
        unreached: bool = False,
    ) -> None:
        super().__init__(failure.reason)
        self.failure, self.least_s, self.may_have_cost = failure, least_s, may_have_cost
        self.too_slow, self.unreached = too_slow, unreached

    def beside(self, later: "Outage") -> "Outage":
        """The outage of two models of a chain, this one and the `later` one."""
        failure = replace(later.failure, reason=f"{self.failure.reason}; {later.failure.reason}")
        return Outage(
            failure,
            least_s=min(self.least_s, later.least_s),
            may_have_cost=self.may_have_cost or later.may_have_cost,
            too_slow=self.too_slow and later.too_slow,
            unreached=self.unreached and later.unreached,
        )


@dataclass(slots=True)
class _Waiting:
    since: float
    waits: int = 0
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

        `failing_s`: for how long the models have answered nothing. `answered_at`: when one last answered.
        """
        if terms.patience_s is None:
            return outage.failure
        now = self.clock()
        waiting = self._waiting.setdefault(key, _Waiting(now))
        most_s = _LONGEST_WAIT_AFTER_COST_S if outage.may_have_cost else _LONGEST_WAIT_S
        wait_s = min(_FIRST_WAIT_S * 2**waiting.waits, most_s) * random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311
        wait_s = max(wait_s, min(outage.least_s, _LONGEST_WAIT_AFTER_COST_S))
        lasted_s = max(failing_s, now - waiting.since)
        is_its_own_fault = waiting.waits >= _WAITS_BESIDE_ANSWERS and answered_at > waiting.since
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
        waiting.due_at = now + wait_s
        if len(self._waiting) > _MOST_REMEMBERED:
            self.end(next(iter(self._waiting)))
        raise CallDeferred(wait_s, outage.failure.reason)
