"""Checks that may answer or refuse a request before it is processed: an idempotency key that was used before (A3), and
missing capacity (A7).

These dependencies run after those of the router, so they act for the key's tenant. FastAPI reads a JSON body before any
dependency; files are read after them.
"""

import hashlib
from typing import Annotated, Any, cast

from fastapi import Depends, Header, Request, Response
from fastapi.concurrency import run_in_threadpool

from api.schemas.questions.queries import LONGEST_DEADLINE_S, SHORTEST_DEADLINE_S
from db.queries.access.idempotency import Repeatable
from domain.errors.requests import IdempotencyKeyInvalid
from services.core import call_ledger
from services.core.call_ledger import Priority
from services.queries import load_shedding
from workers.starting.launch import launcher

REPLAYED = {"Idempotent-Replayed": "true"}
_MOST = 255


async def _repeatable(
    request: Request,
    idempotency_key: Annotated[
        str | None,
        Header(
            description="1 to 255 visible ASCII characters, e.g. a UUID. A repetition within 24 hours gets the first "
            "response again; another path or body under the same key is refused. `wait` may differ.",
            json_schema_extra={"pattern": f"^[!-~]{{1,{_MOST}}}$"},
        ),
    ] = None,
) -> Repeatable | None:
    if idempotency_key is None:
        return None
    if not (1 <= len(idempotency_key) <= _MOST and all("!" <= character <= "~" for character in idempotency_key)):
        raise IdempotencyKeyInvalid
    # The client's waiting time does not affect the result, and a repetition may wait longer.
    query = "&".join(part for part in request.url.query.split("&") if part.partition("=")[0] != "wait")
    digest = hashlib.sha256(f"{request.url.path}?{query}\n".encode())
    digest.update(await request.body())
    return Repeatable(idempotency_key, digest.hexdigest())


def hand_on(response: Response, *, repeated: bool) -> None:
    """Hand what was accepted to the workers, or say that an earlier request was the same."""
    if repeated:
        response.headers.update(REPLAYED)
    else:
        launcher().queries()


MaybeRepeated = Annotated[Repeatable | None, Depends(_repeatable)]


async def _for_a_question(
    request: Request,
    priority: Annotated[
        Priority | None,
        Header(
            alias=call_ledger.HEADER,
            description="Who waits for the answer: `interactive`, a person, or `batch`. Within a tenant people go "
            "first. If omitted, the first few questions in progress of a key count as interactive.",
        ),
    ] = None,
) -> None:
    # The priority is set here and not in a thread, because changes to a thread's context do not reach the route.
    call_ledger.set_priority(priority)
    deadline_s = await _deadline_s(request)
    await run_in_threadpool(load_shedding.check_questions, _key(request), priority=priority, deadline_s=deadline_s)


def _for_a_batch(request: Request) -> None:
    load_shedding.check_batches(_key(request))


def _for_a_document() -> None:
    load_shedding.check_documents()


def _key(request: Request) -> str | None:
    return request.headers.get("idempotency-key")


async def _deadline_s(request: Request) -> float | None:
    """Return the deadline that the request asks for, if it is valid; the route itself reports an invalid one."""
    try:
        body: Any = await request.json()
    except (ValueError, RecursionError):
        return None
    said: Any = cast("dict[str, Any]", body).get("deadline_s") if isinstance(body, dict) else None
    return float(said) if type(said) in (int, float) and SHORTEST_DEADLINE_S <= said <= LONGEST_DEADLINE_S else None


ROOM_FOR_A_QUESTION = Depends(_for_a_question)
ROOM_FOR_A_BATCH = Depends(_for_a_batch)
ROOM_FOR_A_DOCUMENT = Depends(_for_a_document)
