"""Questions: stored here and handed to the workers, which answer them."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime

from api.adapters.completions import places_at
from api.adapters.exports import DOCX, ExportFormat, exported
from api.answers.streaming import EVENTS, LastEventId, event_stream
from api.answers.waiting import Wait, read_when_final, whole
from api.http.accepted_requests import require_json
from api.http.capacity import ROOM_FOR_A_QUESTION, MaybeRepeated, hand_on
from api.http.downloads import download, page_url
from api.http.paging import After, next_cursor
from api.http.security import has_scope
from api.schemas.questions.answers import QueryRead
from api.schemas.questions.queries import (
    QueryAccepted,
    QueryCreate,
    QueryHead,
    QueryLinks,
    QueryList,
    QueryState,
    QuestionCreate,
)
from api.schemas.texts import WorkspaceName, fields_for
from api.schemas.verification.history import HistoryRead
from clients.notifications import notify_end
from db.models import QueryKind
from db.queries.runs.queries import QueryFilter
from domain.exports.file_name import file_name
from domain.keys import Scope
from services.core.model_choice import current_settings
from services.queries import overview, results
from services.queries.cancel_and_retry import cancel_query, retry_query
from services.queries.submission import NewQuery, submit_once

router = APIRouter(prefix="/v1/queries", tags=["queries"])

FORMAT = (
    "`csv` has a row per sentence, `json` is what `GET /v1/queries/{id}` responds; all others say the same, each in "
    "its form."
)
_TEXTS = ("text/markdown", "text/plain", "text/html", "text/csv", "application/json")
EXPORTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file, with a name in `Content-Disposition`.",
        "content": {kind: {"schema": {"type": "string"}} for kind in _TEXTS}
        | {kind: {"schema": {"type": "string", "format": "binary"}} for kind in ("application/pdf", DOCX)},
    }
}


@router.post(
    "",
    name="create_query",
    status_code=202,
    response_model=QueryAccepted,
    responses={200: {"model": QueryRead, "description": "It has ended within the time to `wait`."}},
    dependencies=[Depends(require_json), ROOM_FOR_A_QUESTION],
)
async def ask(
    query: QueryCreate, request: Request, response: Response, repeatable: MaybeRepeated, wait: Wait = 0
) -> object:
    """Ask a question. Workers answer it; `links.self` shows the progress.

    With `wait` the response is the answered question if it is ready in time; otherwise it says where it will be.
    """
    new = as_new_query(query, workspaces=tuple(query.workspaces or ()))
    query_id, repeated = await run_in_threadpool(lambda: submit_once(new, current_settings(), repeatable))
    hand_on(response, repeated=repeated)
    accepted = _accepted(query_id, response)
    if not wait:
        return accepted
    told = await read_when_final(request, query_id, wait, results.read_query)
    return whole(told, QueryRead, response) or accepted.model_copy(update={"status": told["status"]})


@router.post("/{query_id}/replay", name="replay_query", status_code=202, dependencies=[ROOM_FOR_A_QUESTION])
def replay(query_id: UUID, repeatable: MaybeRepeated, response: Response) -> QueryAccepted:
    """Ask a question again that failed, was cancelled or has parked steps, as a new one; `id` is that of the new one.

    Finished work is reused, so nothing is paid for twice; see `replay_of`.
    """
    new_id, repeated = retry_query(query_id, QueryKind.ANSWER, current_settings(), repeatable)
    hand_on(response, repeated=repeated)
    return _accepted(new_id, response)


@router.get("", response_model=QueryList)
def list_queries(
    after: After,
    workspace: Annotated[
        WorkspaceName | None,
        Query(
            description="Only questions to this workspace. A question to several workspaces is listed under the first "
            "of them."
        ),
    ] = None,
    status: Annotated[QueryState | None, Query(description="Only questions in this state.")] = None,
    created_after: Annotated[
        AwareDatetime | None, Query(description="Only questions from this time on (RFC 3339).")
    ] = None,
    created_before: Annotated[AwareDatetime | None, Query(description="Only questions before this time.")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> object:
    """The newest questions first, without their answers; `next_cursor` leads to the next page."""
    wanted = QueryFilter(workspace, status, created_after, created_before)
    heads = overview.read_queries(wanted, after=after, limit=limit)
    return {"queries": heads, "next_cursor": next_cursor(heads, limit)}


@router.get("/{query_id}", response_model=QueryRead, response_model_exclude_unset=True)
async def get_query(request: Request, query_id: UUID, wait: Wait = 0) -> object:
    """The question with everything known about it; with `wait` the response comes at the end, or when time is up."""
    if wait:
        return await read_when_final(request, query_id, wait, results.read_query)
    return await run_in_threadpool(results.read_query, query_id)


@router.delete("/{query_id}", name="cancel_query", response_model=QueryHead)
def cancel(query_id: UUID) -> object:
    """Cancel the question: work on it stops within seconds, and no more events are sent."""
    head = cancel_query(query_id)
    notify_end(query_id)
    return head


@router.get("/{query_id}/events", name="stream_query_events", response_class=StreamingResponse, responses=EVENTS)
async def stream_events(query_id: UUID, last_event_id: LastEventId = 0) -> Response:
    """Server-sent events: stages, the draft as it is written, every check and repair, and the end with the result.

    `id` counts up from 1. After a lost connection send the last one as `Last-Event-ID`, to any API process: the stream
    continues after it. For a finished question the milestones are replayed, without the drafts and their numbers; when
    nothing is left to send the response is 204, which tells a browser not to reconnect.
    """
    return await event_stream(query_id, last_event_id)


@router.get("/{query_id}/export", name="export_query", response_class=Response, responses=EXPORTS)
def export(
    request: Request,
    query_id: UUID,
    format: Annotated[ExportFormat, Query(description=FORMAT)] = "markdown",
) -> Response:
    """A finished answer as a file, named after its question: the text, each cited quote with its place, the signal with
    its caveats, disagreements of documents, all changes, and the verdict on each sentence; for a refusal, the closest
    passages."""
    query = results.read_succeeded(query_id)
    made = exported(query, format, places_at(page_url(request)))
    at = datetime.fromisoformat(query["finished_at"])
    return download(made.content, file_name(query["question"], at, made.suffix), made.media_type)


@router.get("/{query_id}/verifications", name="get_query_history", response_model=HistoryRead)
def get_verifications(query_id: UUID, request: Request) -> object:
    """The whole history: every verification, check, model call and event of the question."""
    return results.read_history(query_id, to_reviewer=has_scope(request, Scope.REVIEW))


def _accepted(query_id: UUID, response: Response) -> QueryAccepted:
    links = links_of(query_id)
    response.headers["Location"] = links.self
    return QueryAccepted(id=query_id, status="queued", links=links)


def links_of(query_id: UUID) -> QueryLinks:
    here = f"{router.prefix}/{query_id}"
    return QueryLinks(self=here, events=f"{here}/events", verifications=f"{here}/verifications")


def as_new_query(query: QuestionCreate, **place: Any) -> NewQuery:
    """The question with all its options, which `NewQuery` has side by side."""
    options = fields_for(NewQuery, query, query.retrieval, query.rerank, query.verification)
    options |= {**place, "enable_verification": query.verify}
    return NewQuery(**options)
