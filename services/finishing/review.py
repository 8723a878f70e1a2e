"""Answers that a person has to see: put into the queue of feedback, held back, and ended by a decision."""

from typing import Any

from sqlalchemy.orm import Session

from citewell_verify.errors import BadInput
from config.settings import settings
from db.models import Answer, Feedback, Query, QueryKind, QueryStatus, Verification
from db.queries.documents.documents import count_unread
from db.queries.runs import queries, results
from db.queries.verifications.feedback import add_feedback
from domain.errors import NotHeld
from domain.query.outcomes import CONCLUDE, GENERATE, Concluded
from domain.query.review import STATE_AFTER, Decision, Reason, reasons_for_review
from services.core.context import StepContext
from services.finishing.completion import finish
from services.reporting.answer_confidence import confidence_json
from services.webhooks.outbox import announce_review

_REJECTED = "A reviewer rejected the answer."
_BY_A_PERSON = "A reviewer wrote this answer; nothing of it was checked."


def send_to_review(session: Session, context: StepContext) -> list[Reason]:
    """Put the answer into the queue if a rule of its workspace says so, and tell those who are to know; the reasons."""
    rules = context.query.options.review
    if not rules.any:
        return []
    answer = results.find_answer(session, context.query.id)
    if answer is None or answer[0].abstained:
        return []
    concluded = context.read(CONCLUDE) or Concluded(status="failed")
    find = results.find_draft_verification if context.query.is_external else results.find_published_verification
    judged = find(session, context.query.id)
    reasons = reasons_for_review(
        rules,
        confidence=judged.verification.calibrated_confidence if judged else None,
        states=[sentence.status for sentence in judged.sentences] if judged else None,
        conflicts=bool(concluded.get("conflicts")),
        unread=_is_unread(session, context),
    )
    if reasons:
        query = queries.get_query(session, context.query.id)
        query.review = "held" if rules.holds else "queued"
        text = context.draft.get("given", "") if context.query.is_external else answer[0].text
        row = add_feedback(session, query.id, place="answer", excerpt=text, reasons=list(reasons))
        scores = confidence_json(judged.verification) if judged else None
        emails = rules.email if settings().mail.host else ()
        announce_review(session, query, row, scores, emails)
    return reasons


def _is_unread(session: Session, context: StepContext) -> bool:
    """Whether citations of the given answer name no source, or documents of the workspace were still being read."""
    query = context.query
    if query.is_external:
        draft = context.read(GENERATE) or {}
        return bool(draft.get("unread"))
    return count_unread(session, query.options.workspaces or (query.workspace_id,)) > 0


def decide(session: Session, row: Feedback, decision: Decision, corrected: str | None) -> None:
    """End the query of a held answer as a reviewer decided; `corrected` is shown in its place. Raises NotHeld,
    BadInput.
    """
    query = queries.lock_query(session, row.query_id, QueryKind.ANSWER)
    if row.reasons is None or query.status != QueryStatus.HELD:
        raise NotHeld
    if (decision == "correct") != bool(corrected):
        raise BadInput("A decision to `correct` needs a `corrected_answer`, and only that has one.")
    query.review = STATE_AFTER[decision]
    event: dict[str, Any] = {"abstained": False, "review": query.review}
    error = None
    if decision == "reject":
        error = {"code": "answer_rejected", "message": _REJECTED}
        event = {"reason": error["message"], "review": query.review}
    if corrected:
        _replace(session, query, corrected)
    session.flush()
    status = QueryStatus.FAILED if error else QueryStatus.SUCCEEDED
    finish(session, query.id, status, error=error, event=event, is_batch_item=False, was_held=True)


def _replace(session: Session, query: Query, text: str) -> None:
    """Store the reviewer's text as the answer of a round behind all others; what was written and checked stays."""
    round_ = query.round + 1
    answer = Answer(
        query_id=query.id,
        round=round_,
        text=text,
        original_text=text,
        abstained=False,
        references=[],
        removed_citations=[],
        edits=[],
    )
    results.add_answer(session, answer, [])
    unchecked = Verification(
        query_id=query.id,
        round=round_,
        answer=text,
        claims_checked=0,
        claims_supported=0,
        issues=[_BY_A_PERSON],
        verified_sources=[],
        unverified_claims=[],
        checks={"broken": _BY_A_PERSON},
    )
    results.add_verification(session, results.StoredVerification(unchecked, [], [], []))
