"""Search without a database: the same lexemes, counts and ranking as `db.queries.search`, over passages in memory.

`tests/db/test_search.py` compares the order of both.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Generic, TypeVar

import numpy as np

from clients.embeddings import UseEmbedder, Vectors
from domain.retrieval.bm25 import Collection, Occurrences, lexical_order
from domain.retrieval.lexemes import lexemes

K = TypeVar("K", bound=Hashable)


class LexicalIndex(Generic[K]):
    """Texts by key, found by their words; `titles` are found as well, as names of documents are."""

    def __init__(self, texts: Mapping[K, str], titles: Mapping[K, str] | None = None) -> None:
        named = titles or {}
        self._held = [_occurrences(key, [*lexemes(named.get(key, "")), *lexemes(text)]) for key, text in texts.items()]
        counted = Counter(lexeme for each in self._held for lexeme in each.places)
        self._known = Collection(len(texts), sum(each.length for each in self._held) / len(texts), counted)
        self._having: dict[str, list[int]] = {}
        for place, each in enumerate(self._held):
            for lexeme in each.places:
                self._having.setdefault(lexeme, []).append(place)

    def order(self, question: str) -> list[K]:
        asked = lexemes(question)
        places = sorted({place for lexeme in set(asked) for place in self._having.get(lexeme, ())})
        return lexical_order(asked, [self._held[place] for place in places], self._known)


class VectorIndex(Generic[K]):
    """Texts by key, found by their meaning."""

    def __init__(self, texts: Mapping[K, str], embedder: UseEmbedder) -> None:
        self._keys, self._embedder = list(texts), embedder
        self._vectors: Vectors = embedder.encode_documents(list(texts.values()))

    def order(self, question: str) -> list[K]:
        likeness = self._vectors @ self._embedder.encode_queries([question])[0]
        return [self._keys[place] for place in np.argsort(-likeness, kind="stable")]


def _occurrences(key: K, held: Sequence[str]) -> Occurrences[K]:
    places: dict[str, list[int]] = {}
    for place, lexeme in enumerate(held, start=1):
        places.setdefault(lexeme, []).append(place)
    return Occurrences(key, len(held), places)
