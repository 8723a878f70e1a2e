"""The features that support is weighed by, each a number of about 0..1 with the sign that its weight may have.

They measure how much is present, how much is missing and what differs, so that they mean the same for a short evidence
and a long document, for English and for Korean. They are few: each was kept because it lowers the log loss on kinds of
text that the fit had not seen. These added nothing there: the length of statement and source, shares of rare words by a
list of frequencies, the lowest support of a statement's sentences, likenesses of single words, the window as a whole by
its vector, other words, modality, order and quantifiers that differ, and boosted trees over all of them.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from citewell_verify.facts.comparison.best_place import SourceMatch
from citewell_verify.facts.kinds import Disagreement
from citewell_verify.support.comparison import Comparison
from citewell_verify.text.negation import opposites

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
"""The feature of a difference of a kind; one of another kind says nothing about support on labelled pairs."""

_REACH = 3  # words between two that belong together
_MOST_LACKING = 3
_BROADEST = 20  # sentences


def features(
    compared: Comparison,
    places: Sequence[SourceMatch],
    differences: Sequence[Disagreement],
    closeness: float | None,
) -> dict[str, float]:
    """Return the features by name; those of `MEANING` only with `closeness`.

    `places` are the best ones for each sentence of the statement
    (`citewell_verify.evidence.contradictions.best_places`); `closeness` is the cosine of the statement with the
    closest of its best sentences.
    """
    differing = {_KINDS[difference.kind] for difference in differences if difference.kind in _KINDS}
    if opposites(set(compared.wanted), set(compared.best.stems)):
        differing.add("negation")
    # A single sentence may refer to a name or figure by a pronoun; a page on the matter would have it.
    breadth = math.log(max(1, min(len(compared.sentences), _BROADEST))) / math.log(_BROADEST)
    agreeing = sum(place.is_full_match for place in places) / max(1, len(places))
    return {
        "told": math.log1p(sum(compared.in_window)) / 3,
        "last_missing": float(bool(compared.wanted) and compared.in_window[-1] == 0),
        "together": _together(compared),
        # A statement in the source's own words that is none of its sentences is likely one that was changed.
        "altered": _copied(compared) * (1 - agreeing),
        # The share of the statement's sentences with a place that says all of them, and the share of the worst one.
        "agreeing": agreeing,
        "taken": min((place.coverage for place in places), default=0.0),
        "denied_by_both": float(any(compared.statement.denied & sentence.denied for sentence in compared.window)),
        "lacking": min(_MOST_LACKING, compared.lacking) / _MOST_LACKING * breadth,
        **{kind: float(kind in differing) for kind in ("value", "name", "negation")},
        **({} if closeness is None else {"closest": closeness}),
    }


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
    """The share of neighbouring words of the statement, with the small ones between, that a sentence has so too."""
    stated = compared.statement.neighbours
    known = frozenset[tuple[str, str]]().union(*(sentence.neighbours for sentence in compared.window))
    return len(stated & known) / len(stated) if stated else 0.0
