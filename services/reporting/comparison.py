"""Compares the re-verification of a stored answer with its previous verification (N6)."""

import uuid
from typing import Any

from sqlalchemy.orm import Session

from db.models import QueryKind
from db.queries.runs import queries, results
from db.queries.runs.results import StoredVerification
from domain.audit.validity import SentenceState, compare
from services.reporting.assessment import confidence_json

_SCORES = ("accuracy_rate", "overall_score", "is_grounded")


def comparison(session: Session, old_id: uuid.UUID, new_id: uuid.UUID) -> dict[str, Any] | None:
    """Return old and new values per sentence and score; None until the new verification has ended, or without an old
    one."""
    old = queries.find_query(session, old_id)
    new = results.find_draft_verification(session, new_id)
    if old is None or new is None:
        return None
    # For a given answer (N2), compare the verdicts on the text as it was given.
    is_given = old.kind == QueryKind.VERIFICATION
    find = results.find_draft_verification if is_given else results.find_published_verification
    before = find(session, old_id)
    if before is None:
        return None
    sentences = compare(_stated(before), _stated(new))
    return {
        "of": str(old_id),
        "old_verifier": before.verification.verifier,
        "new_verifier": new.verification.verifier,
        "changed": sum(sentence["changed"] for sentence in sentences),
        "scores": {name: {"old": was, "new": _scores(new)[name]} for name, was in _scores(before).items()},
        "sentences": sentences,
    }


def _scores(stored: StoredVerification) -> dict[str, Any]:
    scores = {name: getattr(stored.verification, name) for name in _SCORES}
    return {"confidence": confidence_json(stored.verification)["confidence"], **scores}


def _stated(stored: StoredVerification) -> list[SentenceState]:
    return [
        SentenceState(sentence.start, sentence.end, sentence.text, sentence.status, sentence.support, sentence.reason)
        for sentence in stored.sentences
    ]


def read_reverifications(session: Session, query_id: uuid.UUID) -> list[dict[str, Any]]:
    return [
        {
            "id": str(reverification.id),
            "status": reverification.status,
            "created_at": reverification.created_at.isoformat(),
            "changed": compared["changed"] if (compared := comparison(session, query_id, reverification.id)) else None,
        }
        for reverification in queries.list_reverifications(session, query_id)
    ]
