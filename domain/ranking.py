"""Putting passages in order: fusing rankings, and ranking by relevance scores of which some may be missing."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)

_RRF_K = 60


@dataclass(frozen=True, slots=True)
class Scored(Generic[K]):
    """A passage with its place in retrieval (0 is best) and its relevance 0..1, None when that could not be read."""

    key: K
    retrieval_rank: int
    score: float | None


def rank(chunks: Sequence[Scored[K]]) -> list[Scored[K]]:
    """Return the chunks best first (S3.1); equal scores stay in retrieval order.

    A chunk without a score keeps the place that retrieval gave it; the others are sorted around it.
    """
    retrieved = sorted(chunks, key=lambda chunk: chunk.retrieval_rank)
    best_first = iter(sorted((c for c in retrieved if c.score is not None), key=lambda c: -(c.score or 0.0)))
    return [chunk if chunk.score is None else next(best_first) for chunk in retrieved]


def fuse(rankings: Sequence[Sequence[K]], k: int = _RRF_K) -> list[K]:
    """Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): sum 1/(k + place), each key once, best first.

    Equal sums stay in the order of their first appearance.
    """
    points: dict[K, float] = {}
    for ranking in rankings:
        for place, key in enumerate(dict.fromkeys(ranking), start=1):
            points[key] = points.get(key, 0.0) + 1 / (k + place)
    return sorted(points, key=lambda key: -points[key])
