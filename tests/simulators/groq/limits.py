"""Rate limits by the provider's own rules: a leaky bucket per organisation, model and kind.

A bucket holds `limit` and drains `limit / window` per second; `wait = (used + requested - limit) / limit * window`.
Limits run in real time, regardless of TIME_SCALE.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.simulators.groq import errors

_MINUTE, _DAY = 60.0, 86_400.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Per minute and per day; None means no limit. The defaults are a developer account's."""

    rpm: int | None = 1_000
    rpd: int | None = 500_000
    tpm: int | None = 250_000
    tpd: int | None = None
    give_back: bool = True

    @classmethod
    def none(cls) -> "Limits":
        return cls(rpm=None, rpd=None, tpm=None)


@dataclass(slots=True)
class Bucket:
    """The use of one limit at time `at`; `drained` is all that ever ran through."""

    name: str
    about: str
    limit: int
    window_s: float
    level: float = 0.0
    at: float = 0.0
    drained: float = 0.0

    def drain(self, now: float) -> None:
        gone = min(self.level, (now - self.at) * self.limit / self.window_s)
        self.level -= gone
        self.drained += gone
        self.at = now

    def wait_s(self, amount: float) -> float:
        return max(0.0, (self.level + amount - self.limit) / self.limit * self.window_s)

    def headers(self) -> dict[str, str]:
        remaining = max(0, math.floor(self.limit - self.level))
        return {
            f"x-ratelimit-limit-{self.about}": str(self.limit),
            f"x-ratelimit-remaining-{self.about}": str(remaining),
            f"x-ratelimit-reset-{self.about}": go_duration((self.limit - remaining) / self.limit * self.window_s),
        }


@dataclass(slots=True)
class Meter:
    """All limits of one organisation for one model."""

    org: str
    model: str
    limits: Limits
    clock: Callable[[], float] = time.monotonic
    buckets: list[Bucket] = field(init=False)

    def __post_init__(self) -> None:
        kinds = (
            ("requests per minute (RPM)", "requests", self.limits.rpm, _MINUTE),
            ("requests per day (RPD)", "requests", self.limits.rpd, _DAY),
            ("tokens per minute (TPM)", "tokens", self.limits.tpm, _MINUTE),
            ("tokens per day (TPD)", "tokens", self.limits.tpd, _DAY),
        )
        self.buckets = [
            Bucket(name, about, limit, window, at=self.clock()) for name, about, limit, window in kinds if limit
        ]

    def admit(self, tokens: int) -> None:
        """Reserve one request of `tokens` in every bucket, or none and raise the 413 or 429."""
        now = self.clock()
        amounts = [(bucket, 1 if bucket.about == "requests" else tokens) for bucket in self.buckets]
        for bucket, amount in amounts:
            bucket.drain(now)
            if amount > bucket.limit:
                raise errors.too_large(self.model, self.org, bucket.name, bucket.limit, amount)
        for bucket, amount in amounts:
            if wait := bucket.wait_s(amount):
                raise self._refusal(bucket, amount, wait)
        self._add(requests=1, tokens=tokens)

    def settle(self, reserved: int, used: int) -> None:
        """Return the unused part of a reservation."""
        if self.limits.give_back or used > reserved:
            self._add(requests=0, tokens=used - reserved)

    def headers(self) -> dict[str, str]:
        """RPD and TPM; no header reports RPM or TPD."""
        shown = {"requests per day (RPD)", "tokens per minute (TPM)"}
        return {k: v for bucket in self.buckets if bucket.name in shown for k, v in bucket.headers().items()}

    def _add(self, *, requests: int, tokens: int) -> None:
        for bucket in self.buckets:
            bucket.level = max(0.0, bucket.level + (requests if bucket.about == "requests" else tokens))

    def _refusal(self, bucket: Bucket, amount: int, wait: float) -> errors.ApiError:
        message = (
            f"Rate limit reached for model `{self.model}` in organization `{self.org}` service tier `on_demand` on "
            f"{bucket.name}: Limit {bucket.limit}, Used {bucket.level:.0f}, Requested {amount}. "
            f"Please try again in {go_duration(wait)}."
        )
        return errors.rate_limited(message, bucket.about, str(math.ceil(wait)))


def go_duration(seconds: float) -> str:
    """The duration in Go's format: `1m26.4s`, `36.27s`, `1ms`."""
    if seconds < 1:
        return f"{round(seconds * 1000, 3):g}ms"
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    return (f"{hours}h" if hours else "") + (f"{minutes}m" if hours or minutes else "") + f"{round(rest, 3):g}s"
