"""Weighs how far a source supports a statement: features, fitted weights, and the share of differences of each kind
that are right.

`benchmarks.fit_support` writes the weights to `model.json`.

The features measure present, missing and differing parts, so that they mean the same for a short piece of evidence and
a long document, for English and for Korean. They are few: each was kept because it lowers the log loss on kinds of text
that the fit had not seen. These added nothing there: the length of statement and source, shares of rare words by a list
of frequencies, the lowest support of a statement's sentences, likenesses of single words, the window as a whole by its
vector, other words, modality, order and quantifiers that differ, and boosted trees over all of them.

`python -m benchmarks.fit_support FOLDER --write` generates `differences.json` from labelled pairs: the value of a rare
kind is drawn towards the mean of all kinds, and that of a rare closeness towards the mean of its kind.
"""

import json
import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from citewell_verify.facts.comparison import SourceMatch
from citewell_verify.facts.kinds import Disagreement
from citewell_verify.support.comparison import Comparison
from citewell_verify.text.opposites import opposites

DIRECTIONS: Mapping[str, int] = MappingProxyType(
    {
        "told": 1,
        "last_missing": -1,
        "together": 1,
        "altered": -1,
        "agreeing": 1,
        "taken": 1,
        "denied_by_both": 1,
        "lacking": -1,
        "value": -1,
        "name": -1,
        "negation": -1,
        "closest": 1,
    }
)
"""The sign that the weight of each feature must have, so that missing parts never speak for a claim."""

MEANING = frozenset({"closest"})
"""The features that need embeddings."""

_KINDS = MappingProxyType({"number": "value", "date": "value", "unit": "value", "name": "name", "negation": "negation"})
"""The feature for each kind of difference; differences of other kinds say nothing about support on labelled pairs."""

_REACH = 3  # the most words between two words that belong together
_MOST_LACKING = 3
_BROADEST = 20  # sentences from which on a source counts as a whole page


def features(
    compared: Comparison,
    places: Sequence[SourceMatch],
    differences: Sequence[Disagreement],
) -> dict[str, float]:
    """Return the features by name, except those of `MEANING` (`with_closeness`).

    `places` are the best places for each sentence of the statement
    (`citewell_verify.evidence.contradictions.best_places`).
    """
    differing = {_KINDS[difference.kind] for difference in differences if difference.kind in _KINDS}
    # A word that the sentence has in another form is not exchanged there for its opposite.
    exchanged = {stem for stem in compared.wanted if not compared.best.related_stems.similarity(stem)}
    if opposites(exchanged, set(compared.best.stems) - set(compared.wanted)):
        differing.add("negation")
    # A single sentence may refer to a name or figure by a pronoun; a whole page about the matter would contain it.
    breadth = math.log(max(1, min(len(compared.sentences), _BROADEST))) / math.log(_BROADEST)
    agreeing = sum(place.is_full_match for place in places) / max(1, len(places))
    return {
        "told": math.log1p(sum(compared.in_window)) / 3,
        "last_missing": float(bool(compared.wanted) and compared.in_window[-1] == 0),
        "together": _together(compared),
        # A statement in the source's own words that is none of its sentences is probably a changed sentence.
        "altered": _copied(compared) * (1 - agreeing),
        # The share of the statement's sentences with a place that states all of them, and the share of the worst
        # sentence.
        "agreeing": agreeing,
        "taken": min((place.coverage for place in places), default=0.0),
        "denied_by_both": float(any(compared.statement.denied & sentence.denied for sentence in compared.window)),
        "lacking": min(_MOST_LACKING, compared.lacking) / _MOST_LACKING * breadth,
        **{kind: float(kind in differing) for kind in ("value", "name", "negation")},
    }


def with_closeness(words: Mapping[str, float], closeness: float | None) -> Mapping[str, float]:
    """Add the cosine of the statement with the closest of its best sentences, 0..1, if it is known.

    A higher cosine never means less support, so the values 0 and 1 give the bounds of the support.
    """
    return words if closeness is None else {**words, "closest": closeness}


def _together(compared: Comparison) -> float:
    """The share of neighbouring stems of the statement that a sentence has in the same order, close to each other."""
    stated = list(pairwise(compared.statement.stems))
    near = {
        (first, second)
        for sentence in compared.window
        for at, first in enumerate(sentence.stems)
        for second in sentence.stems[at + 1 : at + 1 + _REACH]
    }
    return sum(pair in near for pair in stated) / len(stated) if stated else 0.0


def _copied(compared: Comparison) -> float:
    """The share of neighbouring words of the statement, function words included, that a sentence has as neighbours,
    too.
    """
    stated = compared.statement.neighbours
    known = frozenset[tuple[str, str]]().union(*(sentence.neighbours for sentence in compared.window))
    return len(stated & known) / len(stated) if stated else 0.0


STRIKING = 0.75
"""A difference of a kind that is right less often than this removes no statement."""


@dataclass(frozen=True, slots=True)
class Precisions:
    """The precisions of a kind of difference: `edges` divide the closeness, 0..1, of statement and source sentence into
    parts; `by_closeness` has the share for each part.
    """

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
    """Return how often a difference of this kind is right, 0..1, if statement and source sentence have this
    `closeness`.

    `closeness` is the share of the statement's words that the sentence has, 0..1; None if it is not known.
    """
    return precisions().of(disagreement.kind, closeness)


@dataclass(frozen=True, slots=True)
class LogisticRegression:
    """A regression whose log odds are `slope · Σ weight · (feature - mean) / scale + offset`; the slope calibrates
    them.
    """

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
    """The fitted model: `full` weighs all features, `words` the features without embeddings.

    `verbatim` is the least support of a statement that is in the source word for word, `substituted` the most support
    of a statement that copies a sentence except for one place (`citewell_verify.evidence.substitution`); both are the
    shares of such labelled statements that are supported. Between `unlikely` and `likely` the verdict is uncertain.
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
