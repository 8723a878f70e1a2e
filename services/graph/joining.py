"""Joins what the graph found and what the words of the question found into one list of candidates (S5.1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.query.options import GraphMode
from domain.query.outcomes import GraphPlanned, Link
from domain.retrieval.ranking import interleave
from services.core.context import StepContext
from services.graph.planning import NO_GRAPH
from services.graph.search import GraphFound, graph_candidates

NOTHING_NEAR = "The knowledge graph has nothing near to the question; passages were found by its words and meaning."

Found = list[tuple[int, float | None]]


@dataclass(frozen=True, slots=True)
class JoinedCandidates:
    """Candidates, best first, with the links of those found over a connection; `issue` is for users."""

    candidates: Found
    links: Mapping[str, Link] = field(default_factory=dict[str, Link])
    issue: str = ""

    def as_outcome(self, keys: Sequence[int]) -> dict[str, Any]:
        links = {str(key): self.links[str(key)] for key in keys if str(key) in self.links}
        return {**({"links": links} if links else {}), **({"issues": [self.issue]} if self.issue else {})}


def with_graph(context: StepContext, queries: Sequence[str], searched: Found, k: int) -> JoinedCandidates:
    """Join the candidates that were `searched` without the graph with what the graph leads to, as `graph_mode` says.

    At most `k` are returned. `hybrid` leaves a third of the places to the `searched` ones, because a graph never holds
    all of a document.
    """
    mode = context.query.options.graph_mode
    if mode == "naive":
        return JoinedCandidates(searched[:k])
    planned = _planned(context, queries)
    if planned["status"] == "empty":
        return JoinedCandidates(searched[:k], issue=planned.get("reason", NO_GRAPH))
    graph = graph_candidates(context, planned, " ".join(queries))
    if not graph.chunks:
        return JoinedCandidates(searched[:k], issue=NOTHING_NEAR)
    similarity = dict(searched)
    keys = _ordered(mode, graph, [key for key, _ in searched], k)
    earlier: dict[str, Link] = (context.earlier("retrieve") or {}).get("links", {})
    return JoinedCandidates([(key, similarity.get(key)) for key in keys], {**graph.links, **earlier})


def _planned(context: StepContext, queries: Sequence[str]) -> GraphPlanned:
    if (first := context.outcome("plan_graph")) is not None:
        return GraphPlanned(**first)
    begun = context.earlier("plan_graph") or {}
    if begun.get("status") == "empty":
        return GraphPlanned(**begun)
    return GraphPlanned(status="fallback", low_level=list(queries), high_level=list(queries))


def _ordered(mode: GraphMode, graph: GraphFound, searched: Sequence[int], k: int) -> list[int]:
    if mode == "mix":
        return interleave([graph.chunks, searched])[:k]
    if mode == "hybrid":
        first = graph.chunks[: k - k // 3]
        return list(dict.fromkeys([*first, *searched, *graph.chunks]))[:k]
    return graph.chunks[:k]
