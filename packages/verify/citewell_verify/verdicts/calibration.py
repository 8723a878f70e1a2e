"""Calibration: turns a verifier's stated confidence into the probability that it is right (N8).

Platt scaling (Platt 1999): the log-odds are stretched and shifted. The parameters of a verifier are data, fitted on
labelled pairs and versioned; a verifier without such data is reported as uncalibrated.
"""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

_EDGE = 1e-4
_STEPS = 50
_NO_STEP = 1e-9
_RIGHT_WHEN_HIGH = 0.9
_FEWEST_HIGH = 30


@dataclass(frozen=True, slots=True)
class Calibration:
    """The fit for one verifier, and its measurements on data that the fit had not seen.

    `ece` is the expected calibration error (10 bins); `high` the least confidence from which at least 9 of 10 answers
    were right, None if there is none or it was not measured; `false_pass` and `false_strip` the shares of unsupported
    statements that it takes for supported, and the reverse (N8). `languages` are those of the data, empty if not
    stated; `measured_on` describes the data.
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
    than 30 answers support it, which is too few to know.
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
