"""Retrieval: the chunks that may hold the answer (S1.1), and in a corrective round what was missing (S2.3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from clients.embeddings import Embedder
from db.queries.search import search_text, search_vector
from db.queries.workspaces import check_embedding_model
from db.session import reading
from domain.outcomes import Retrieved
from domain.ranking import fuse
from services.graph_joining import Found, with_graph
from services.step import StepContext, StepResult

NOTHING_FOUND = "The workspace has no document that is ready to be searched."


@dataclass(frozen=True, slots=True)
class Search:
    """Where to search, and how: `k` candidates by similarity alone (`vector`) or with full-text matches (`hybrid`)."""

    workspace_id: int
    method: Literal["vector", "hybrid"]
    k: int


def retrieve(context: StepContext) -> StepResult:
    """Find `k` candidates for the query.

    A corrective round searches for each planned query and adds what it finds to what the answer was written from.
    Raises EmbeddingMismatch when the workspace's vectors come from another model.
    """
    options, planned = context.query.options, context.outcome("plan_queries")
    if planned is None:
        queries = [context.query.question]
        joined = with_graph(context, queries, search_for(context, queries, options.k), options.k)
        candidates, new = joined.found, False
    else:
        known = _known(context)
        queries = planned["queries"] or (context.earlier("assess") or {}).get("gaps", []) or [context.query.question]
        found = search_for(context, queries, options.second_pass_k)
        joined = with_graph(context, queries, found, max(len(found), options.second_pass_k))
        fresh = [each for each in joined.found if each[0] not in {key for key, _ in known}][: options.k]
        candidates, new = [*known, *fresh], bool(fresh)
    if not candidates:
        return StepResult.single(Retrieved(status="empty", candidates=[], reason=NOTHING_FOUND))
    outcome = Retrieved(status="found", candidates=candidates, new=new)
    return StepResult.single({**outcome, **joined.told([key for key, _ in candidates])})


def _known(context: StepContext) -> Found:
    """What earlier rounds wrote from, with its similarity to the question."""
    selected = (context.earlier("select") or {}).get("selected", [])
    similarity = dict((context.earlier("retrieve") or {}).get("candidates", []))
    return [(key, similarity.get(key)) for key in selected]


def find_candidates(queries: Sequence[str], search: Search, embedder: Embedder) -> Found:
    """Return (chunk key, cosine similarity), the best first: `k` by similarity for each query, fused with as many
    full-text matches in `hybrid`; the similarity of what only matched is None.

    Raises EmbeddingMismatch when the workspace's vectors come from another model.
    """
    embeddings = embedder.encode(queries).tolist()
    similarity: dict[int, float] = {}
    rankings: list[list[int]] = []
    with reading() as session:
        check_embedding_model(session, search.workspace_id, embedder.name, embedder.dimension)
        for text, embedding in zip(queries, embeddings, strict=True):
            near = search_vector(session, search.workspace_id, embedding, search.k)
            similarity = {**dict(near), **similarity}
            rankings.append([key for key, _ in near])
            if search.method == "hybrid":
                rankings.append(search_text(session, search.workspace_id, text, search.k))
    return [(key, similarity.get(key)) for key in fuse(rankings)]


def search_for(context: StepContext, queries: Sequence[str], k: int) -> Found:
    """Return the best first of what each of `queries` finds as the question's options say."""
    where = Search(context.query.workspace_id, context.query.options.retrieval_method, k)
    return find_candidates(queries, where, context.tools.embedder)
