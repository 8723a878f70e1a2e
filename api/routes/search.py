"""Passage search without an answer; only reranking, where it is asked for, may call a language model."""

from importlib import import_module

from fastapi import APIRouter, Depends, Request

from api.http.uploads import require_json
from api.schemas.questions.retrieval import SearchExplain, SearchExplained
from api.schemas.questions.search import SearchCreate, SearchResult
from clients.embeddings import configured_embedder
from config.settings import settings
from domain.errors import ScopeMissing
from domain.keys import Scope, allows
from services.queries.passage_search import NewSearch, search_passages
from services.queries.submission import NewQuery

router = APIRouter(prefix="/v1/search", tags=["documents"])


@router.post("", name="search_passages", response_model=SearchResult, dependencies=[Depends(require_json)])
def search(asked: SearchCreate) -> object:
    """The passages that a question would find first, before reranking by a model."""
    # Computed here, as the only exception: the vector of a line of text takes 2 ms, less than the way through a queue.
    new = NewSearch(asked.query, asked.workspace, tuple(asked.workspaces or ()), asked.k, asked.filter)
    return search_passages(new, settings(), configured_embedder())


@router.post("/explain", name="explain_search", response_model=SearchExplained, dependencies=[Depends(require_json)])
def explain(asked: SearchExplain, request: Request) -> object:
    """How a question's passages are found: the rank and score of each part, and what an answer would be written from.

    It is retrieved as for an answer of a `structured` run, without rewriting the question; nothing is stored.
    """
    if asked.rerank:
        _check_may_rerank(request)
    new = NewQuery(
        question=asked.question,
        workspace=asked.workspace,
        workspaces=tuple(asked.workspaces or ()),
        mode=asked.mode,
        retrieval_method=asked.method,
        k=asked.k,
        top_k=asked.top_k,
        filter=asked.filter,
        multi_query=0,
    )
    # Models take a second to import, which other requests need not wait for.
    return import_module("api.answers.retrieval_trial").tried(new, reranks=asked.rerank, limit=asked.limit)


def _check_may_rerank(request: Request) -> None:
    """A key that only reads must not spend money. Raises ScopeMissing."""
    scopes = getattr(request.state, "scopes", None)
    by = settings().rerank.provider
    is_paid = by == "endpoint" or (by == "llm" and settings().provider != "offline")
    if scopes is not None and is_paid and not allows(scopes, Scope.ASK):
        raise ScopeMissing(
            "Reranking asks a language model, which needs a key with the scope 'ask'; send `rerank` as false."
        )
