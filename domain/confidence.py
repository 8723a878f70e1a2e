"""Confidence in an answer from the states of its claims (S2.2)."""

from collections.abc import Sequence
from enum import StrEnum

from domain.verdicts import SentenceStatus

_STEP = 0.1
_UNSUPPORTED = (SentenceStatus.UNSUPPORTED, SentenceStatus.CONTRADICTED)


class ConfidenceLevel(StrEnum):
    """Row S2.2's names."""

    HIGH = "High"
    MEDIUM = "Medium"
    LOW = "Low"
    VERY_LOW = "Very Low"


def confidence(states: Sequence[SentenceStatus]) -> float | None:
    """Row S2.2: `supported/total - 0.1 * unsupported`, plus 0.1 when none is unsupported; within 0..1.

    Sentences without a claim do not count. What was not checked counts in the total but not as supported, and then
    there is no bonus: nobody knows that none is unsupported (N4). None for an answer without claims (S2.6).
    """
    claims = [state for state in states if state is not SentenceStatus.NO_CLAIM]
    if not claims:
        return None
    unsupported = sum(state in _UNSUPPORTED for state in claims)
    certain = not unsupported and SentenceStatus.NOT_CHECKED not in claims
    score = claims.count(SentenceStatus.SUPPORTED) / len(claims) - _STEP * unsupported + (_STEP if certain else 0.0)
    return min(max(score, 0.0), 1.0)


def level(score: float | None) -> ConfidenceLevel | None:
    """High from 0.9, Medium from 0.7, Low from 0.5, else Very Low; None without a score."""
    if score is None:
        return None
    # Sums of tenths: 0.8 + 0.1 must not miss 0.9 by a rounding error.
    rounded = round(score, 9)
    steps = ((0.9, ConfidenceLevel.HIGH), (0.7, ConfidenceLevel.MEDIUM), (0.5, ConfidenceLevel.LOW))
    return next((name for least, name in steps if rounded >= least), ConfidenceLevel.VERY_LOW)
