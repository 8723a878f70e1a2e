"""Questions: stored and handed to the workers here, answered there."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from api.schemas.answers import QueryRead
from api.schemas.history import HistoryRead
from api.schemas.queries import QueryAccepted, QueryCreate, QueryLinks, QueryList, QueryState
from api.schemas.texts import WorkspaceName
from api.uploads import require_json
from api.waiting import until_final
from config.settings import settings
from services import results
from services.submission import NewQuery, submit_query
from workers.launch import launch_query

router = APIRouter(prefix="/v1/queries", tags=["queries"])

MAX_WAIT_S = 60


@router.post("", status_code=202, dependencies=[Depends(require_json)])
def ask(query: QueryCreate, response: Response) -> QueryAccepted:
    """Ask a question. The answer is worked out elsewhere; `links.self` shows how far it is."""
    query_id = submit_query(_as_new_query(query), settings())
    launch_query(query_id)
    here = f"{router.prefix}/{query_id}"
    response.headers["Location"] = here
    return QueryAccepted(
        id=query_id, status="queued", links=QueryLinks(self=here, verifications=f"{here}/verifications")
    )


@router.get("", response_model=QueryList)
def list_queries(
    workspace: Annotated[WorkspaceName | None, Query(description="Only of this workspace.")] = None,
    status: Annotated[QueryState | None, Query(description="Only in this state.")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> object:
    """The newest questions first, without their answers."""
    return {"queries": results.read_queries(workspace=workspace, status=status, before=None, limit=limit)}


@router.get("/{query_id}", response_model=QueryRead, response_model_exclude_unset=True)
async def get_query(
    request: Request,
    query_id: UUID,
    wait: Annotated[float, Query(ge=0, le=MAX_WAIT_S, description="Seconds to wait for the end at most.")] = 0,
) -> object:
    """The question with all that is known of it; with `wait` the response comes at the end, or when time is up."""
    if wait:
        await until_final(request, query_id, wait)
    return await run_in_threadpool(results.read_query, query_id)


@router.get("/{query_id}/verifications", response_model=HistoryRead)
def get_verifications(query_id: UUID) -> object:
    """The whole history: every verification, check, model call and event of the question."""
    return results.read_history(query_id)


def _as_new_query(query: QueryCreate) -> NewQuery:
    return NewQuery(
        question=query.question,
        workspace=query.workspace,
        mode=query.mode,
        model=query.model,
        retrieval_method=query.retrieval.method,
        k=query.retrieval.k,
        top_k=query.rerank.top_k,
        enable_verification=query.verify,
        show_claims=query.verification.show_claims,
        confidence_threshold=query.verification.confidence_threshold,
        max_crag_attempts=query.verification.max_crag_attempts,
        repair=query.verification.repair,
        source_scoring=query.rerank.source_scoring,
        callback_url=query.callback_url,
    )
