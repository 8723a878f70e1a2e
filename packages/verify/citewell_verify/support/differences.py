"""How often a difference of a kind is right: the share of labelled pairs with it whose source does not support them.

`python -m benchmarks.fit_support FOLDER --write` generates `differences.json` from labelled pairs: a kind seldom seen
is drawn towards the mean of all kinds, and a closeness seldom seen towards the mean of its kind.
"""

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from citewell_verify.facts.kinds import Disagreement

STRIKING = 0.75
"""A difference that is right less often strikes nothing."""


@dataclass(frozen=True, slots=True)
class Precisions:
    """`edges` part the closeness, 0..1, of statement and source sentence; `by_closeness` has a share for each part."""

    version: str
    mean: float
    kinds: Mapping[str, float]
    edges: Sequence[float]
    by_closeness: Mapping[str, Sequence[float]]

    def of(self, kind: str, closeness: float | None = None) -> float:
        if kind not in self.kinds:
            return self.mean
        return self.kinds[kind] if closeness is None else self.by_closeness[kind][bisect_right(self.edges, closeness)]


@cache
def precisions() -> Precisions:
    data: dict[str, Any] = json.loads(
        (files("citewell_verify.support") / "differences.json").read_text(encoding="utf-8")
    )
    kinds: dict[str, dict[str, Any]] = data["kinds"]
    return Precisions(
        version=data["version"],
        mean=data["mean"],
        kinds={kind: row["precision"] for kind, row in kinds.items()},
        edges=data["edges"],
        by_closeness={kind: row["by_closeness"] for kind, row in kinds.items()},
    )


def precision(disagreement: Disagreement, closeness: float | None = None) -> float:
    """Return how often such a difference is right, 0..1, and where statement and source sentence are so close.

    `closeness` is the share of the statement's words that the sentence has, 0..1; None where it is not known.
    """
    return precisions().of(disagreement.kind, closeness)
