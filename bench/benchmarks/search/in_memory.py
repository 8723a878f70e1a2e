"""Search without a database: lexemes, counts, ranking and reranking as for a question, over passages in memory.

`tests/db/test_search.py` compares its order with that of the database.
"""

import hashlib
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import islice
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from citewell_verify.embeddings.protocol import Vectors
from citewell_verify.embeddings.wheel import UseEmbedder
from citewell_verify.offline.passages import Meaning
from clients.llm.offline.model import chunk_relevance
from domain.retrieval.lexemes import (
    FURTHER,
    Collection,
    Occurrences,
    SearchedQuestion,
    lexemes,
    lexical_order,
    searched_question,
)
from domain.retrieval.ranking import Scored, rank

K = TypeVar("K", bound=Hashable)

CANDIDATES, DEPTH, DENSE_WEIGHT = 10, 50, 0.3

# As in db.queries.search.passages: a question's rarest lexemes are looked up, and the passages that share most of them
# are scored.
_LEXEMES, _SCORED = 32, 200


class LexicalIndex(Generic[K]):
    """Texts by key, found by their words; `titles` are found as well, as the names of documents are."""

    def __init__(self, texts: Mapping[K, str], titles: Mapping[K, str] | None = None) -> None:
        named = titles or {}
        self._hold({key: [*lexemes(named.get(key, "")), *lexemes(text)] for key, text in texts.items()})

    @classmethod
    def of(cls, held: Mapping[K, Sequence[str]]) -> "LexicalIndex[K]":
        """Return the index of passages whose lexemes are known."""
        index = cls.__new__(cls)
        index._hold(held)
        return index

    def _hold(self, held: Mapping[K, Sequence[str]]) -> None:
        self._keys = list(held)
        self._held = [[sys.intern(lexeme) for lexeme in each] for each in held.values()]
        having: dict[str, list[int]] = {}
        for place, each in enumerate(self._held):
            for lexeme in dict.fromkeys(each):
                having.setdefault(lexeme, []).append(place)
        self._having = {lexeme: np.array(places) for lexeme, places in having.items()}
        mean_length = sum(map(len, self._held)) / len(self._held)
        self._known = Collection(len(self._held), mean_length, {key: len(each) for key, each in having.items()})

    def order(self, question: str, among: Callable[[K], bool] | None = None, *, as_it_is: bool = False) -> list[K]:
        """Return the passages that share a lexeme with a question, the best first; only those that pass `among`.

        `as_it_is`: with all words of the question, and no further ones.
        """
        asked = SearchedQuestion(tuple(lexemes(question))) if as_it_is else searched_question(question)
        held = self._known.frequencies
        rarest = sorted((each for each in dict.fromkeys(asked.own) if each in held), key=held.__getitem__)[:_LEXEMES]
        weights = {each: self._known.weight(each) for each in rarest}
        weights |= {each: FURTHER * self._known.weight(each) for each in asked.further if rarest and each in held}
        shared = np.zeros(len(self._held))
        for lexeme, weight in weights.items():
            shared[self._having[lexeme]] += weight
        best = (int(place) for place in np.argsort(-shared, kind="stable") if shared[place] > 0)
        chosen = islice((place for place in best if among is None or among(self._keys[place])), _SCORED)
        found = [self._occurrences(place, weights) for place in chosen]
        return lexical_order(asked.own, found, self._known, asked.further)

    def _occurrences(self, place: int, wanted: Mapping[str, float]) -> Occurrences[K]:
        places: dict[str, list[int]] = {}
        for at, lexeme in enumerate(self._held[place], start=1):
            if lexeme in wanted:
                places.setdefault(lexeme, []).append(at)
        return Occurrences(self._keys[place], len(self._held[place]), places)


class VectorIndex(Generic[K]):
    """Texts by key, found by their meaning; `vectors` are the texts' vectors, if they are known."""

    def __init__(self, texts: Mapping[K, str], embedder: UseEmbedder, vectors: Vectors | None = None) -> None:
        self._keys, self._embedder = list(texts), embedder
        self._vectors = embedder.encode_documents(list(texts.values())) if vectors is None else vectors

    def order(self, question: str, among: Callable[[K], bool] | None = None) -> list[K]:
        likeness: NDArray[np.float32] = self._vectors @ self._embedder.encode_queries([question])[0]
        order: list[int] = np.argsort(-likeness, kind="stable").tolist()
        return [key for key in (self._keys[place] for place in order) if among is None or among(key)]


def reranked(question: str, keys: Sequence[K], texts: Mapping[K, str], meaning: Meaning) -> list[K]:
    scored = (
        Scored(key, place, round(chunk_relevance(question, texts[key], meaning), 4)) for place, key in enumerate(keys)
    )
    return [each.key for each in rank(list(scored))]


def is_held_out(document: str) -> bool:
    return hashlib.sha256(document.encode()).digest()[0] % 2 == 1
