"""The seed's states of the claims of an answer (S2.1), and its confidence: a score of those states (S2.2).

It triggers corrective rounds, and `/chat` returns it. It counts verdicts and is no probability: the confidence that
users see is `citewell_verify.verdicts.answer_confidence`.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from citewell_verify.verdicts.states import SentenceStatus

_STEP = 0.1
_UNSUPPORTED = (SentenceStatus.UNSUPPORTED, SentenceStatus.CONTRADICTED)


class ClaimStatus(StrEnum):
    """The seed's three states; it writes them in capitals, so names are read in any case."""

    SUPPORTED = "supported"
    PARTIALLY_SUPPORTED = "partially_supported"
    UNSUPPORTED = "unsupported"

    @classmethod
    def _missing_(cls, value: object) -> "ClaimStatus | None":
        return next(
            (status for status in cls if isinstance(value, str) and value.strip().lower() == status.value), None
        )


_AS_CLAIM: Mapping[SentenceStatus, ClaimStatus] = MappingProxyType(
    {
        SentenceStatus.SUPPORTED: ClaimStatus.SUPPORTED,
        SentenceStatus.PARTIAL: ClaimStatus.PARTIALLY_SUPPORTED,
        SentenceStatus.CONTRADICTED: ClaimStatus.UNSUPPORTED,
        SentenceStatus.UNSUPPORTED: ClaimStatus.UNSUPPORTED,
    }
)


def claim_status(status: SentenceStatus) -> ClaimStatus | None:
    """Return the state of the claim that a sentence makes; None if it makes none or was not checked (N4)."""
    return _AS_CLAIM.get(status)


class ConfidenceLevel(StrEnum):
    """Row S2.2's names."""

    HIGH = "High"
    MEDIUM = "Medium"
    LOW = "Low"
    VERY_LOW = "Very Low"


def confidence_of(supported: int, unsupported: int, total: int, *, certain: bool = True) -> float | None:
    """Row S2.2: `supported/total - 0.1 * unsupported`, plus 0.1 when none is unsupported; within 0..1.

    `certain` is False when something was not checked: then there is no bonus, because an unchecked claim may be
    unsupported (N4). None for an answer without claims (S2.6).
    """
    if not total:
        return None
    bonus = _STEP if certain and not unsupported else 0.0
    # Sums of tenths: a score exactly at the threshold must not miss it by a rounding error.
    return round(min(max(supported / total - _STEP * unsupported + bonus, 0.0), 1.0), 9)


def confidence(states: Sequence[SentenceStatus]) -> float | None:
    """Row S2.2 for the sentences of an answer: `confidence_of` those that claim something.

    A contradicted one counts as unsupported. An unchecked one counts in the total but not as supported (N4).
    """
    claims = [state for state in states if state is not SentenceStatus.NO_CLAIM]
    unsupported = sum(state in _UNSUPPORTED for state in claims)
    certain = SentenceStatus.NOT_CHECKED not in claims
    return confidence_of(claims.count(SentenceStatus.SUPPORTED), unsupported, len(claims), certain=certain)


def claims_confidence(states: Sequence[ClaimStatus]) -> float | None:
    """Row S2.2 for claims that a model extracted from an answer; None when there are none (S2.6)."""
    return confidence_of(states.count(ClaimStatus.SUPPORTED), states.count(ClaimStatus.UNSUPPORTED), len(states))


def level(score: float | None) -> ConfidenceLevel | None:
    """High from 0.9, Medium from 0.7, Low from 0.5, else Very Low; None without a score."""
    if score is None:
        return None
    # Sums of tenths: 0.8 + 0.1 must not miss 0.9 by a rounding error.
    rounded = round(score, 9)
    steps = ((0.9, ConfidenceLevel.HIGH), (0.7, ConfidenceLevel.MEDIUM), (0.5, ConfidenceLevel.LOW))
    return next((name for least, name in steps if rounded >= least), ConfidenceLevel.VERY_LOW)
