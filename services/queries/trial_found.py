"""What a trial of retrieval found: its searches, its candidates, and the places that each part gave them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from domain.query.outcomes import Selected
from domain.retrieval.ranking import fusion_points
from services.core.context import StepContext
from services.retrieval.agentic_state import made_searches
from services.retrieval.tracing import SearchTrace


class Place(NamedTuple):
    rank: int
    score: float | None
    reason: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {"rank": self.rank, "score": self.score, "reason": self.reason}


class Made(NamedTuple):
    """A search that was made; of an agentic run in a turn, and why. `own` is its fusion, if it was fused alone."""

    query: str
    turn: int | None
    why: str | None
    own: Mapping[int, tuple[int, float]]


def _by_rank(points: Mapping[int, float]) -> dict[int, tuple[int, float]]:
    return {key: (rank, score) for rank, (key, score) in enumerate(points.items(), start=1)}


@dataclass(frozen=True)
class Found:
    """The outcomes of a trial's steps, what its searches found, and what they would have found of what is excluded."""

    context: StepContext
    trace: SearchTrace
    left_out: SearchTrace
    spent_usd: float

    @cached_property
    def selected(self) -> Selected | None:
        return Selected(**outcome) if (outcome := self.context.outcome("select")) else None

    @cached_property
    def candidates(self) -> list[int]:
        return [key for key, _ in self.context.retrieved["candidates"]]

    @cached_property
    def fused(self) -> dict[int, tuple[int, float]]:
        """The places of the candidates of all searches of an agentic run, else of everything that was found."""
        if made := made_searches(self.context):
            # `merged_candidates` fuses them in the same way.
            return _by_rank(fusion_points([[key for key, _ in search["candidates"]] for search in made]))
        return _by_rank(self.trace.points)

    @cached_property
    def searches(self) -> list[Made]:
        if not made_searches(self.context):
            queries = [query for fusion in self.trace.fusions.values() for query in fusion.queries]
            own = self.fused if len(queries) == 1 else {}
            return [Made(query, None, None, own) for query in queries]
        turns = sorted(int(item) for step, item in self.context.outcomes if step == "search")
        searches: list[Made] = []
        for turn in turns:
            outcome = self.context.outcome("search", str(turn)) or {}
            for search in outcome["searches"]:
                alone = self.trace.fusions.get((search["query"],))
                own = _by_rank(alone.points) if alone else {}
                searches.append(Made(search["query"], turn, outcome.get("why"), own))
        return searches

    @cached_property
    def reranked(self) -> dict[int, Place]:
        if self.selected is None:
            return {}
        ranked = self.selected["ranked"] or self.candidates
        outcomes = {key: self.context.outcome("score_chunks", str(key)) or {} for key in ranked}
        return {
            key: Place(rank, outcomes[key].get("score"), outcomes[key].get("reason"))
            for rank, key in enumerate(ranked, start=1)
        }

    @cached_property
    def is_merged(self) -> bool:
        return self.context.retrieved.get("merged", False)

    @property
    def kept(self) -> int:
        """From how many passages an answer is written at most."""
        options = self.context.query.options
        return options.merged_top_k if self.is_merged else options.top_k
