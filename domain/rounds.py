"""Corrective rounds: when an answer gets another one, and which attempt is kept in the end (S2.3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Draft = Literal["complete", "unanswerable", "abstained", "failed", "none"]
"""What a round wrote: an answer, one that the sources do not support as a whole (S3.4), "I don't know", or nothing."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One round. `confidence` is that of its answer, None without claims; `gaps` how many claims lack support."""

    round: int
    draft: Draft
    confidence: float | None
    gaps: int


def needs_correction(attempt: Attempt, threshold: float, max_attempts: int) -> bool:
    """Row S2.3: an answer below the `threshold` with claims that lack support, while rounds are left.

    Without such claims there is nothing to search for: a low score then comes from checks that did not happen.
    """
    if attempt.draft not in ("complete", "unanswerable") or attempt.round >= max_attempts or not attempt.gaps:
        return False
    return attempt.confidence is not None and round(attempt.confidence, 9) < threshold


def best_round(attempts: Sequence[Attempt]) -> int:
    """Row S2.3: the round to publish; the earlier of equals.

    An answer with some support beats "I don't know" (and what would become it), that beats an answer with none, and
    anything beats a failure.
    Raises ValueError without attempts.
    """
    return max(attempts, key=lambda attempt: (*_worth(attempt), -attempt.round)).round


def _worth(attempt: Attempt) -> tuple[int, float]:
    if attempt.draft == "complete":
        confidence = attempt.confidence
        return (3, 0.0 if confidence is None else confidence) if confidence != 0 else (1, 0.0)
    return (0, 0.0) if attempt.draft == "failed" else (2, 0.0)
