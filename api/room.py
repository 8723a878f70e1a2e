"""Dependencies of routes that start work: they refuse it while there is no room, before it is read (A7).

They come after those of the router, so they act for the tenant of the key. FastAPI reads a JSON body before any
dependency; files are read after them.
"""

from fastapi import Depends, Request

from services import backlog


def _for_a_question(request: Request) -> None:
    backlog.check_questions(_key(request))


def _for_a_batch(request: Request) -> None:
    backlog.check_batches(_key(request))


def _for_a_document() -> None:
    backlog.check_documents()


def _key(request: Request) -> str | None:
    return request.headers.get("idempotency-key")


ROOM_FOR_A_QUESTION = Depends(_for_a_question)
ROOM_FOR_A_BATCH = Depends(_for_a_batch)
ROOM_FOR_A_DOCUMENT = Depends(_for_a_document)
