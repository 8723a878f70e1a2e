"""Passage search without an answer and without a call to a language model."""

from fastapi import APIRouter, Depends

from api.http.uploads import require_json
from api.schemas.questions.search import SearchCreate, SearchResult
from clients.embeddings import configured_embedder
from config.settings import settings
from services.queries.passage_search import NewSearch, search_passages

router = APIRouter(prefix="/v1/search", tags=["documents"])


@router.post("", name="search_passages", response_model=SearchResult, dependencies=[Depends(require_json)])
def search(asked: SearchCreate) -> object:
    """The passages that a question would find first, before reranking by a model."""
    # Computed here, as the only exception: the vector of a line of text takes 2 ms, less than the way through a queue.
    new = NewSearch(asked.query, asked.workspace, tuple(asked.workspaces or ()), asked.k, asked.filter)
    return search_passages(new, settings(), configured_embedder())
