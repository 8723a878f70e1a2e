"""The features that support is weighed by, each a number of about 0..1 with the sign that its weight may have.

They measure how much is present, how much is missing and how far that is from what is present, so that they mean the
same for a short evidence and a long document, for English and for Korean. They are few: each was kept because it lowers
the log loss on kinds of text that the fit had not seen. These added nothing there: shares of names, figures and rare
words, longest common subsequences, the order of words, sentences with a single word exchanged, words such as "only",
hedges, lengths of statement and source, cosines of words in their context, differences of vectors, and boosted trees
over all of them. The sentences of a statement are compared separately for facts; its words are taken together, because
the lowest or the mean support of its sentences ranks worse.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from domain.facts.comparison.best_place import SourceMatch
from domain.support.comparison import Comparison

_BROADEST = 8  # sentences; in more of them chance matches of words do not increase, because only a window counts

DIRECTIONS: Mapping[str, int] = MappingProxyType(
    {
        "told": 1,
        "last_missing": -1,
        "elsewhere": 1,
        "breadth": -1,
        "neighbours": 1,
        "agreeing": 1,
        "taken": 1,
        "denied_by_both": 1,
        "closest": 1,
        "kin": 1,
    }
)
"""The sign that the weight of each feature must have, so that missing parts never speak for a claim."""

MEANING = frozenset({"closest", "kin"})
"""The features that need embeddings."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """Cosines of embeddings, 0..1.

    `sentence`: the statement with the closest of its best sentences; `words`: each of its `missing_words` with the
    closest of the `spare_words`.
    """

    sentence: float
    words: tuple[float, ...]


def features(compared: Comparison, places: Sequence[SourceMatch], closeness: Closeness | None) -> dict[str, float]:
    """Return the features by name; those of `MEANING` only with `closeness`.

    `places` are the best ones for each sentence of the statement (`domain.evidence.contradictions.best_places`).
    """
    return {
        **_coverage(compared),
        **_facts(places),
        "denied_by_both": _flag(_deny_the_same(compared)),
        **(_meaning(closeness) if closeness else {}),
    }


def _coverage(compared: Comparison) -> dict[str, float]:
    return {
        "told": math.log1p(sum(compared.in_window)) / 3,
        "last_missing": _flag(bool(compared.wanted) and compared.in_window[-1] == 0),
        # Words found elsewhere in the source prove nothing, but are better evidence than words found nowhere.
        "elsewhere": compared.cover(compared.anywhere) - compared.cover(compared.in_window),
        "breadth": math.log1p(min(len(compared.sentences), _BROADEST)) / math.log1p(_BROADEST),
        "neighbours": _neighbours(compared),
    }


def _neighbours(compared: Comparison) -> float:
    stated = list(pairwise(compared.statement.stems))
    known = set(pairwise(each for sentence in compared.window for each in sentence.stems))
    return sum(pair in known for pair in stated) / len(stated) if stated else 0.0


def _facts(places: Sequence[SourceMatch]) -> dict[str, float]:
    """The share of the statement's sentences with a place that says all of them, and the share found of the worst
    one."""
    return {
        "agreeing": sum(place.is_full_match for place in places) / max(1, len(places)),
        "taken": min((place.coverage for place in places), default=0.0),
    }


def _deny_the_same(compared: Comparison) -> bool:
    return any(not compared.statement.denied.isdisjoint(sentence.denied) for sentence in compared.window)


def _meaning(closeness: Closeness) -> dict[str, float]:
    words = closeness.words
    return {"closest": closeness.sentence, "kin": sum(words) / len(words) if words else 1.0}


def _flag(value: bool) -> float:
    return 1.0 if value else 0.0
