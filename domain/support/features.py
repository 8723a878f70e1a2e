"""The features from which support is weighed, each a number of about 0..1 with the way in which it may push.

They say how much is there, how much is not and how far that is from what is, so that they mean the same for a short
evidence and a long document, for English and for Korean. What fits one collection of texts only was left out: the plain
number of sentences, for one, gives a point on data whose unsupported claims happen to stand beside whole web pages.
Neighbouring words, longest common subsequences, shares of names and words such as "only" added nothing to these.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from domain.disagreements import Disagreement
from domain.support.comparing import Comparison

_BROADEST = 8  # sentences; in more of them words are not found by chance more often, as a window is all that counts

DIRECTIONS: Mapping[str, int] = MappingProxyType(
    {
        "window_cover": 1,
        "last_missing": -1,
        "said": 1,
        "repeated": -1,
        "told": 1,
        "breadth": -1,
        "denied_by_statement": -1,
        "denied_by_source": -1,
        "denied_by_both": 1,
        "other_number": -1,
        "other_date": -1,
        "other_unit": -1,
        "other_negation": -1,
        "closest": 1,
        "least_kin": 1,
        "mean_kin": 1,
    }
)
"""The sign that the weight of each feature must have, so that what is missing never speaks for a claim."""

MEANING = frozenset({"closest", "least_kin", "mean_kin"})
"""The features that need embeddings."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """Cosines of embeddings, 0..1.

    `sentence`: the statement with the closest of its best sentences; `words`: each of its `missing_words` with the
    closest of the `spare_words`.
    """

    sentence: float
    words: tuple[float, ...]


def features(compared: Comparison, found: Collection[Disagreement], closeness: Closeness | None) -> dict[str, float]:
    """Return the features by name; those of `MEANING` only with `closeness`."""
    return {
        **_coverage(compared),
        **_wording(compared),
        **_denial(compared),
        **{f"other_{kind}": _flag(any(each.kind == kind for each in found)) for kind in _KINDS},
        **(_meaning(closeness) if closeness else {}),
    }


_KINDS = ("number", "date", "unit", "negation")


def _coverage(compared: Comparison) -> dict[str, float]:
    return {
        "window_cover": compared.cover(compared.in_window),
        "last_missing": _flag(bool(compared.wanted) and compared.in_window[-1] == 0),
        "told": math.log1p(sum(compared.in_window)) / 3,
        "breadth": math.log1p(min(len(compared.sentences), _BROADEST)) / math.log1p(_BROADEST),
    }


def _wording(compared: Comparison) -> dict[str, float]:
    statement, best = compared.statement, compared.best
    return {
        "said": sum(map(statement.kin.likeness, best.stems)) / max(1, len(best.stems)),
        "repeated": _flag(
            any(statement.stems.count(each) > max(1, best.stems.count(each)) for each in compared.wanted)
        ),
    }


def _denial(compared: Comparison) -> dict[str, float]:
    here = compared.statement.denied
    there = frozenset(each for sentence in compared.window for each in sentence.denied)
    covered = compared.cover(compared.in_window)
    return {
        "denied_by_statement": covered * _flag(bool(here) and not there),
        "denied_by_source": covered * _flag(bool(compared.best.denied) and not here),
        "denied_by_both": _flag(not here.isdisjoint(there)),
    }


def _meaning(closeness: Closeness) -> dict[str, float]:
    near = closeness.words or (1.0,)
    return {"closest": closeness.sentence, "least_kin": min(near), "mean_kin": sum(near) / len(near)}


def _flag(value: bool) -> float:
    return 1.0 if value else 0.0
