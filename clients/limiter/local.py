"""The limiter's local fallback while Redis is down: the same rules for this process's share of every limit."""

import time
from bisect import insort
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from clients.limiter.feedback import RateLimitFeedback
from clients.limiter.protocol import LimiterTerms
from clients.limiter.request import KINDS, OF_TOKENS, Answer, Kind, Ticket

_ENOUGH = 1e-6
_MINUTE_S = 60


@dataclass(slots=True)
class _Buckets:
    """One model's buckets; `limits` are this process's share of the limits, `whole` the account's limits."""

    whole: dict[Kind, float]
    limits: dict[Kind, float]
    level: dict[Kind, float]
    at: float
    longest_wait_s: float
    granted_at: float = 0.0
    not_before: float = 0.0
    line: list[tuple[float, str, int]] = field(default_factory=list[tuple[float, str, int]])
    held: dict[str, int] = field(default_factory=dict[str, int])

    def drain(self, now: float) -> None:
        for kind, limit in self.limits.items():
            most = limit + self.longest_wait_s * limit / KINDS[kind]
            self.level[kind] = min(most, max(0.0, self.level[kind] - (now - self.at) * limit / KINDS[kind]))
        self.at = now

    def add(self, tokens: float, requests: float) -> None:
        for kind in self.limits:
            self.level[kind] = max(0.0, self.level[kind] + (tokens if kind in OF_TOKENS else requests))

    def full(self) -> dict[Kind, float]:
        return {kind: min(1.0, self.level[kind] / limit) for kind, limit in self.limits.items()}

    def leave(self, ticket_id: str) -> None:
        self.line = [ticket for ticket in self.line if ticket[1] != ticket_id]


class LocalAllowance:
    """`known` are the configured limits by model; `clock` is monotonic, in seconds."""

    def __init__(
        self,
        known: Mapping[str, Mapping[Kind, float]],
        terms: LimiterTerms,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._known = known
        self._terms = terms
        self._clock = clock
        self._observed: dict[str, tuple[float, Answer]] = {}
        self._buckets: dict[str, _Buckets] = {}
        self._sharers = 0

    def observe(self, model: str, answer: Answer) -> None:
        """Remember the shared state as the starting point of an outage."""
        self._observed[model] = (self._clock(), answer)
        self._sharers = answer.sharers or self._sharers

    def begin(self) -> None:
        """Start from the last known state when Redis has just gone down."""
        self._buckets.clear()

    def floor(self, model: str) -> dict[Kind, float] | None:
        """The buckets' fill levels after a time of local use; None if nothing was used locally."""
        buckets = self._buckets.get(model)
        if buckets is None:
            return None
        buckets.drain(self._clock())
        return buckets.full()

    def end(self, model: str) -> None:
        """Forget the local state: Redis counts for the model again, and knows the floor."""
        self._buckets.pop(model, None)

    def take(self, ticket: Ticket, patience_s: float) -> Answer:
        """Like SharedAllowance.take, without a place in line."""
        buckets = self._buckets_of(ticket.model)
        now = self._clock()
        buckets.drain(now)
        buckets.leave(ticket.id)
        wait = max(buckets.not_before - now, self._room_in(buckets, ticket))
        if not any((score, name) < (ticket.score, ticket.id) for score, name, _ in buckets.line):
            # As in the script, no reported limit delays the first call in line for longer.
            wait = min(wait, buckets.granted_at + self._terms.longest_wait_s - now)
        if wait <= 0:
            buckets.granted_at = now
            buckets.add(ticket.tokens, 1)
            buckets.held[ticket.id] = ticket.tokens
        elif wait <= patience_s:
            insort(buckets.line, (ticket.score, ticket.id, ticket.tokens))
        return Answer(granted=wait <= 0, poll=max(wait, 0.0) + 0.001, wait=max(wait, 0.0))

    def settle(self, lease_id: str, model: str, feedback: RateLimitFeedback) -> None:
        buckets = self._buckets.get(model)
        if buckets is None:
            return
        buckets.drain(self._clock())
        tokens = buckets.held.pop(lease_id, None)
        if tokens is not None and feedback.used is not None:
            buckets.add(feedback.used - tokens, 0)
        if feedback.refused is not None:
            buckets.not_before = max(buckets.not_before, self._clock() + feedback.refused)
            kind: Kind = feedback.kind or "tpm"
            if kind in buckets.limits:
                buckets.level[kind] = max(buckets.level[kind], buckets.limits[kind])
        self._learn(buckets, feedback)

    def leave(self, ticket: Ticket) -> None:
        buckets = self._buckets.get(ticket.model)
        if buckets is None:
            return
        buckets.leave(ticket.id)
        if (tokens := buckets.held.pop(ticket.id, None)) is not None:
            buckets.add(-tokens, -1)

    @property
    def _share(self) -> float:
        return 1 / self._sharers if self._sharers else self._terms.alone_share

    def _margin(self, kind: Kind) -> float:
        # For a day the margin would amount to half an hour.
        return self._terms.margin if KINDS[kind] <= _MINUTE_S else 0.0

    def _buckets_of(self, model: str) -> _Buckets:
        if model not in self._buckets:
            now = self._clock()
            observed_at, answer = self._observed.get(model, (now, Answer(limits=dict(self._known.get(model, {})))))
            buckets = _Buckets(dict(answer.limits), {}, {}, now, self._terms.longest_wait_s, now)
            for kind, limit in answer.limits.items():
                # For an unknown model assume the worst for this minute, but not for the whole day.
                unknown = 1.0 - self._margin(kind) if KINDS[kind] <= _MINUTE_S else 0.0
                full = max(0.0, answer.full.get(kind, unknown) - (now - observed_at) / KINDS[kind])
                buckets.limits[kind] = limit * self._share
                buckets.level[kind] = full * buckets.limits[kind]
            self._buckets[model] = buckets
        return self._buckets[model]

    def _room_in(self, buckets: _Buckets, ticket: Ticket) -> float:
        before = [tokens for score, name, tokens in buckets.line if (score, name) < (ticket.score, ticket.id)]
        waits = [0.0]
        for kind, limit in buckets.limits.items():
            if kind in OF_TOKENS and ticket.tokens > buckets.whole[kind]:
                return 0.0  # the server will reject it whatever is left
            ahead, amount = (sum(before), ticket.tokens) if kind in OF_TOKENS else (len(before), 1)
            cap = limit * (1 - self._margin(kind))
            missing = buckets.level[kind] + ahead + min(amount, cap) - cap
            waits.append(missing / limit * KINDS[kind] if missing > _ENOUGH else 0.0)
        return max(waits)

    def _learn(self, buckets: _Buckets, feedback: RateLimitFeedback) -> None:
        said: dict[Kind, int | None] = {
            "tpm": feedback.allowance.limit_tokens,
            "rpd": feedback.allowance.limit_requests,
        }
        for kind, limit in said.items():
            if limit:
                buckets.whole[kind] = float(limit)
                buckets.limits[kind] = limit * self._share
                buckets.level[kind] = min(buckets.level.get(kind, 0.0), buckets.limits[kind])
