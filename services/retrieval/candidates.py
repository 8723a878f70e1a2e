"""Retrieval: finds the chunks that may contain the answer (S1.1), those missing from an earlier round (S2.3), and
treats copies as one."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import structlog
from sqlalchemy.orm import Session

from citewell_verify.embeddings.protocol import Embedder
from citewell_verify.evidence.passages import Passage
from db.queries.access.workspaces import existing_workspaces
from db.queries.documents.documents import count_unread
from db.queries.documents.spaces import Space, find_space
from db.queries.search.filters import conditions, list_copies
from db.queries.search.passages import search_scored, search_vector
from db.session import reading
from domain.errors.service import EmbeddingUnavailable
from domain.errors.state import EmbeddingsDiffer
from domain.query.options import DocumentFilter
from domain.query.outcomes import Retrieved
from domain.retrieval.lexemes import lexemes, words_order
from domain.retrieval.ranking import fuse, fusion_points, without_copies
from services.core.context import StepContext, StepResult
from services.core.model_choice import embedder_for, likely_space, remember_space
from services.graph.search import Found, with_graph
from services.retrieval.agentic_state import made_searches, merged_candidates, search_issues
from services.retrieval.tracing import Ranking, trace_fusion

_COMPARED = 60
"""The most passages that get vectors for one question: each costs some 13 ms of a processor."""

_NAMED = 20
"""The most documents to name."""


class CopyOf(NamedTuple):
    """Another document with the same passage."""

    document_id: uuid.UUID
    filename: str


def share_places(
    ranked: Sequence[int], workspaces: Sequence[int], *, is_filtered: bool
) -> tuple[list[int], dict[int, list[CopyOf]]]:
    """Return the passages `ranked` without copies of better ones, and the documents with the same content as each.

    If documents were filtered, only documents that were found are named.
    """
    with reading() as session:
        copies = list_copies(session, ranked, workspaces) if len(ranked) else []
    documents = {copy.copy: copy.document_id for copy in copies}
    pairs: dict[int, list[int]] = {}
    named: dict[int, dict[uuid.UUID, CopyOf]] = {}
    found = set(ranked)
    for copy in copies:
        pairs.setdefault(copy.key, []).append(copy.copy)
        if copy.copy in found or not is_filtered:
            named.setdefault(copy.key, {})[copy.document_id] = CopyOf(copy.document_id, copy.filename)
    kept = without_copies(ranked, pairs, documents)
    return kept, {key: list(named[key].values())[:_NAMED] for key in kept if key in named}


def copies_of_cited(
    session: Session, passages: Mapping[int, int], workspaces: Sequence[int]
) -> dict[int, list[dict[str, Any]]]:
    """Return the documents that now have the same passage as a citation, by the key in `passages`."""
    named: dict[int, dict[uuid.UUID, CopyOf]] = {}
    for copy in list_copies(session, set(passages.values()), workspaces) if passages else ():
        named.setdefault(copy.key, {})[copy.document_id] = CopyOf(copy.document_id, copy.filename)
    return {at: copies_json(list(named[key].values())[:_NAMED]) for at, key in passages.items() if key in named}


def copies_json(copies: Sequence[CopyOf]) -> list[dict[str, Any]]:
    return [{"document_id": copy.document_id, "document_name": copy.filename} for copy in copies]


log = structlog.get_logger()

MERGED = 2
"""Several searches keep this many times `k` candidates: each candidate costs a model call."""
NOTHING_FOUND = "The workspace has no document that is ready to be searched."
BY_WORDS_ONLY = "Passages were searched for by their words only, not by their meaning."
NOTHING_PASSES = "No document that is ready to be searched passes the filter of the request."


_DEPTH = 50  # the minimum depth of each ranking that is fused: a chunk further down in both may come first
_DEEPER = 4
_DENSE_WEIGHTS = {"use-multilingual-v3": 0.3}
"""The weight of similarity relative to words (1), by the first word of the model's name. Measured for the built-in
model, whatever its vectors; other models count like words."""


@dataclass(frozen=True, slots=True)
class Search:
    """The parameters of a search: `k` candidates by similarity alone (`vector`) or with lexical matches (`hybrid`).

    `dense_weight` is the weight of similarity in the fusion; None means the embedder's own.
    """

    workspace_id: int
    method: Literal["vector", "hybrid"]
    k: int
    filter: DocumentFilter | None = None
    dense_weight: float | None = None
    workspaces: tuple[int, ...] = ()
    """All workspaces to search, if there are several."""
    excluded: bool = False
    """Search only passages that people excluded, to show what would have been found among them."""

    @property
    def places(self) -> tuple[int, ...]:
        return self.workspaces or (self.workspace_id,)


class Searched(NamedTuple):
    """(chunk key, cosine similarity), best first, and remarks for users on how they were found."""

    candidates: Found
    issues: tuple[str, ...] = ()
    also_in: Mapping[int, Sequence[CopyOf]] = {}
    """The other documents that have the same passage as a candidate, which represents all of them."""


def retrieve(context: StepContext) -> StepResult:
    """Find `k` candidates for the query, or twice as many with several searches (S3.2, S3.6).

    A corrective round searches for each planned query and adds the results to the passages that the answer was written
    from. Raises EmbeddingMismatch when no available model makes vectors like the workspace's, EmbeddingUnavailable when
    no vectors can be made at the moment and the method is not hybrid.
    """
    options, planned = context.query.options, context.outcome("plan_queries")
    merged = False
    if planned is None:
        queries, searched, most, merged = _first(context)
        joined = with_graph(context, queries, searched.candidates, most)
        candidates, new = joined.candidates, False
    else:
        selected = (context.earlier("select") or {}).get("selected", [])
        similarity = dict((context.earlier("retrieve") or {}).get("candidates", []))
        known = [(key, similarity.get(key)) for key in selected]
        queries = planned["queries"] or (context.earlier("assess") or {}).get("gaps", []) or [context.question]
        searched = search_for(context, queries, options.second_pass_k)
        joined = with_graph(context, queries, searched.candidates, max(len(searched.candidates), options.second_pass_k))
        fresh = [candidate for candidate in joined.candidates if candidate[0] not in selected][: options.k]
        candidates, new = [*known, *fresh], bool(fresh)
    if candidates:
        retrieved = Retrieved(status="found", candidates=candidates, new=new)
    else:
        retrieved = Retrieved(status="empty", candidates=[], reason=_why_nothing(context))
    if merged:
        retrieved["merged"] = True
    graph = joined.as_outcome([key for key, _ in candidates])
    if issues := [*search_issues(context), *searched.issues, *graph.pop("issues", [])]:
        retrieved["issues"] = issues
    return StepResult.single({**retrieved, **graph})


def _why_nothing(context: StepContext) -> str:
    query = context.query
    with reading() as session:
        unread = count_unread(session, query.options.workspaces or (query.workspace_id,))
    if unread == 1:
        return "A document of the workspace is still being read. Ask again when it is ready."
    if unread:
        return f"{unread} documents of the workspace are still being read. Ask again when they are ready."
    return NOTHING_PASSES if query.options.filter else NOTHING_FOUND


def _first(context: StepContext) -> tuple[list[str], Searched, int, bool]:
    """Return the first round's queries, their results, how many results are wanted, and whether there were several
    searches."""
    question, k = context.question, context.query.options.k
    if made := made_searches(context):
        return [search["query"] for search in made], Searched(merged_candidates(made)), MERGED * k, True
    rewritten = (context.outcome("rewrite_question") or {}).get("queries", [])
    most = MERGED * k if rewritten else k
    return [question, *rewritten], search_for(context, [question, *rewritten], k), most, bool(rewritten)


def find_candidates(queries: Sequence[str], search: Search, embedder: Embedder) -> Found:
    """Return (chunk key, cosine similarity), best first. `hybrid` fuses the similarity and lexical rankings of all
    queries by reciprocal rank; the similarity of a purely lexical match is None. There may be more than `k`.

    Raises EmbeddingMismatch when no available model makes vectors like the workspace's, EmbeddingsDiffer when
    workspaces have different ones, EmbeddingUnavailable.
    """
    spaces = {place: likely_space(place, embedder) for place in search.places}
    while space := _common(spaces):
        asked = next(place for place, candidate in spaces.items() if candidate == space)
        candidates, after = _find(queries, search, spaces, space, embedder_for(space, asked, embedder))
        for place, current in after.items():
            remember_space(place, current)
        # `citewell reembed` may have switched a space between the two reads, and then removed the old vectors.
        if spaces == after:
            return candidates
        spaces = after
    return []


def _common(spaces: Mapping[int, Space | None]) -> Space | None:
    """Return the space of all workspaces that have one. Raises EmbeddingsDiffer."""
    distinct = {space for space in spaces.values() if space is not None}
    if len(distinct) > 1:
        raise EmbeddingsDiffer
    return next(iter(distinct), None)


def _find(
    queries: Sequence[str], search: Search, spaces: Mapping[int, Space | None], space: Space, embedder: Embedder
) -> tuple[Found, dict[int, Space | None]]:
    """Return the results in `space`, and the spaces of the workspaces after the search.

    Similarities in one space are ranked over all workspaces. A word is rare or frequent within a workspace, so each
    workspace has a lexical ranking of its own.
    """
    embeddings = embedder.encode_queries(queries).tolist()
    weight = (
        _DENSE_WEIGHTS.get(embedder.name.partition(" ")[0], 1.0) if search.dense_weight is None else search.dense_weight
    )
    hybrid, where = search.method == "hybrid", conditions(search.filter)
    depth = max(search.k, _DEPTH) if hybrid or len(queries) > 1 else search.k
    similarity: dict[int, float] = {}
    rankings: list[Ranking] = []
    with reading() as session:
        places = _present(session, [place for place, held in spaces.items() if held is not None])
        for text, embedding in zip(queries, embeddings, strict=True):
            near = [
                match
                for place in places
                for match in search_vector(
                    session, place, embedding, depth, where=where, space=space, excluded=search.excluded
                )
            ]
            near = sorted(near, key=lambda match: -match[1])[:depth]
            similarity = {**dict(near), **similarity}
            if hybrid:
                rankings += [_by_words(session, place, text, depth, search) for place in places]
            rankings.append(Ranking("vector", weight if hybrid else 1.0, near, text))
        after = {place: find_space(session, place) for place in spaces}
    return [(key, similarity.get(key)) for key in _fused(rankings)], after


def _by_words(session: Session, place: int, text: str, depth: int, search: Search) -> Ranking:
    where = conditions(search.filter)
    matches = search_scored(session, place, text, depth, where, excluded=search.excluded)
    return Ranking("lexical", 1.0, matches, text)


def _fused(rankings: Sequence[Ranking]) -> list[int]:
    points = fusion_points([ranking.keys for ranking in rankings], [ranking.weight for ranking in rankings])
    trace_fusion(rankings, points)
    return list(points)


def _present(session: Session, places: Sequence[int]) -> Sequence[int]:
    return places if len(places) == 1 else existing_workspaces(session, places)


def find_by_words(queries: Sequence[str], search: Search) -> Found:
    """Return the lexical half of a hybrid search, for a question that cannot be embedded."""
    depth = max(search.k, _DEPTH)
    with reading() as session:
        places = _present(session, search.places)
        rankings = [_by_words(session, place, text, depth, search) for text in queries for place in places]
    return [(key, None) for key in _fused(rankings)]


def search_for(context: StepContext, queries: Sequence[str], k: int) -> Searched:
    """Return the best results of each of `queries` as the question's options say, in the texts that came with it, if
    there are any; by words alone if necessary.

    Raises EmbeddingMismatch, and EmbeddingUnavailable if the method is not hybrid.
    """
    options = context.query.options
    if context.query.has_given_sources:
        found, by_words_only = search_given(context, queries, k)
        return Searched(found, (BY_WORDS_ONLY,) if by_words_only else ())
    where = Search(
        context.query.workspace_id,
        options.retrieval_method,
        k,
        options.filter,
        options.dense_weight,
        options.workspaces,
    )
    with structlog.contextvars.bound_contextvars(query_id=str(context.query.id)):
        return search(queries, where, context.tools.embedder)


def search(queries: Sequence[str], where: Search, embedder: Embedder) -> Searched:
    most = max(where.k, 1) * max(len(queries), 1)
    candidates, issues = _searched(queries, where, embedder)
    if where.excluded:
        return Searched(candidates[:most], issues)
    kept, also_in = _without_copies(candidates, where, most)
    if len(kept) < where.k <= len(candidates):
        # Copies took the places of other passages.
        candidates, issues = _searched(queries, replace(where, k=_DEEPER * max(where.k, _DEPTH)), embedder)
        kept, also_in = _without_copies(candidates, where, most)
    similarity = dict(candidates)
    return Searched([(key, similarity[key]) for key in kept[:most]], issues, also_in)


def _without_copies(candidates: Found, where: Search, most: int) -> tuple[list[int], Mapping[int, list[CopyOf]]]:
    keys = [key for key, _ in candidates]
    # Usually there are no copies, and few candidates are enough.
    for ranked in (keys[: 2 * most], keys):
        kept, also_in = share_places(ranked, where.places, is_filtered=where.filter is not None)
        if len(kept) >= most:
            return kept, also_in
    return kept, also_in


def _searched(queries: Sequence[str], where: Search, embedder: Embedder) -> tuple[Found, tuple[str, ...]]:
    try:
        return find_candidates(queries, where, embedder), ()
    except EmbeddingUnavailable as error:
        if where.method != "hybrid":
            raise
        log.warning("searched_by_words_only", error=error.code)
        return find_by_words(queries, where), (f"{BY_WORDS_ONLY} {error.message}",)


def search_given(context: StepContext, queries: Sequence[str], k: int) -> tuple[Found, bool]:
    """Return (passage key, cosine similarity), best first, at most `k` for each of `queries`, and whether only words
    counted because no vectors can be made. Further searches of a question use words alone."""
    passages = context.given_passages()
    texts = {passage.key: _text_of(passage) for passage in passages}
    said = {key: lexemes(text) for key, text in texts.items()}
    rankings = [words_order(query, said) for query in queries]
    best, similarity, by_words_only = fuse([*rankings, list(texts)]), dict[int, float](), False
    if len(best) > k and not context.round and context.outcome("select") is None:
        compared = best[:_COMPARED]
        try:
            embedder = context.tools.embedder
            vectors = embedder.encode_documents([texts[key] for key in compared])
            for scores in (vectors @ embedder.encode_queries(list(queries)).T).T.tolist():
                near = dict(zip(compared, scores, strict=True))
                rankings.append(sorted(near, key=near.__getitem__, reverse=True))
                similarity |= {key: max(score, similarity.get(key, score)) for key, score in near.items()}
            best = fuse([*rankings, compared])
        except EmbeddingUnavailable:
            by_words_only = True
    return [(key, similarity.get(key)) for key in best[: k * len(queries)]], by_words_only


def _text_of(passage: Passage) -> str:
    return f"{passage.filename}\n{passage.indexed}"
