"""Retrieval: the chunks that may hold the answer (S1.1)."""

from db.queries.search import search_text, search_vector
from db.queries.workspaces import check_embedding_model
from db.session import reading
from domain.outcomes import Retrieved
from domain.ranking import fuse
from services.step import StepContext, StepResult

NOTHING_FOUND = "The workspace has no document that is ready to be searched."


def retrieve(context: StepContext) -> StepResult:
    """Find `k` candidates by vector similarity; `hybrid` fuses them with full-text matches.

    Raises EmbeddingMismatch when the workspace's vectors come from another model.
    """
    query, embedder = context.query, context.tools.embedder
    embedding = embedder.encode([query.question])[0].tolist()
    with reading() as session:
        check_embedding_model(session, query.workspace_id, embedder.name, embedder.dimension)
        near = search_vector(session, query.workspace_id, embedding, query.options.k)
        rankings = [[key for key, _ in near]]
        if query.options.retrieval_method == "hybrid":
            rankings.append(search_text(session, query.workspace_id, query.question, query.options.k))
    similarity = dict(near)
    candidates = [(key, similarity.get(key)) for key in fuse(rankings)[: query.options.k]]
    if not candidates:
        return StepResult.single(Retrieved(status="empty", candidates=[], reason=NOTHING_FOUND))
    return StepResult.single(Retrieved(status="found", candidates=candidates))
