"""What each part of a search found, kept for whoever looks: a question is searched for by the same code unobserved."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

Part = Literal["lexical", "vector"]


@dataclass(frozen=True, slots=True)
class Ranking:
    """(chunk key, score), best first, as one part of a search found them, and what its places count in the fusion."""

    part: Part
    weight: float
    found: Sequence[tuple[int, float]]

    @property
    def keys(self) -> list[int]:
        return [key for key, _ in self.found]


@dataclass(slots=True)
class SearchTrace:
    """The last fusion within a block of `traced_search`: its rankings, and the points that they gave, best first."""

    rankings: Sequence[Ranking] = ()
    points: Mapping[int, float] = field(default_factory=dict[int, float])

    def places(self, part: Part) -> dict[int, tuple[int, float]]:
        """By chunk key, its best (rank from 1, score) in the rankings of this part."""
        best: dict[int, tuple[int, float]] = {}
        for ranking in self.rankings:
            if ranking.part == part:
                for rank, (key, score) in enumerate(ranking.found, start=1):
                    best[key] = min(best.get(key, (rank, score)), (rank, score), key=lambda each: each[0])
        return best

    def weight(self, part: Part) -> float | None:
        return next((ranking.weight for ranking in self.rankings if ranking.part == part), None)


_trace: ContextVar[SearchTrace | None] = ContextVar("search_trace", default=None)


@contextmanager
def traced_search() -> Generator[SearchTrace]:
    trace = SearchTrace()
    token = _trace.set(trace)
    try:
        yield trace
    finally:
        _trace.reset(token)


def trace_fusion(rankings: Sequence[Ranking], points: Mapping[int, float]) -> None:
    if (trace := _trace.get()) is not None:
        trace.rankings, trace.points = rankings, points
