"""Decides when a slow judgement is asked for a second time: late, rarely, and within a budget."""

from collections import defaultdict, deque

_SAMPLES = 200
_LEAST_SAMPLES = 20
_QUANTILE = 0.95
_MOST_SAVED = 10.0

Kind = tuple[str, str]
"""Model id and prompt: calls of one kind take similar times."""


class Hedges:
    """The hedges of one process. Each call earns `share` of an extra call; at most `_MOST_SAVED` extra calls are saved
    up, and none is made before `min_s` seconds.
    """

    def __init__(self, share: float, min_s: float) -> None:
        self._share = share
        self._min_s = min_s
        self._budget = 0.0
        self._seconds: defaultdict[Kind, deque[float]] = defaultdict(lambda: deque(maxlen=_SAMPLES))

    def delay_s(self, kind: Kind) -> float | None:
        """Seconds after which a call of this kind is late: the 95th percentile of recent calls; None if unknown.

        The delay grows, by up to half, as the budget gets emptier: otherwise the many slightly late calls would leave
        nothing for the few that hang. Each question earns its share of an extra call.
        """
        self._budget = min(self._budget + self._share, _MOST_SAVED)
        seconds = self._seconds[kind]
        if not self._share or len(seconds) < _LEAST_SAMPLES:
            return None
        scarcity = 1 - self._budget / _MOST_SAVED
        return max(self._min_s, sorted(seconds)[int(_QUANTILE * len(seconds))] * (1 + scarcity / 2))

    def note(self, kind: Kind, seconds: float) -> None:
        self._seconds[kind].append(seconds)

    def take(self) -> bool:
        if self._budget < 1.0:
            return False
        self._budget -= 1.0
        return True

    def give_back(self) -> None:
        self._budget += 1.0
