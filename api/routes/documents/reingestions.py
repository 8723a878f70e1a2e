"""Re-ingestion: documents in force that match a filter are read again."""

from uuid import UUID

from fastapi import APIRouter, Response

from api.http.capacity import ROOM_FOR_A_DOCUMENT
from api.schemas.documents.reingestions import ReingestionAccepted, ReingestionCreate, ReingestionRead
from services.documents.reingestion import Wanted, count_left_out, count_reingested, read_reingestion, reingest
from workers.starting.launch import launcher

router = APIRouter(prefix="/v1/reingestions", tags=["documents"])


@router.post(
    "",
    name="create_reingestion",
    status_code=202,
    dependencies=[ROOM_FOR_A_DOCUMENT],
    responses={200: {"model": ReingestionAccepted, "description": "A dry run: nothing is queued."}},
)
def add_reingestion(new: ReingestionCreate, response: Response) -> ReingestionAccepted:
    """Read all matching documents again from their stored files. Meanwhile their versions in force are searched.

    A document gets a new version only if its text or its passages differ. With `dry_run` the documents are only
    counted.
    """
    wanted = Wanted(new.workspace, new.kind, new.before, new.name_contains)
    left_out = count_left_out(wanted)
    if new.dry_run:
        response.status_code = 200
        return ReingestionAccepted(id=None, matched=count_reingested(wanted), corrected=left_out, queued=0)
    reingestion_id, matched = reingest(wanted)
    launcher().documents()
    response.headers["Location"] = f"{router.prefix}/{reingestion_id}"
    queued = read_reingestion(reingestion_id)["total"]
    return ReingestionAccepted(id=reingestion_id, matched=matched, corrected=left_out, queued=queued)


@router.get("/{reingestion_id}", response_model=ReingestionRead)
def get_reingestion(reingestion_id: UUID) -> object:
    """The progress of a re-ingestion: how many documents were read, and with which outcome."""
    return read_reingestion(reingestion_id)
