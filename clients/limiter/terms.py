"""The terms on which worker processes share the limits of an account."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LimiterTerms:
    """All times are in seconds. Operators set `margin` and `longest_wait_s` (`config.models.LimiterSettings`)."""

    margin: float = 0.02
    longest_wait_s: float = 60.0
    lease_s: float = 60.0
    """After this long, the holder of a reservation counts as dead."""
    probe_s: float = 5.0
    """The time for which the first call to an unknown model runs alone."""
    keep_place_s: float = 20.0
    """The time for which a deferred call keeps its place after it was due."""
    seen_s: float = 60.0
    """After this long without a sign, a process no longer counts as sharing the limits."""
    timeout_s: float = 0.5
    """Without a reply from Redis for this long, a process continues alone."""
    again_s: float = 3.0
    """The time for which a process continues alone before it asks Redis again."""
    alone_share: float = 0.25
    """The share of the limits that a process uses alone if it does not know the number of processes."""
