"""Many verifications in one file (N2)."""

from collections.abc import AsyncIterator, Iterable
from typing import Annotated, Any, cast
from uuid import UUID

from fastapi import APIRouter, BackgroundTasks, Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from api.answers.external_answers import LINES, parsed_lines, require_lines, submit_lines
from api.http.capacity import ROOM_FOR_A_BATCH, MaybeRepeated, hand_on
from api.schemas.verification.verifications import (
    BatchAccepted,
    BatchLinks,
    BatchRead,
    VerificationCreate,
    VerificationResult,
)
from clients.notifications import notify_end
from services.core.model_choice import current_settings
from services.external import batches

router = APIRouter(prefix="/v1/verifications/batches", tags=["verifications"])

UNFINISHED = "Citewell-Unfinished"
_AT_A_TIME = 50
_FILE = cast(
    "dict[str, Any]",
    {
        "requestBody": {
            "required": True,
            "content": {
                kind: {
                    "schema": {
                        "$ref": f"#/components/schemas/{VerificationCreate.__name__}",
                        "description": "Of each line.",
                    },
                    "example": '{"custom_id": "a", "answer": "It takes 14 days [1].", "sources": [{"text": "…"}]}\n',
                }
                for kind in LINES
            },
        }
    },
)
_RESULTS = cast(
    "dict[int | str, dict[str, Any]]",
    {
        200: {
            "description": "A result per line, in the order of the file.",
            "content": {
                LINES[0]: {"schema": {"type": "string"}, "example": '{"custom_id": "a", "status": "succeeded"}\n'}
            },
            "headers": {
                UNFINISHED: {
                    "description": "How many items are left out: they are unfinished.",
                    "schema": {"type": "integer"},
                }
            },
        }
    },
)


@router.post(
    "",
    name="create_verification_batch",
    status_code=202,
    openapi_extra=_FILE,
    dependencies=[Depends(require_lines), ROOM_FOR_A_BATCH],
)
async def submit(
    request: Request,
    response: Response,
    repeatable: MaybeRepeated,
    callback_url: Annotated[
        str | None, Query(max_length=2048, description="The address that receives the result of the batch.")
    ] = None,
) -> BatchAccepted:
    """Verify many answers: one request per line, each like a single verification. One invalid line refuses the whole
    file.

    Only a few of them run at a time, so that people who wait for an answer need not wait for the batch.
    """
    current = await run_in_threadpool(current_settings)
    items = await run_in_threadpool(parsed_lines, await request.body(), current)
    batch_id, repeated = await run_in_threadpool(submit_lines, items, callback_url, current, repeatable)
    hand_on(response, repeated=repeated)
    here = f"{router.prefix}/{batch_id}"
    response.headers["Location"] = here
    return BatchAccepted(id=batch_id, total=len(items), links=BatchLinks(self=here, results=f"{here}/results"))


@router.get("/{batch_id}", name="get_verification_batch", response_model=BatchRead)
def get_batch(batch_id: UUID) -> object:
    """The number of items in each state."""
    return batches.read_batch(batch_id)


@router.get(
    "/{batch_id}/results", name="get_verification_batch_results", response_class=StreamingResponse, responses=_RESULTS
)
async def get_results(batch_id: UUID) -> Response:
    """The results so far, one per line, in the order of the file; the header says how many items are unfinished."""
    batch = await run_in_threadpool(batches.read_batch, batch_id)
    headers = {UNFINISHED: str(batch["queued"] + batch["running"])}
    return StreamingResponse(_lines(batch_id), media_type=LINES[0], headers=headers)


@router.delete("/{batch_id}", name="cancel_verification_batch", response_model=BatchRead)
def cancel_batch(batch_id: UUID, later: BackgroundTasks) -> object:
    """Cancel all unfinished items; existing results stay.

    No further item is started. In a large batch the first items end at once and the others soon after, without further
    requests, until `finished_at` is set.
    """
    _ring(batches.cancel_batch(batch_id))
    batch = batches.read_batch(batch_id)
    if batch["finished_at"] is None:
        later.add_task(_cancel_others, batch_id)
    return batch


def _cancel_others(batch_id: UUID) -> None:
    while ended := batches.cancel_next_items(batch_id):
        _ring(ended)


def _ring(ended: Iterable[UUID]) -> None:
    for query_id in ended:
        notify_end(query_id)


async def _lines(batch_id: UUID) -> AsyncIterator[bytes]:
    position = -1
    while lines := await run_in_threadpool(_read, batch_id, position):
        position = lines[-1][0]
        for _, line in lines:
            yield line


def _read(batch_id: UUID, after: int) -> list[tuple[int, bytes]]:
    return [
        (position, VerificationResult.model_validate(result).model_dump_json(exclude_unset=True).encode() + b"\n")
        for position, result in batches.read_results(batch_id, after, _AT_A_TIME)
    ]
