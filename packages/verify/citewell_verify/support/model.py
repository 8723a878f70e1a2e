"""Applies fitted logistic regressions; `benchmarks.fit_support` writes the weights of support to `model.json`."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from citewell_verify.support.features import MEANING


@dataclass(frozen=True, slots=True)
class LogisticRegression:
    """The log odds are `slope · Σ weight · (feature - mean) / scale + offset`; the slope calibrates them."""

    means: Mapping[str, float]
    scales: Mapping[str, float]
    weights: Mapping[str, float]
    slope: float
    offset: float

    def probability(self, features: Mapping[str, float]) -> float:
        """Return the probability, 0..1; `features` must have every weighed name."""
        weighed = math.fsum(
            weight * (features[name] - self.means[name]) / self.scales[name] for name, weight in self.weights.items()
        )
        return 1 / (1 + math.exp(-max(-40.0, min(40.0, self.slope * weighed + self.offset))))


def parse_regression(data: Mapping[str, Any]) -> LogisticRegression:
    """Parse a `model.json`: `offset`, `slope` (1 if absent) and `features`, each `mean, scale, weight`."""
    rows: Mapping[str, Mapping[str, float]] = data["features"]
    means, scales, weights = ({name: row[key] for name, row in rows.items()} for key in ("mean", "scale", "weight"))
    return LogisticRegression(means, scales, weights, slope=float(data.get("slope", 1.0)), offset=float(data["offset"]))


@dataclass(frozen=True, slots=True)
class SupportModel:
    """`full` weighs all features, `words` those without embeddings.

    `verbatim` is the least support of a statement that stands in the source, `substituted` the most of one that copies
    a sentence but for one place (`citewell_verify.evidence.substitution`): how often labelled ones are supported. From
    `unlikely` to `likely`, exclusively, the verdict is uncertain.
    """

    version: str
    full: LogisticRegression
    words: LogisticRegression
    verbatim: float
    substituted: float
    unlikely: float
    likely: float

    def support(self, features: Mapping[str, float], *, substituted: bool = False, verbatim: bool = False) -> float:
        """Return the probability that the source supports the statement, 0..1."""
        weighing = self.full if features.keys() >= MEANING else self.words
        probability = weighing.probability(features)
        if verbatim:
            return max(probability, self.verbatim)
        return min(probability, self.substituted) if substituted else probability

    def is_uncertain(self, support: float) -> bool:
        return self.unlikely < support < self.likely


@cache
def support_model() -> SupportModel:
    return parsed(json.loads((files("citewell_verify.support") / "model.json").read_text(encoding="utf-8")))


def parsed(data: Mapping[str, Any]) -> SupportModel:
    full, words = (parse_regression(data[name]) for name in ("full", "words"))
    numbers = {name: float(data[name]) for name in ("verbatim", "substituted", "unlikely", "likely")}
    return SupportModel(version=str(data["version"]), full=full, words=words, **numbers)
