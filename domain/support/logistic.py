"""A fitted logistic regression over named features, as the models of support and of relevance store it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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
