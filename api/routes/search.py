"""Passage search without an answer; only the trial, `explain`, may call language models."""

from importlib import import_module
from typing import Any

from fastapi import APIRouter, Depends, Request

from api.http.accepted_requests import require_json
from api.schemas.questions.retrieval import SearchExplain, SearchExplained
from api.schemas.questions.search import SearchCreate, SearchResult
from api.schemas.texts import fields_for
from clients.embeddings.factory import configured_embedder
from config.settings import Settings
from domain.errors.access import ScopeMissing
from domain.keys import Scope, allows
from services.core.model_choice import current_settings, settings_without_model
from services.queries.passage_search import NewSearch, search_passages
from services.queries.submission import NewQuery, resolve_options

router = APIRouter(prefix="/v1/search", tags=["documents"])


@router.post("", name="search_passages", response_model=SearchResult, dependencies=[Depends(require_json)])
def search(asked: SearchCreate) -> object:
    """The passages that a question would find first, before reranking by a model."""
    # Computed in this process, as the only exception: the vector of a line of text takes 2 ms, less than the way
    # through a queue.
    new = NewSearch(asked.query, asked.workspace, tuple(asked.workspaces or ()), asked.k, asked.filter)
    return search_passages(new, settings_without_model(), configured_embedder())


@router.post("/explain", name="explain_search", response_model=SearchExplained, dependencies=[Depends(require_json)])
def explain(asked: SearchExplain, request: Request) -> object:
    """A trial of the retrieval for a question: the rank and score of each part, and the passages that an answer would
    be written from.

    The search is the same as for an answer, up to the choice of its passages. Only the model calls are stored.
    """
    options: dict[str, Any] = fields_for(NewQuery, asked) | {"workspaces": tuple(asked.workspaces or ())}
    if not asked.rerank:
        # A search without scores is meant to cost nothing, so paid steps run only if the request names them.
        options |= {"multi_query": asked.multi_query or 0, "graph": asked.graph or "naive"}
    new = NewQuery(**options)
    _check_may_pay(request, new, reranks=asked.rerank)
    # Importing models takes a second, which other requests need not wait for.
    return import_module("api.answers.retrieval_trial").tried(new, reranks=asked.rerank, limit=asked.limit)


def _check_may_pay(request: Request, new: NewQuery, *, reranks: bool) -> None:
    """Refuse to spend money for a key that may only read. Raises ScopeMissing."""
    scopes = getattr(request.state, "scopes", None)
    if scopes is not None and not allows(scopes, Scope.ASK) and costs(new, current_settings(), reranks=reranks):
        raise ScopeMissing(
            "This asks a language model, which needs a key with the scope 'ask'; send `rerank` as false, and leave out "
            "`run`, `multi_query` and `graph`."
        )


def costs(new: NewQuery, configured: Settings, *, reranks: bool) -> bool:
    """Return whether the trial of a retrieval asks a model that is paid."""
    by, options = configured.rerank.provider if reranks else None, resolve_options(new, configured)
    asks = by == "llm" or options.run != "structured" or bool(options.preparations)
    return by == "endpoint" or (asks and configured.provider != "offline")
