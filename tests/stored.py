"""A finished query as the workers store it, with everything that a result can have."""

import uuid
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy.orm import Session

from db.models import (
    Answer,
    Citation,
    CitationCheck,
    ModelCall,
    Query,
    QueryStatus,
    StepOutcome,
    Verification,
    VerificationClaim,
    VerificationSentence,
)
from db.queries.runs.events import add_event
from db.queries.runs.queries import mark_finished
from db.queries.runs.results import StoredVerification, add_answer, add_verification
from db.session import transaction
from services.finishing.completion import seal_audit
from tests.factories import make_document, make_query

TEXT = "Refunds.\nCustomers may return a product within 30 days. A receipt is required."
SPAN = "Customers may return a product within 30 days."
ANSWER = "A product can be returned within 30 days [1]. Have a nice day."
IDK = "I don't know based on the documents."
CALIBRATION = {
    "version": "support-0",
    "ece": 0.08,
    "high": 0.9,
    "false_pass": 0.333,
    "false_strip": 0.264,
    "measured_on": "3770 pairs of 8 data sets",
    "holds": True,
    "reason": None,
}


def store_answered_query(session: Session, **over: Any) -> Query:
    """A succeeded query with one citation of a stored document."""
    query = make_query(session, **over)
    complete(session, query)
    session.flush()
    seal_audit(session, query.id)
    return query


@pytest.fixture
def query_id(database: str) -> str:
    """The id of a succeeded query."""
    assert database
    with transaction() as session:
        return str(store_answered_query(session).id)


def complete(session: Session, query: Query) -> None:
    """Complete `query` as the workers would."""
    document = make_document(session, TEXT, filename="환불 policy.pdf", pages=[[1, 0, len(TEXT)]])
    start = TEXT.index(SPAN)
    location = {
        "document_id": str(document.id),
        "document_name": document.filename,
        "chunk_id": "doc_0::chunk_0",
        "page_number": 1,
        "section": "Refunds",
        "source_start": start,
        "source_end": start + len(SPAN),
    }
    add_answer(session, _answer(query), [_citation(document.id, start)])
    add_verification(session, _verification(query, location))
    _add_steps(session, query, document.id)
    session.add(_model_call(query))
    add_event(session, "stage", {"stage": "generate"}, query_id=query.id)
    mark_finished(session, query.id, QueryStatus.SUCCEEDED)


def abstain(session: Session, query: Query) -> None:
    """End `query` without an answer."""
    answer = _answer(
        query, text=IDK, abstained=True, abstain_reason="No passage is relevant.", references=[], removed=[]
    )
    add_answer(session, answer, [])
    mark_finished(session, query.id, QueryStatus.SUCCEEDED)


def fail(session: Session, query: Query) -> None:
    error = {"code": "generation_failed", "message": "No model of the chain answered."}
    mark_finished(session, query.id, QueryStatus.FAILED, error=error)


def _answer(query: Query, **over: Any) -> Answer:
    return Answer(
        query_id=query.id,
        round=0,
        text=over.get("text", ANSWER),
        original_text="A product can be returned within 30 days [†1][†2]. Have a nice day.",
        abstained=over.get("abstained", False),
        abstain_reason=over.get("abstain_reason"),
        model=None,
        references=over.get("references", ["[1] 환불 policy.pdf, p.1"]),
        removed_citations=over.get("removed", [2]),
        edits=[],
    )


def _citation(document_id: uuid.UUID, start: int) -> Citation:
    claim = ANSWER[: ANSWER.index(" Have")]
    return Citation(
        position=0,
        number=1,
        document_id=document_id,
        document_name="환불 policy.pdf",
        doc_id="doc_0",
        chunk_id="doc_0::chunk_0",
        chunk_index=0,
        start_index=0,
        source="api-server",
        page_number=1,
        section="Refunds",
        text_span=SPAN,
        source_start=start,
        source_end=start + len(SPAN),
        claim_text=claim,
        answer_start=0,
        answer_end=len(claim),
        citation_type="paraphrase",
        confidence_score=0.93,
        status="accurate",
        explanation="The source says so.",
    )


def _verification(query: Query, location: dict[str, Any]) -> StoredVerification:
    verification = Verification(
        query_id=query.id,
        round=0,
        answer=ANSWER,
        overall_score=0.91,
        answer_source_alignment=0.9,
        citation_coverage=1.0,
        fact_verification_score=0.83,
        confidence=1.0,
        confidence_level="High",
        calibrated_confidence=0.93,
        calibration=CALIBRATION,
        is_grounded=True,
        claims_checked=1,
        claims_supported=1,
        accuracy_rate=0.5,
        issues=["1 of 3 chunks could not be scored: unreadable reply"],
        verified_sources=["doc_0::chunk_0"],
        unverified_claims=[],
        checks={"check_alignment": {"status": "fallback", "reason": "keyword overlap"}},
    )
    cut = ANSWER.index(" Have") + 1
    sentences = [
        VerificationSentence(
            position=0, start=0, end=cut - 1, text=ANSWER[: cut - 1], status="supported", reason="The source says so.",
            evidence=SPAN, source=location,
        ),
        VerificationSentence(
            position=1, start=cut, end=len(ANSWER), text=ANSWER[cut:], status="no_claim", reason="", evidence=None,
            source=None,
        ),
    ]  # fmt: skip
    claims = [
        VerificationClaim(
            position=0, claim="30 days", status="SUPPORTED", evidence=SPAN, source=location, reasoning="It is there."
        )
    ]
    checks = [
        CitationCheck(
            item="0:1", statement="A product can be returned within 30 days", citation_number=1,
            chunk_id="doc_0::chunk_0", source_file="환불 policy.pdf", source_page=1, is_accurate=True,
            relation="supports", confidence=0.93, explanation="The source says so.", status="accurate",
        )
    ]  # fmt: skip
    return StoredVerification(verification, sentences, claims, checks)


def _model_call(query: Query) -> ModelCall:
    return ModelCall(
        query_id=query.id,
        round=0,
        step="generate",
        item="",
        provider="offline",
        model="offline",
        prompt="generate_answer",
        prompt_version="0123456789abcdef",
        attempt=1,
        status=200,
        error=None,
        finish_reason="stop",
        request_id=None,
        prompt_tokens=900,
        cached_tokens=0,
        completion_tokens=70,
        reasoning_tokens=0,
        estimated=False,
        cost_usd=Decimal("0.00025"),
        duration_ms=12.5,
        reply_text="…",
    )


def _add_steps(session: Session, query: Query, document_id: uuid.UUID) -> None:
    source = {
        "text": TEXT,
        "document_id": str(document_id),
        "document_name": "환불 policy.pdf",
        "filename": "환불 policy.pdf",
        "source": "api-server",
        "doc_id": "doc_0",
        "chunk_id": "doc_0::chunk_0",
        "chunk_index": 0,
        "start_index": 0,
        "page_number": 1,
        "section": "Refunds",
        "metadata": {"year": 2026},
        "similarity": 0.71,
        "rerank_score": 0.9,
    }
    now = datetime.now(UTC)
    for step, value in (
        ("retrieve", {"status": "found"}),
        ("select", {"status": "selected", "selected": [1], "sources": [source]}),
    ):
        session.add(
            StepOutcome(
                query_id=query.id,
                round=0,
                step=step,
                item="",
                worker="w",
                lease_until=now,
                value=value,
                finished_at=now,
            )
        )
