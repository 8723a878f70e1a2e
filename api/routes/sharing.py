"""Answers for people without a key: links are created and revoked with a key, and opened without one."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from api.adapters.answer_page import HTML_POLICY, page_of
from api.adapters.exports import korean, shared_page
from api.http.accepted_requests import require_json
from api.http.downloads import page_url
from api.schemas.problem import Problem
from api.schemas.questions.sharing import ShareCreate, ShareCreated, SharedAnswer, ShareList
from domain.answers.continuous_text import no_link
from domain.errors.missing import ShareNotFound
from domain.exports.taken_along import taken_along
from services.queries import sharing

router = APIRouter(prefix="/v1/queries", tags=["sharing"])
open_router = APIRouter(tags=["sharing"])

PREFIX = "/shared"
_MOST_TOKEN_CHARS = 200
# No cache stores the page, so that a revoked link shows nothing, and no search engine lists it.
_HEADERS = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow"}
_PAGE_HEADERS = {**_HEADERS, "Content-Security-Policy": HTML_POLICY}
_PAGE = {"text/html": {"schema": {"type": "string", "description": "A page in which nothing runs."}}}
_OPENED: dict[int | str, dict[str, Any]] = {
    200: {"content": _PAGE},
    404: {"model": Problem, "description": "There is no such link any more.", "content": _PAGE},
}


@router.post("/{query_id}/share", name="share_query", status_code=201, response_model=ShareCreated)
def share(
    query_id: UUID, asked: ShareCreate, request: Request, response: Response, _: Annotated[None, Depends(require_json)]
) -> object:
    """Create a link that opens a finished answer without a key for a number of hours. Only this response shows it."""
    made = sharing.share_answer(query_id, asked.hours)
    response.headers["Cache-Control"] = "no-store"
    return {**made, "url": f"{page_url(request)}{PREFIX}/{made['token']}"}


@router.get("/{query_id}/share", name="list_query_shares", response_model=ShareList)
def list_shares(query_id: UUID) -> object:
    """All links to an answer, without their addresses."""
    return {"shares": sharing.read_shares(query_id)}


@router.delete("/{query_id}/share/{share_id}", name="revoke_query_share", status_code=204)
def revoke(query_id: UUID, share_id: UUID) -> None:
    """Revoke a link at once. Repeating it is harmless."""
    sharing.revoke_share(query_id, share_id)


@open_router.get(PREFIX + "/{token}", name="get_shared_answer", response_model=SharedAnswer, responses=_OPENED)
def open_shared(
    request: Request,
    token: Annotated[str, Path(max_length=_MOST_TOKEN_CHARS, description="The last part of the link.")],
    format: Annotated[
        Literal["json", "html"] | None,
        Query(description="If omitted, a browser gets the page and a program gets JSON."),
    ] = None,
) -> Response:
    """A shared answer: needs no key, only the link."""
    preferred = "html" if "text/html" in request.headers.get("accept", "") else "json"
    is_page = (format or preferred) == "html"
    try:
        query = sharing.read_shared(token)
    except ShareNotFound as error:
        if is_page:
            in_korean = request.headers.get("accept-language", "").lower().startswith("ko")
            told = korean().told(error.message) if in_korean else error.message
            return HTMLResponse(page_of(told, [], korean=in_korean), error.status, headers=_PAGE_HEADERS)
        raise
    if is_page:
        return HTMLResponse(shared_page(query), headers=_PAGE_HEADERS)
    scores: dict[str, Any] = query["verification"] or {"confidence": None, "confidence_level": None, "sentences": []}
    notes = taken_along(query, no_link, origin=False).notes
    shown = SharedAnswer.model_validate({**query, "notes": list(notes), **{name: scores[name] for name in _SCORES}})
    return JSONResponse(shown.model_dump(mode="json"), headers=_HEADERS)


_SCORES = ("confidence", "confidence_level", "sentences")
