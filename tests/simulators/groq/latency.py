"""The provider's latency, drawn from the distribution of real answers; the same seed gives the same times."""

import random
from dataclasses import dataclass

from tests.simulators.groq.catalogue import ModelSpec


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds, unscaled."""

    network_s: float
    queue_s: float
    prompt_s: float
    reasoning_s: float
    per_token_s: float

    @property
    def until_read_s(self) -> float:
        return self.network_s + self.queue_s + self.prompt_s


@dataclass(frozen=True, slots=True)
class LatencyModel:
    """`spread` is the sigma of the lognormal queue time; a share `tail` of the calls is `tail_factor` times slower.

    `queue_s` and `tokens_per_s` override the catalogue's values for every model.
    """

    network_s: float = 0.03
    prefill_tokens_per_s: float = 21_000.0
    spread: float = 0.3
    tail: float = 0.01
    tail_factor: float = 5.0
    queue_s: float | None = None
    tokens_per_s: float | None = None

    def draw(self, rng: random.Random, spec: ModelSpec, *, uncached: int, reasoning: int) -> Timing:
        """The times of a call with these numbers of prompt tokens to read and reasoning tokens to think."""
        slow = self.tail_factor if rng.random() < self.tail else 1.0
        per_token = 1 / (self.tokens_per_s or spec.tokens_per_s)
        median = spec.queue_s if self.queue_s is None else self.queue_s
        return Timing(
            network_s=self.network_s,
            queue_s=slow * median * rng.lognormvariate(0, self.spread),
            prompt_s=0.008 + uncached / self.prefill_tokens_per_s,
            reasoning_s=reasoning * per_token,
            per_token_s=per_token * slow,
        )
