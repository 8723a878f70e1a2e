"""Records the findings of each part of a search, within a block that asks for it; the code that searches is the
same."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Part = Literal["lexical", "vector"]
Places: TypeAlias = dict[int, tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Ranking:
    """(chunk key, score), best first, as one part of a search for `query` found them, and the weight of its ranks in
    the fusion."""

    part: Part
    weight: float
    matches: Sequence[tuple[int, float]]
    query: str = ""

    @property
    def keys(self) -> list[int]:
        return [key for key, _ in self.matches]


@dataclass(frozen=True, slots=True)
class Fusion:
    """The rankings that were fused, and the points that they gave, best first."""

    rankings: Sequence[Ranking] = ()
    points: Mapping[int, float] = field(default_factory=dict[int, float])

    @property
    def queries(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(ranking.query for ranking in self.rankings))


@dataclass(slots=True)
class SearchTrace:
    """The fusions within a block of `traced_search`, by the queries that were searched for together; of a repeated
    search, the last fusion."""

    fusions: dict[tuple[str, ...], Fusion] = field(default_factory=dict[tuple[str, ...], Fusion])
    _places: dict[tuple[Part, str | None], Places] = field(default_factory=dict[tuple[Part, str | None], Places])
    """The results of `places`, which is called for each passage."""

    @property
    def points(self) -> Mapping[int, float]:
        """Return the points of the last fusion."""
        return list(self.fusions.values())[-1].points if self.fusions else {}

    def places(self, part: Part, query: str | None = None) -> Places:
        """Return the best (rank from 1, score) of each chunk, by its key, in this part's rankings of one or all
        queries."""
        if (known := self._places.get((part, query))) is None:
            known = self._places[part, query] = self._best(part, query)
        return known

    def forget_places(self) -> None:
        self._places.clear()

    def _best(self, part: Part, query: str | None) -> Places:
        best: Places = {}
        rankings = [ranking for fusion in self.fusions.values() for ranking in fusion.rankings]
        for ranking in rankings:
            if ranking.part == part and query in (None, ranking.query):
                for rank, (key, score) in enumerate(ranking.matches, start=1):
                    best[key] = min(best.get(key, (rank, score)), (rank, score), key=lambda place: place[0])
        return best


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
        made = Fusion(rankings, points)
        trace.fusions.pop(made.queries, None)
        trace.fusions[made.queries] = made
        trace.forget_places()
