"""Local fallback of the limiter while Redis is down: the same rules for this process's share of every limit."""

import time
from bisect import insort
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from clients.limiter.feedback import Told
from clients.limiter.request import KINDS, OF_TOKENS, Answer, Kind, Ticket
from config.limits import LimiterSettings

_ENOUGH = 1e-6
_MINUTE_S = 60


@dataclass(slots=True)
class _Own:
    """One model's buckets; `limits` are this process's share, `whole` the account's."""

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
        self.line = [each for each in self.line if each[1] != ticket_id]


class OwnAllowance:
    """`known` are the configured limits by model; `clock` is monotonic, in seconds."""

    def __init__(
        self,
        known: Mapping[str, Mapping[Kind, float]],
        settings: LimiterSettings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._known = known
        self._settings = settings
        self._clock = clock
        self._heard: dict[str, tuple[float, Answer]] = {}
        self._owns: dict[str, _Own] = {}
        self._sharers = 0

    def hear(self, model: str, answer: Answer) -> None:
        """Remember the last state of the shared allowance, as the starting point of an outage."""
        self._heard[model] = (self._clock(), answer)
        self._sharers = answer.sharers or self._sharers

    def begin(self) -> None:
        """Restart from the last known state: Redis has just gone down."""
        self._owns.clear()

    def floor(self, model: str) -> dict[Kind, float] | None:
        """Fill levels after a time of local use; None if nothing was used locally."""
        own = self._owns.get(model)
        if own is None:
            return None
        own.drain(self._clock())
        return own.full()

    def end(self, model: str) -> None:
        """Forget the model's local state: Redis counts for it again, and knows the floor."""
        self._owns.pop(model, None)

    def take(self, ticket: Ticket, patience_s: float) -> Answer:
        """As SharedAllowance.take, but keeps no place in line."""
        own = self._own(ticket.model)
        now = self._clock()
        own.drain(now)
        own.leave(ticket.id)
        wait = max(own.not_before - now, self._room_in(own, ticket))
        if not any((score, name) < (ticket.score, ticket.id) for score, name, _ in own.line):
            # As in the script: no reported limit delays the first in line for longer.
            wait = min(wait, own.granted_at + self._settings.longest_wait_s - now)
        if wait <= 0:
            own.granted_at = now
            own.add(ticket.tokens, 1)
            own.held[ticket.id] = ticket.tokens
        elif wait <= patience_s:
            insort(own.line, (ticket.score, ticket.id, ticket.tokens))
        return Answer(granted=wait <= 0, poll=max(wait, 0.0) + 0.001, wait=max(wait, 0.0))

    def settle(self, lease_id: str, model: str, told: Told) -> None:
        """Return unused tokens, and apply a refusal."""
        own = self._owns.get(model)
        if own is None:
            return
        own.drain(self._clock())
        tokens = own.held.pop(lease_id, None)
        if tokens is not None and told.used is not None:
            own.add(told.used - tokens, 0)
        if told.refused is not None:
            own.not_before = max(own.not_before, self._clock() + told.refused)
            kind: Kind = told.kind or "tpm"
            if kind in own.limits:
                own.level[kind] = max(own.level[kind], own.limits[kind])
        self._learn(own, told)

    def leave(self, ticket: Ticket) -> None:
        """Cancel a ticket, and return what it holds."""
        own = self._owns.get(ticket.model)
        if own is None:
            return
        own.leave(ticket.id)
        if (tokens := own.held.pop(ticket.id, None)) is not None:
            own.add(-tokens, -1)

    @property
    def _share(self) -> float:
        return 1 / self._sharers if self._sharers else self._settings.alone_share

    def _margin(self, kind: Kind) -> float:
        """The margin of a limit; for a day it would amount to half an hour, so there is none."""
        return self._settings.margin if KINDS[kind] <= _MINUTE_S else 0.0

    def _own(self, model: str) -> _Own:
        if model not in self._owns:
            now = self._clock()
            heard_at, answer = self._heard.get(model, (now, Answer(limits=dict(self._known.get(model, {})))))
            own = _Own(dict(answer.limits), {}, {}, now, self._settings.longest_wait_s, now)
            for kind, limit in answer.limits.items():
                # For an unknown model assume the worst for this minute, but not for the whole day.
                unheard = 1.0 - self._margin(kind) if KINDS[kind] <= _MINUTE_S else 0.0
                full = max(0.0, answer.full.get(kind, unheard) - (now - heard_at) / KINDS[kind])
                own.limits[kind] = limit * self._share
                own.level[kind] = full * own.limits[kind]
            self._owns[model] = own
        return self._owns[model]

    def _room_in(self, own: _Own, ticket: Ticket) -> float:
        before = [tokens for score, name, tokens in own.line if (score, name) < (ticket.score, ticket.id)]
        waits = [0.0]
        for kind, limit in own.limits.items():
            if kind in OF_TOKENS and ticket.tokens > own.whole[kind]:
                return 0.0  # the server will reject it whatever is left
            ahead, amount = (sum(before), ticket.tokens) if kind in OF_TOKENS else (len(before), 1)
            cap = limit * (1 - self._margin(kind))
            missing = own.level[kind] + ahead + min(amount, cap) - cap
            waits.append(missing / limit * KINDS[kind] if missing > _ENOUGH else 0.0)
        return max(waits)

    def _learn(self, own: _Own, told: Told) -> None:
        said: dict[Kind, int | None] = {"tpm": told.allowance.limit_tokens, "rpd": told.allowance.limit_requests}
        for kind, limit in said.items():
            if limit:
                own.whole[kind] = float(limit)
                own.limits[kind] = limit * self._share
                own.level[kind] = min(own.level.get(kind, 0.0), own.limits[kind])
