"""Verifies external citations against the stored documents."""

from fastapi import APIRouter, Depends

from api.http.uploads import require_json
from api.schemas.formats.citations import CitationVerdict, CitationVerify
from config.settings import settings
from services.external.citation_verification import verify_citation

router = APIRouter(tags=["seeds"])


@router.post(
    "/api/verify-citation",
    name="seed_verify_citation",
    response_model=CitationVerdict,
    dependencies=[Depends(require_json)],
)
def verify(sent: CitationVerify) -> object:
    """S4: whether a chunk says what it is cited for. No model is asked, so the same request always has the same
    verdict."""
    return verify_citation(
        sent.document_id, sent.chunk_index, sent.claim_text, sent.expected_text_span, settings().verification
    )
