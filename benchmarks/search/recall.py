"""What the measurements of recall share: constants of the search, the offline reranking, and the halves of a set."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import TypeVar

from clients.llm.offline.meaning import Meaning
from clients.llm.offline.passage_relevance import chunk_relevance
from domain.retrieval.ranking import Scored, rank

K = TypeVar("K")

CANDIDATES, DEPTH, DENSE_WEIGHT = 10, 50, 0.3


def reranked(question: str, keys: Sequence[K], texts: Mapping[K, str], meaning: Meaning) -> list[K]:
    scored = (
        Scored(key, place, round(chunk_relevance(question, texts[key], meaning), 4)) for place, key in enumerate(keys)
    )
    return [each.key for each in rank(list(scored))]


def is_held_out(document: str) -> bool:
    return hashlib.sha256(document.encode()).digest()[0] % 2 == 1
