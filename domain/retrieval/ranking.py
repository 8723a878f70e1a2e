"""Orders passages: fuses rankings, and ranks by relevance scores, some of which may be missing."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
D = TypeVar("D", bound=Hashable)

_RRF_K = 5


@dataclass(frozen=True, slots=True)
class Scored(Generic[K]):
    """A passage with its place in retrieval (0 is best) and its relevance 0..1, None if that could not be read."""

    key: K
    retrieval_rank: int
    score: float | None


def rank(chunks: Sequence[Scored[K]]) -> list[Scored[K]]:
    """Return the chunks best first (S3.1); equal scores stay in retrieval order.

    A chunk without a score keeps its place in retrieval; the others are sorted around it.
    """
    retrieved = sorted(chunks, key=lambda chunk: chunk.retrieval_rank)
    best_first = iter(sorted((c for c in retrieved if c.score is not None), key=lambda c: -(c.score or 0.0)))
    return [chunk if chunk.score is None else next(best_first) for chunk in retrieved]


def fuse(rankings: Sequence[Sequence[K]], weights: Sequence[float] | None = None, k: int = _RRF_K) -> list[K]:
    """Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): sum weight/(k + place), best first.

    Every key appears once; equal sums stay in the order of their first appearance. Weights are 1 unless given. The
    paper's k of 60 lets deep agreement beat a first place; a small k suits the few, short lists here better.
    """
    return list(fusion_points(rankings, weights, k))


def fusion_points(
    rankings: Sequence[Sequence[K]], weights: Sequence[float] | None = None, k: int = _RRF_K
) -> dict[K, float]:
    """The sums that `fuse` orders by, best first."""
    points: dict[K, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for place, key in enumerate(dict.fromkeys(ranking), start=1):
            points[key] = points.get(key, 0.0) + weight / (k + place)
    return dict(sorted(points.items(), key=lambda item: -item[1]))


def within_budget(ranked: Sequence[T], tokens: Callable[[T], int], budget: int | None) -> list[T]:
    """Return the items of `ranked` that fit into `budget` tokens, best first; the best one is always returned (S4.5).

    An item that does not fit is skipped, and shorter ones after it may still fit. None means no limit.
    """
    if budget is None:
        return list(ranked)
    kept: list[T] = []
    left = budget
    for candidate in ranked:
        needed = tokens(candidate)
        if not kept or needed <= left:
            kept.append(candidate)
            left -= needed
    return kept


def without_copies(ranked: Sequence[K], copies: Mapping[K, Sequence[K]], documents: Mapping[K, D]) -> list[K]:
    """Return `ranked` without the passages that are copies of better ones. A passage stands for one copy in each of the
    other `documents`: a text that a document has twice is not its own copy.
    """
    stands_for: dict[K, K] = {}
    represented: dict[K, set[D | None]] = {}
    for key in ranked:
        own = documents.get(key)
        better = (stands_for[copy] for copy in copies.get(key, ()) if copy in stands_for)
        first = next((candidate for candidate in better if own not in represented[candidate]), key)
        stands_for[key] = first
        represented.setdefault(first, set()).add(own)
    return [key for key in ranked if stands_for[key] == key]


def interleave(rankings: Sequence[Sequence[K]]) -> list[K]:
    """Return the first of each ranking, then the second of each, and so on; each key once."""
    rows = zip_longest(*([(key,) for key in ranking] for ranking in rankings), fillvalue=())
    return list(dict.fromkeys(key for row in rows for place in row for key in place))


def with_bridges(ranked: Sequence[Scored[K]], bridges: Mapping[K, K], keep: int) -> list[Scored[K]]:
    """Return at most `keep` of the chunks `ranked` best first, each preceded by the chunk that leads to it, its bridge.

    `bridges` has the bridge of each chunk that was found over one and scored together with it. Chunks with a bridge get
    at most half of the places, unless the others leave some free: their scores are partly those of their bridges.
    """
    by_key = {chunk.key: chunk for chunk in ranked}
    kept: dict[K, Scored[K]] = {}
    found_over = 0
    for chunk in ranked:
        bridge = by_key.get(bridges[chunk.key]) if chunk.key in bridges else None
        wanted = [step for step in (bridge, chunk) if step is not None and step.key not in kept]
        over = chunk.key in bridges and chunk.key not in kept
        if len(kept) + len(wanted) <= keep and found_over + over <= keep // 2:
            kept.update((step.key, step) for step in wanted)
            found_over += over
    rest = (
        chunk for chunk in ranked if chunk.key not in kept and bridges.get(chunk.key, chunk.key) in {*kept, chunk.key}
    )
    kept.update((chunk.key, chunk) for chunk in islice(rest, keep - len(kept)))
    return list(kept.values())
