"""Audits: the chain that proves a result, a check whether anything was changed, and re-verification (N6)."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response

from api.http.accepted_requests import require_json
from api.http.capacity import ROOM_FOR_A_QUESTION, MaybeRepeated, hand_on
from api.schemas.verification.audits import AuditChecked, AuditRead, Head, ReverifyCreate
from api.schemas.verification.verifications import VerificationAccepted, VerificationLinks
from db.models import QueryKind
from services.audit.reverification import Reverification, reverify
from services.core.model_choice import current_settings
from services.finishing import completion

router = APIRouter(prefix="/v1", tags=["audits"])

After = Annotated[int, Query(ge=0, description="Only records behind this position of the chain.")]
Limit = Annotated[int, Query(ge=1, le=1000)]
KeptHead = Annotated[
    Head | None, Query(description="The head that you kept, to check against instead of the stored one.")
]


@router.get("/queries/{query_id}/audit", name="get_query_audit", response_model=AuditRead)
def get_audit(query_id: UUID, after: After = 0, limit: Limit = 500) -> object:
    """The chain of records that proves the result of a question."""
    return completion.read_audit(query_id, QueryKind.ANSWER, after=after, limit=limit)


@router.get("/queries/{query_id}/audit/check", name="check_query_audit", response_model=AuditChecked)
def check_audit(query_id: UUID, head: KeptHead = None) -> object:
    """Recompute every hash from the stored data, and name each record that has changed."""
    return completion.check_audit(query_id, QueryKind.ANSWER, head)


@router.post(
    "/queries/{query_id}/reverify",
    name="reverify_query",
    status_code=202,
    dependencies=[Depends(require_json), ROOM_FOR_A_QUESTION],
)
def reverify_answer(
    query_id: UUID, asked: ReverifyCreate, repeatable: MaybeRepeated, response: Response
) -> VerificationAccepted:
    """Verify the published answer again, on the passages that it was written from; `id` is that of the new
    verification.

    Its `comparison` shows, sentence by sentence, the previous and the new verdict.
    """
    return _reverified(query_id, QueryKind.ANSWER, asked, repeatable, response)


@router.get("/verifications/{verification_id}/audit", response_model=AuditRead)
def get_verification_audit(verification_id: UUID, after: After = 0, limit: Limit = 500) -> object:
    """The chain of records that proves a verification."""
    return completion.read_audit(verification_id, QueryKind.VERIFICATION, after=after, limit=limit)


@router.get("/verifications/{verification_id}/audit/check", response_model=AuditChecked)
def check_verification_audit(verification_id: UUID, head: KeptHead = None) -> object:
    """Recompute every hash from the stored data, and name each record that has changed."""
    return completion.check_audit(verification_id, QueryKind.VERIFICATION, head)


@router.post(
    "/verifications/{verification_id}/reverify",
    name="reverify_verification",
    status_code=202,
    dependencies=[Depends(require_json), ROOM_FOR_A_QUESTION],
)
def reverify_given(
    verification_id: UUID, asked: ReverifyCreate, repeatable: MaybeRepeated, response: Response
) -> VerificationAccepted:
    """Verify an answer from another system again, on the sources that came with it; `id` is that of the new
    verification."""
    return _reverified(verification_id, QueryKind.VERIFICATION, asked, repeatable, response)


def _reverified(
    query_id: UUID, kind: QueryKind, asked: ReverifyCreate, repeatable: MaybeRepeated, response: Response
) -> VerificationAccepted:
    wanted = Reverification(asked.model, asked.preset, asked.citation_confidence, asked.checks, asked.callback_url)
    new_id, repeated = reverify(query_id, kind, wanted, current_settings(), repeatable)
    hand_on(response, repeated=repeated)
    here = f"{router.prefix}/verifications/{new_id}"
    response.headers["Location"] = here
    links = VerificationLinks(self=here, events=f"{here}/events", history=f"{here}/history")
    return VerificationAccepted(id=new_id, status="queued", custom_id=None, links=links)
