"""Confidence: that of a verifier, calibrated to the probability that it is right (N8), and that of an answer, as the
seed's score of its claims' states (S2.1, S2.2) and as one probability (V9).

Platt scaling (Platt 1999): the log-odds are stretched and shifted. The parameters of a verifier are data, fitted on
labelled pairs and versioned; a verifier without such data is reported as uncalibrated.

The seed's score triggers corrective rounds, and `/chat` returns it. It counts verdicts and is no probability; users see
the calibrated probability.

An answer is as well supported as its weakest statement. The product over all statements would be right if a verifier's
errors were independent, but its errors about one text are correlated. On seven collections of answers with several
sentences the minimum is off by 0.13 from the share that is right, the product by 0.19, the mean by 0.17 (ECE).
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from citewell_verify.text.languages import language_of, name_of
from citewell_verify.verdicts.states import SentenceStatus

_EDGE = 1e-4
_STEPS = 50
_NO_STEP = 1e-9
_RIGHT_WHEN_HIGH = 0.9
_FEWEST_HIGH = 30


@dataclass(frozen=True, slots=True)
class Calibration:
    """The fit for one verifier, and its measurements on data that the fit had not seen.

    `ece` is the expected calibration error (10 bins); `high` is the least confidence from which at least 9 of 10
    answers were right, None if there is none or it was not measured. `false_pass` is the share of unsupported
    statements that the verifier takes for supported, `false_strip` the reverse (N8). `languages` are those of the data,
    empty if not stated; `measured_on` describes the data.
    """

    version: str
    slope: float
    offset: float
    ece: float
    high: float | None = None
    false_pass: float | None = None
    false_strip: float | None = None
    languages: tuple[str, ...] = ()
    measured_on: str = ""

    def apply(self, probability: float) -> float:
        """Return the calibrated probability, 0..1; it keeps the order."""
        return logistic(self.slope * _log_odds(probability) + self.offset)


@cache
def calibrations() -> dict[str, Calibration]:
    data: dict[str, Any] = json.loads(
        (files("citewell_verify.verdicts") / "calibration.json").read_text(encoding="utf-8")
    )
    # JSON has only lists.
    return {
        provider: replace(Calibration(**fields), languages=tuple(fields["languages"]))
        for provider, fields in data.items()
    }


def least_high(judged: Iterable[tuple[float, bool]]) -> float | None:
    """Return the least confidence, from 0.9 on in hundredths, from which at least 9 of 10 answers were right.

    `judged` are (confidence, was right) of answers that no fit had seen. None if no confidence qualifies, or if fewer
    than 30 answers support it, which is too few to be certain.
    """
    ranked = sorted((round(confidence, 2), right) for confidence, right in judged)
    for least in (step / 100 for step in range(90, 100)):
        results = [right for confidence, right in ranked if confidence >= least]
        if len(results) >= _FEWEST_HIGH and sum(results) / len(results) >= _RIGHT_WHEN_HIGH:
            return least
    return None


def fit(probabilities: Sequence[float], labels: Sequence[bool]) -> tuple[float, float]:
    """Return (slope, offset) of least log-loss, slightly pulled towards (1, 0), so that few data change little.

    Raises ValueError unless there are as many labels as probabilities.
    """
    slope, offset = 1.0, 0.0
    pairs = [(_log_odds(p), float(label)) for p, label in zip(probabilities, labels, strict=True)]
    cost = _cost(pairs, slope, offset)
    for _ in range(_STEPS):
        d1, d0 = _newton(pairs, slope, offset)
        # Far from the minimum a full step may lead away from it, for example for an overconfident verifier.
        while (stepped_cost := _cost(pairs, slope - d1, offset - d0)) > cost and abs(d1) + abs(d0) >= _NO_STEP:
            d1, d0 = d1 / 2, d0 / 2
        if abs(d1) + abs(d0) < _NO_STEP:
            break
        slope, offset, cost = slope - d1, offset - d0, stepped_cost
    return slope, offset


def _cost(pairs: Sequence[tuple[float, float]], slope: float, offset: float) -> float:
    values = ((slope * x + offset, y) for x, y in pairs)
    losses = (max(z, 0.0) + math.log1p(math.exp(-abs(z))) - y * z for z, y in values)
    return math.fsum(losses) + ((slope - 1) ** 2 + offset**2) / 2


def _newton(pairs: Sequence[tuple[float, float]], slope: float, offset: float) -> tuple[float, float]:
    residuals = [(x, logistic(slope * x + offset) - y) for x, y in pairs]
    weights = [(x, (p := logistic(slope * x + offset)) * (1 - p)) for x, _ in pairs]
    g1, g0 = sum(x * r for x, r in residuals) + (slope - 1), sum(r for _, r in residuals) + offset
    h11, h00 = sum(x * x * w for x, w in weights) + 1, sum(w for _, w in weights) + 1
    h10 = sum(x * w for x, w in weights)
    det = h11 * h00 - h10 * h10
    return (h00 * g1 - h10 * g0) / det, (h11 * g0 - h10 * g1) / det


def logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))


def _log_odds(probability: float) -> float:
    p = min(max(probability, _EDGE), 1 - _EDGE)
    return math.log(p / (1 - p))


_STEP = 0.1
_UNSUPPORTED = (SentenceStatus.UNSUPPORTED, SentenceStatus.CONTRADICTED)


class ClaimStatus(StrEnum):
    """The seed's three states of a claim."""

    SUPPORTED = "supported"
    PARTIALLY_SUPPORTED = "partially_supported"
    UNSUPPORTED = "unsupported"


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
    # The sum of tenths is rounded, so that a score exactly at the threshold does not miss it by a rounding error.
    return round(min(max(supported / total - _STEP * unsupported + bonus, 0.0), 1.0), 9)


def confidence(states: Sequence[SentenceStatus]) -> float | None:
    """Row S2.2 for the sentences of an answer: `confidence_of` the sentences that claim something.

    A contradicted claim counts as unsupported. An unchecked claim counts in the total, but not as supported (N4).
    """
    claims = [state for state in states if state is not SentenceStatus.NO_CLAIM]
    unsupported = sum(state in _UNSUPPORTED for state in claims)
    certain = SentenceStatus.NOT_CHECKED not in claims
    return confidence_of(claims.count(SentenceStatus.SUPPORTED), unsupported, len(claims), certain=certain)


def level(score: float | None) -> ConfidenceLevel | None:
    """High from 0.9, Medium from 0.7, Low from 0.5, else Very Low; None without a score."""
    if score is None:
        return None
    # The sum of tenths is rounded: 0.8 + 0.1 must not miss 0.9 by a rounding error.
    rounded = round(score, 9)
    steps = ((0.9, ConfidenceLevel.HIGH), (0.7, ConfidenceLevel.MEDIUM), (0.5, ConfidenceLevel.LOW))
    return next((name for least, name in steps if rounded >= least), ConfidenceLevel.VERY_LOW)


UNKNOWN_SUPPORT: Final = 0.5
"""The support of an unchecked statement, for and against which there is no evidence (N4)."""

UNCALIBRATED: Final = "Uncalibrated"
"""The label of a number without a measured calibration."""


def answer_confidence(supports: Sequence[float | None], relevance: float = 1.0) -> float | None:
    """Return the probability, 0..1 in hundredths, that all of the answer is supported and answers the question.

    `supports` has the calibrated support of every sentence that claims something, None for one that was not checked.
    `relevance` is the probability that the answer, if it is true, answers the question; 1 when nothing was asked.
    None when nothing was claimed or nothing was checked: then there is nothing to be confident about (S2.6, N4).
    """
    if all(support is None for support in supports):
        return None
    weakest = min(UNKNOWN_SUPPORT if support is None else support for support in supports)
    # Every interface shows hundredths: the same answer must not be 0.90 in one place and 89 % in another.
    return round(min(max(weakest * relevance, 0.0), 1.0), 2)


def confidence_label(
    confidence: float | None,
    calibration: Calibration | None,
    why_not: str | None = None,
    *,
    is_models_own: bool = False,
) -> str | None:
    """Return the label of a confidence, one of S2.2's levels or `UNCALIBRATED`; None without a confidence.

    With a calibration, the label is High only if at least 9 of 10 answers were right on data that the fit had not seen,
    and Uncalibrated if the calibration does not apply because of `why_not` (`why_uncalibrated`). Without a calibration,
    it is the level of a number that `is_models_own`: a model judged the statements and the question, and states its own
    confidence.
    """
    if confidence is None:
        return None
    if calibration is None and is_models_own:
        return level(confidence)
    if calibration is None or why_not:
        return UNCALIBRATED
    is_high = calibration.high is not None and confidence >= calibration.high
    return level(confidence if is_high else min(confidence, _BELOW_HIGH))


def why_uncalibrated(
    answer: str, calibration: Calibration, question: str = "", asked_in: Sequence[str] = ()
) -> str | None:
    """Return the reason, as a sentence, why the calibration does not apply to this answer; None if it does.

    `asked_in` are the languages of the questions that the relevance was measured on: support may be known in a language
    in which nobody has measured how well an answer fits its question.
    """
    if calibration.languages and (language := language_of(answer, [question])) not in calibration.languages:
        measured = " and ".join(map(name_of, calibration.languages))
        return f"The calibration was measured on texts in {measured}; this answer is in {name_of(language)}."
    if question.strip() and asked_in and (language := language_of(question, [answer])) not in asked_in:
        measured = " and ".join(map(name_of, asked_in))
        return (
            f"How well an answer fits its question was measured on questions in {measured}; this one is in "
            f"{name_of(language)}."
        )
    return None


_BELOW_HIGH = 0.89
