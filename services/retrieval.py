"""Retrieval: the chunks that may hold the answer (S1.1)."""

from dataclasses import dataclass
from typing import Literal

from clients.embeddings import Embedder
from db.queries.search import search_text, search_vector
from db.queries.workspaces import check_embedding_model
from db.session import reading
from domain.outcomes import Retrieved
from domain.ranking import fuse
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

    Raises EmbeddingMismatch when the workspace's vectors come from another model.
    """
    query = context.query
    search = Search(query.workspace_id, query.options.retrieval_method, query.options.k)
    candidates = find_candidates(query.question, search, context.tools.embedder)
    if not candidates:
        return StepResult.single(Retrieved(status="empty", candidates=[], reason=NOTHING_FOUND))
    return StepResult.single(Retrieved(status="found", candidates=candidates))


def find_candidates(question: str, search: Search, embedder: Embedder) -> list[tuple[int, float | None]]:
    """Return (chunk key, cosine similarity) by vector similarity, the best first; `hybrid` fuses them with full-text
    matches, whose similarity is None unless they are near, too.

    Raises EmbeddingMismatch when the workspace's vectors come from another model.
    """
    embedding = embedder.encode([question])[0].tolist()
    with reading() as session:
        check_embedding_model(session, search.workspace_id, embedder.name, embedder.dimension)
        near = search_vector(session, search.workspace_id, embedding, search.k)
        rankings = [[key for key, _ in near]]
        if search.method == "hybrid":
            rankings.append(search_text(session, search.workspace_id, question, search.k))
    similarity = dict(near)
    return [(key, similarity.get(key)) for key in fuse(rankings)[: search.k]]
