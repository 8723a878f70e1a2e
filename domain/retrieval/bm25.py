"""Scores how well a passage's words match a question's: BM25 with pairs of neighbouring words.

BM25 (Robertson and Zaragoza, 2009) in Lucene's form, with k1 = 0.9 and b = 0.4 as in Anserini. Words that are
neighbours in the question and in the passage, in either order, score additionally, as the rarer of the two: the
sequential dependence model (Metzler and Croft, SIGIR 2005). Pairs of characters are no words, and hold each other's
place already. Words that ask for a calculation count little (docs/internals/retrieval.md).
"""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, TypeVar

from citewell_verify.text.words import CALCULATIONS
from domain.retrieval.lexemes import is_unspaced

K = TypeVar("K", bound=Hashable)

_K1 = 0.9
_B = 0.4
_PAIRS = 0.5
_CALCULATION = 0.2
FURTHER = 0.3
"""The weight of further words (domain.retrieval.lexemes) relative to a question's own."""


@dataclass(frozen=True, slots=True)
class Collection:
    """The searched collection: number of passages, their mean length in lexemes, and how many passages have each
    lexeme."""

    passages: int
    mean_length: float
    frequencies: Mapping[str, int]

    def rarity(self, lexeme: str) -> float:
        """The inverse document frequency of BM25, never negative."""
        having = self.frequencies.get(lexeme, 0)
        return math.log(1 + (max(self.passages - having, 0) + 0.5) / (having + 0.5))

    def weight(self, lexeme: str) -> float:
        """What a passage gains by a lexeme of the question: its rarity, less if it asks for a calculation."""
        return self.rarity(lexeme) * (_CALCULATION if lexeme in CALCULATIONS else 1.0)


@dataclass(frozen=True, slots=True)
class Occurrences(Generic[K]):
    """The places, from 1, of the question's lexemes in a passage of `length` lexemes."""

    key: K
    length: int
    places: Mapping[str, Sequence[int]]


def lexical_order(
    question: Sequence[str], passages: Sequence[Occurrences[K]], collection: Collection, further: Sequence[str] = ()
) -> list[K]:
    """Return the keys of the passages that have any lexeme of the question, best match first.

    Equal ones stay in the order given.
    """
    return [key for key, _ in lexical_scores(question, passages, collection, further)]


def lexical_scores(
    question: Sequence[str], passages: Sequence[Occurrences[K]], collection: Collection, further: Sequence[str] = ()
) -> list[tuple[K, float]]:
    """Return the keys as `lexical_order` does, with their scores."""
    asked, beside = PreparedQuestion(question, collection), PreparedQuestion(further, collection)
    scores = {
        passage.key: asked.score(passage) + FURTHER * (beside.score(passage) if further else 0) for passage in passages
    }
    return sorted(((key, score) for key, score in scores.items() if score > 0), key=lambda item: -item[1])


class PreparedQuestion:
    """A question, read once for all passages: a passage costs only what it shares with it, however long the question
    is."""

    def __init__(self, question: Sequence[str], collection: Collection) -> None:
        self._mean_length = collection.mean_length
        self._weights = {lexeme: collection.weight(lexeme) for lexeme in set(question)}
        # Floats are added in this order, regardless of a passage's order of lexemes.
        self._ranks = {lexeme: rank for rank, lexeme in enumerate(self._weights)}
        self._pairs = {
            _pair(first, second): rank
            for rank, (first, second) in enumerate(pairwise(question))
            if first != second and not (is_unspaced(first) and is_unspaced(second))
        }

    def score(self, passage: Occurrences[Any]) -> float:
        """Return the score of one passage, 0 or more; scores for the same question are comparable."""
        length = passage.length / self._mean_length if self._mean_length else 1.0
        shared = sorted(filter(self._ranks.__contains__, passage.places), key=self._ranks.__getitem__)
        alone = sum(self._weights[lexeme] * _saturated(len(passage.places[lexeme]), length) for lexeme in shared)
        beside = self._neighbours({lexeme: passage.places[lexeme] for lexeme in shared})
        together = sum(
            min(self._weights[first], self._weights[second]) * _saturated(beside[first, second], length)
            for first, second in sorted(beside, key=self._pairs.__getitem__)
        )
        return alone + _PAIRS * together

    def _neighbours(self, places: Mapping[str, Sequence[int]]) -> Counter[tuple[str, str]]:
        at: dict[int, list[str]] = {}
        for lexeme, positions in places.items():
            for place in positions:
                at.setdefault(place, []).append(lexeme)
        beside = (
            _pair(here, following)
            for place, standing in at.items()
            for here in standing
            for following in at.get(place + 1, ())
        )
        return Counter(pair for pair in beside if pair in self._pairs)


def _pair(first: str, second: str) -> tuple[str, str]:
    return min(first, second), max(first, second)


def _saturated(count: int, length: float) -> float:
    """A repeated word adds less each time, and less in a long passage; `length` is relative to the mean."""
    return count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length)) if count else 0.0
