"""One request, one answer: an ordinary query is submitted, started and waited for."""

from typing import Any
from uuid import UUID

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool

from api.errors import Unanswered
from api.waiting import until_final
from config.settings import settings
from services import results
from services.submission import NewQuery, submit_query
from workers.launch import launch_query

MAX_WAIT_S = 120


async def answered(request: Request, response: Response, new: NewQuery) -> dict[str, Any]:
    """Return the succeeded query as `services.results.read_query` tells it; `Location` says where its history is.

    Raises Unanswered (504 after MAX_WAIT_S seconds, 502 when the query failed) and what `submit_query` raises.
    """
    query_id = await run_in_threadpool(_start, new)
    here = f"/v1/queries/{query_id}"
    response.headers["Location"] = here
    await until_final(request, query_id, MAX_WAIT_S)
    query = await run_in_threadpool(results.read_query, query_id)
    if query["status"] not in results.FINAL:
        detail = f"The answer is not finished after {MAX_WAIT_S:g} seconds; it goes on, and GET {here} will have it."
        raise Unanswered(504, "not_finished_in_time", detail, here)
    if query["status"] != "succeeded":
        error = query["error"] or {"code": "query_cancelled", "message": "The query was cancelled before its end."}
        raise Unanswered(502, error["code"], error["message"], here)
    return query


def _start(new: NewQuery) -> UUID:
    query_id = submit_query(new, settings())
    launch_query(query_id)
    return query_id
