"""Retrieval over the knowledge graph (S5.1): plans the names and topics of a question, finds passages from the names
and from the connections that the question is about, and joins them with the passages that its words found.

A passage found over a connection carries the connection as its link: its own words may have little in common with the
question, and it is worth nothing without the passage that states the connection.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.orm import Session

from citewell_verify.judging.statement import Failure
from citewell_verify.prompting.judgements import EXTRACT_KEYWORDS, Keywords
from db.queries.search import graph_search as graph
from db.queries.search.filters import conditions
from db.queries.search.graph_search import Connection, Space, has_graph
from db.session import reading
from domain.documents.graph import entity_key
from domain.documents.graph_extraction import read_keywords
from domain.query.options import GraphMode
from domain.query.outcomes import GraphPlanned, Link
from domain.retrieval.ranking import interleave
from services.core.context import StepContext, StepResult
from services.graph.merging import vectors_of

_ENTITY_NEAR = 0.5
"""The lowest cosine at which a keyword may mean an entity; an exact name always does."""
_RELATION_NEAR = 0.35
_CHUNKS_OF_CONNECTION = 2
_CHUNKS_OF_ENTITY = 3
_OWN = 0.45
"""The worth of a passage that names an entity, relative to passages that connect it."""
_FURTHER = 0.9
"""The worth of passages at the other end of a connection, relative to passages that state it."""

Vectors = Sequence[Sequence[float]]


NO_GRAPH = "The workspace has no knowledge graph yet; passages were found by the words and meaning of the question."
_MOST_LOW_LEVEL = 8
_MOST_HIGH_LEVEL = 6
_LONGEST = 200
NOTHING_NEAR = "The knowledge graph has nothing near to the question; passages were found by its words and meaning."
Found = list[tuple[int, float | None]]


@dataclass(frozen=True, slots=True)
class GraphFound:
    """Chunk keys, best first, and the links of those found over a connection."""

    chunks: list[int] = field(default_factory=list[int])
    links: dict[str, Link] = field(default_factory=dict[str, Link])


@dataclass(frozen=True, slots=True)
class _Hit:
    chunk: int
    score: float
    link: Link | None = None


def graph_candidates(context: StepContext, planned: GraphPlanned, question: str) -> GraphFound:
    """Return the passages that the graph leads to, as `graph_mode` says; `question` decides the order of relations.

    Raises DatabaseUnavailable.
    """
    query, embedder = context.query, context.tools.embedder
    low, high, mode = planned["low_level"], planned["high_level"], query.options.graph_mode
    asked, *vectors = embedder.encode_queries([question, *low, *high]).tolist()
    where = conditions(query.options.filter)
    space = Space(query.workspace_id, vectors_of(embedder), where)
    search = _Search(space, question, asked, query.options.graph_relations)
    rankings: list[list[_Hit]] = []
    with reading() as session:
        if mode != "global":
            entities = _named_entities(session, search, low, vectors[: len(low)], query.options.graph_entities)
            rankings.append(_local(session, search, entities))
        if mode != "local":
            rankings.append(_global(session, search, vectors[len(low) :]))
    return _found(rankings)


@dataclass(frozen=True, slots=True)
class _Search:
    space: Space
    question: str
    vector: Sequence[float]
    relations: int


def _named_entities(
    session: Session, search: _Search, keywords: Sequence[str], vectors: Vectors, most: int
) -> dict[int, float]:
    keys = [entity_key(keyword) for keyword in keywords]
    scores = dict.fromkeys(graph.entities_with_keys(session, search.space.workspace_id, keys), 1.0)
    for vector in vectors:
        for entity, similarity in graph.near_entities(session, search.space, vector, most):
            if similarity >= _ENTITY_NEAR:
                scores[entity] = max(similarity, scores.get(entity, 0.0))
    best = sorted(scores, key=lambda entity: -scores[entity])[:most]
    return {entity: scores[entity] for entity in best}


def _local(session: Session, search: _Search, entities: Mapping[int, float]) -> list[_Hit]:
    if not entities:
        return []
    connections = graph.connections_of(session, search.space, entities, search.vector, search.relations)
    scored = [
        (connection, max(entities.get(end, 0.0) for end in connection.ends) * _worth(connection))
        for connection in connections
    ]
    own = graph.chunks_of_entities(session, entities, search.question, _CHUNKS_OF_ENTITY, search.space.where)
    hits = [_Hit(chunk, entities[entity] * _OWN) for entity, chunks in own.items() for chunk in chunks]
    return [*_over(session, search, scored, entities), *hits]


def _global(session: Session, search: _Search, vectors: Vectors) -> list[_Hit]:
    nearest: dict[int, Connection] = {}
    for vector in vectors:
        for connection in graph.near_connections(session, search.space, vector, search.relations):
            known = nearest.get(connection.id)
            if connection.similarity >= _RELATION_NEAR and (known is None or known.similarity < connection.similarity):
                nearest[connection.id] = connection
    best = sorted(nearest.values(), key=lambda connection: -_worth(connection))[: search.relations]
    return list(_over(session, search, [(connection, _worth(connection)) for connection in best], {}))


def _worth(connection: Connection) -> float:
    """Return a worth from 0 to 1 that grows with the similarity to the question and with the number of chunks that
    state the connection."""
    return (1 + max(0.0, connection.similarity)) / 2 * connection.weight / (connection.weight + 1)


def _over(
    session: Session, search: _Search, connections: Sequence[tuple[Connection, float]], near: Mapping[int, float]
) -> Iterator[_Hit]:
    stated = graph.chunks_of_connections(
        session, [connection.id for connection, _ in connections], _CHUNKS_OF_CONNECTION, search.space.where
    )
    ends = {connection.id: _far_ends(connection, near) for connection, _ in connections}
    about = graph.chunks_of_entities(
        session, {end for far in ends.values() for end in far}, search.question, _CHUNKS_OF_ENTITY, search.space.where
    )
    for connection, score in connections:
        bridges = stated.get(connection.id, [])
        yield from (_Hit(chunk, score) for chunk, _ in bridges)
        if not bridges:
            continue
        link = Link(bridge=bridges[0][0], connection=bridges[0][1], names=list(connection.names))
        stating = {chunk for chunk, _ in bridges}
        for end in ends[connection.id]:
            further = [chunk for chunk in about.get(end, []) if chunk not in stating]
            yield from (_Hit(chunk, score * _FURTHER**place, link) for place, chunk in enumerate(further, start=1))


def _far_ends(connection: Connection, near: Mapping[int, float]) -> tuple[int, ...]:
    """Return the end that the question does not name, or both ends if it names neither."""
    first, second = connection.ends
    if near.get(first, 0.0) == near.get(second, 0.0):
        return connection.ends
    return (second,) if near.get(first, 0.0) > near.get(second, 0.0) else (first,)


def _found(rankings: Iterable[list[_Hit]]) -> GraphFound:
    sorted_ = [sorted(hits, key=lambda hit: -hit.score) for hits in rankings]
    best: dict[int, Link | None] = {}
    for hits in sorted_:
        first: dict[int, Link | None] = {}
        for hit in hits:
            first.setdefault(hit.chunk, hit.link)
        best |= {chunk: best.get(chunk) or link for chunk, link in first.items()}
    order: list[int] = []
    for chunk in interleave([[hit.chunk for hit in hits] for hits in sorted_]):
        # A passage is shown only after the passage that leads to it.
        link = best[chunk]
        order += [link["bridge"], chunk] if link else [chunk]
    return GraphFound(list(dict.fromkeys(order)), {str(chunk): link for chunk, link in best.items() if link})


async def plan_graph(context: StepContext) -> StepResult:
    def is_built() -> bool:
        with reading() as session:
            return has_graph(session, context.query.workspace_id)

    if not await asyncio.to_thread(is_built):
        return StepResult.single(GraphPlanned(status="empty", low_level=[], high_level=[], reason=NO_GRAPH))
    question = context.question
    reply = await context.tools.models.ask(EXTRACT_KEYWORDS, {"question": question}, log=context.log)
    if isinstance(reply, Failure):
        return StepResult.single({**_planned("fallback", read_keywords(question)), "reason": reply.reason})
    planned = _planned("planned", reply)
    if planned["low_level"] or planned["high_level"]:
        return StepResult.single(planned)
    reason = "the model gave no keywords"
    return StepResult.single({**_planned("fallback", read_keywords(question)), "reason": reason})


def _planned(status: str, keywords: Keywords) -> GraphPlanned:
    low, high = _usable(keywords.low_level, _MOST_LOW_LEVEL), _usable(keywords.high_level, _MOST_HIGH_LEVEL)
    return GraphPlanned(status="planned" if status == "planned" else "fallback", low_level=low, high_level=high)


def _usable(texts: list[str], most: int) -> list[str]:
    plain = (" ".join(text.replace("\x00", "").split())[:_LONGEST] for text in texts)
    return list(dict.fromkeys(text for text in plain if any(map(str.isalnum, text))))[:most]


@dataclass(frozen=True, slots=True)
class JoinedCandidates:
    """The candidates, best first, with the links of those found over a connection; `issue` is for users."""

    candidates: Found
    links: Mapping[str, Link] = field(default_factory=dict[str, Link])
    issue: str = ""

    def as_outcome(self, keys: Sequence[int]) -> dict[str, Any]:
        links = {str(key): self.links[str(key)] for key in keys if str(key) in self.links}
        return {**({"links": links} if links else {}), **({"issues": [self.issue]} if self.issue else {})}


def with_graph(context: StepContext, queries: Sequence[str], searched: Found, k: int) -> JoinedCandidates:
    """Join the candidates that were `searched` without the graph with those of the graph, as `graph_mode` says.

    At most `k` are returned. `hybrid` leaves a third of the places to the `searched` ones, because a graph never
    contains all of a document.
    """
    mode = context.query.options.graph_mode
    if mode == "naive":
        return JoinedCandidates(searched[:k])
    planned = _stored_plan(context, queries)
    if planned["status"] == "empty":
        return JoinedCandidates(searched[:k], issue=planned.get("reason", NO_GRAPH))
    near = graph_candidates(context, planned, " ".join(queries))
    if not near.chunks:
        return JoinedCandidates(searched[:k], issue=NOTHING_NEAR)
    similarity = dict(searched)
    keys = _ordered(mode, near, [key for key, _ in searched], k)
    earlier: dict[str, Link] = (context.earlier("retrieve") or {}).get("links", {})
    return JoinedCandidates([(key, similarity.get(key)) for key in keys], {**near.links, **earlier})


def _stored_plan(context: StepContext, queries: Sequence[str]) -> GraphPlanned:
    if (first := context.outcome("plan_graph")) is not None:
        return GraphPlanned(**first)
    begun = context.earlier("plan_graph") or {}
    if begun.get("status") == "empty":
        return GraphPlanned(**begun)
    return GraphPlanned(status="fallback", low_level=list(queries), high_level=list(queries))


def _ordered(mode: GraphMode, near: GraphFound, searched: Sequence[int], k: int) -> list[int]:
    if mode == "mix":
        return interleave([near.chunks, searched])[:k]
    if mode == "hybrid":
        first = near.chunks[: k - k // 3]
        return list(dict.fromkeys([*first, *searched, *near.chunks]))[:k]
    return near.chunks[:k]
