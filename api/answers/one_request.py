"""Answers a question within one request: submits and starts an ordinary query, then waits for it."""

from typing import Any
from uuid import UUID

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool

from api.answers.waiting import read_when_final
from api.http.errors import Unanswered
from domain.errors.state import AnswerHeld
from services.core.model_choice import current_settings
from services.queries import results
from services.queries.submission import NewQuery, submit_query
from workers.starting.launch import launcher

MAX_WAIT_S = 120


async def answered(request: Request, response: Response, new: NewQuery) -> dict[str, Any]:
    """Return the succeeded query as `services.queries.results.read_query` does; `Location` says where its history is.

    Raises Unanswered (504 after MAX_WAIT_S seconds, 502 when the query failed) and what `submit_query` raises.
    """
    query_id = await run_in_threadpool(start_query, new)
    response.headers["Location"] = location_of(query_id)
    return succeeded(await read_when_final(request, query_id, MAX_WAIT_S, results.read_query))


def succeeded(query: dict[str, Any]) -> dict[str, Any]:
    """Return `query` unchanged. Raises Unanswered when it is not finished (504), held back (423), or has no answer
    (502)."""
    here = location_of(query["id"])
    if query["status"] not in results.FINAL:
        detail = f"The answer is not finished after {MAX_WAIT_S:g} seconds; it goes on, and GET {here} will have it."
        raise Unanswered(504, "not_finished_in_time", detail, here)
    if query["status"] == "held":
        held = AnswerHeld()
        raise Unanswered(held.status, held.code, held.message, here)
    if query["status"] != "succeeded":
        error = query["error"] or {"code": "query_cancelled", "message": "The query was cancelled before its end."}
        raise Unanswered(502, error["code"], error["message"], here)
    return query


def location_of(query_id: UUID | str) -> str:
    return f"/v1/queries/{query_id}"


def start_query(new: NewQuery) -> UUID:
    """Accept the query and hand it to the workers; return its id. Raises what `submit_query` raises."""
    query_id = submit_query(new, current_settings())
    launcher().queries()
    return query_id
