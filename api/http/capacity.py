"""Dependencies that refuse new work while there is no capacity, before the request is processed (A7).

They run after those of the router, so they act for the key's tenant. FastAPI reads a JSON body before any dependency;
files are read after them.
"""

from typing import Annotated, Any, cast

from fastapi import Depends, Header, Request
from fastapi.concurrency import run_in_threadpool

from api.schemas.questions.queries import LONGEST_DEADLINE_S, SHORTEST_DEADLINE_S
from services.core import request_priority
from services.core.request_priority import Priority
from services.queries import load_shedding


async def _for_a_question(
    request: Request,
    priority: Annotated[
        Priority | None,
        Header(
            alias=request_priority.HEADER,
            description="Who asks: `interactive`, a person who waits for the answer, or `batch`. Within a tenant "
            "people go first. Without it the first few in flight of a key count as a person's.",
        ),
    ] = None,
) -> None:
    # The place is set here and not in a thread: a thread's changes of its context do not reach the route.
    request_priority.set_priority(priority)
    deadline_s = await _deadline_s(request)
    await run_in_threadpool(load_shedding.check_questions, _key(request), priority=priority, deadline_s=deadline_s)


def _for_a_batch(request: Request) -> None:
    load_shedding.check_batches(_key(request))


def _for_a_document() -> None:
    load_shedding.check_documents()


def _key(request: Request) -> str | None:
    return request.headers.get("idempotency-key")


async def _deadline_s(request: Request) -> float | None:
    """The deadline that the request asks for, if it is usable; the route itself reports what is wrong with it."""
    try:
        body: Any = await request.json()
    except (ValueError, RecursionError):
        return None
    said: Any = cast("dict[str, Any]", body).get("deadline_s") if isinstance(body, dict) else None
    return float(said) if type(said) in (int, float) and SHORTEST_DEADLINE_S <= said <= LONGEST_DEADLINE_S else None


ROOM_FOR_A_QUESTION = Depends(_for_a_question)
ROOM_FOR_A_BATCH = Depends(_for_a_batch)
ROOM_FOR_A_DOCUMENT = Depends(_for_a_document)
