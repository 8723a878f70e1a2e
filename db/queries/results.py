"""Answers and verifications: written once per round, read for the API."""

import uuid
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.models import Answer, Citation, CitationCheck, Verification, VerificationClaim, VerificationSentence


@dataclass(frozen=True, slots=True)
class StoredVerification:
    """One verification with everything below it, each in its own order."""

    verification: Verification
    sentences: list[VerificationSentence]
    claims: list[VerificationClaim]
    citation_checks: list[CitationCheck]


def add_answer(session: Session, answer: Answer, citations: list[Citation]) -> None:
    """Store an answer with its citations."""
    session.add(answer)
    session.flush()
    for citation in citations:
        citation.answer_id = answer.id
    session.add_all(citations)


def add_verification(session: Session, stored: StoredVerification) -> None:
    """Append one verification to the history."""
    session.add(stored.verification)
    session.flush()
    parts = [*stored.sentences, *stored.claims, *stored.citation_checks]
    for part in parts:
        part.verification_id = stored.verification.id
    session.add_all(parts)


StoredAnswer = tuple[Answer, list[Citation]]


def find_answer(session: Session, query_id: uuid.UUID) -> StoredAnswer | None:
    """The answer of the last round with its citations in order, if there is one yet."""
    answer = session.scalar(select(Answer).where(Answer.query_id == query_id).order_by(Answer.round.desc()).limit(1))
    if answer is None:
        return None
    citations = session.scalars(select(Citation).where(Citation.answer_id == answer.id).order_by(Citation.position))
    return answer, list(citations)


def find_published_verification(session: Session, query_id: uuid.UUID) -> StoredVerification | None:
    """The verification of the answer that users see, if there is one yet."""
    verification = session.scalar(
        select(Verification)
        .where(Verification.query_id == query_id, Verification.kind == "published")
        .order_by(Verification.id.desc())
        .limit(1)
    )
    return _with_parts(session, verification) if verification else None


def find_draft_verification(session: Session, query_id: uuid.UUID) -> StoredVerification | None:
    """The verification of what was written, or given (N2), before any repair; else of what was published."""
    verification = session.scalar(
        select(Verification)
        .where(Verification.query_id == query_id)
        .order_by(Verification.kind, Verification.id)
        .limit(1)
    )
    return _with_parts(session, verification) if verification else None


def list_verifications(session: Session, query_id: uuid.UUID) -> list[StoredVerification]:
    """Every verification of a query, the first one first."""
    verifications = session.scalars(
        select(Verification).where(Verification.query_id == query_id).order_by(Verification.id)
    )
    return [_with_parts(session, verification) for verification in verifications]


def _with_parts(session: Session, verification: Verification) -> StoredVerification:
    own = verification.id
    sentences = select(VerificationSentence).where(VerificationSentence.verification_id == own)
    claims = select(VerificationClaim).where(VerificationClaim.verification_id == own)
    checks = select(CitationCheck).where(CitationCheck.verification_id == own)
    return StoredVerification(
        verification,
        list(session.scalars(sentences.order_by(VerificationSentence.position))),
        list(session.scalars(claims.order_by(VerificationClaim.position))),
        list(session.scalars(checks.order_by(CitationCheck.item))),
    )
