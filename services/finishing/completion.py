"""The end of a query: its answer is completed, held for a person or published."""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from sqlalchemy.orm import Session

from citewell_verify.errors import BadInput
from clients.telemetry import meter
from clients.telemetry.meter import METER
from config.settings import settings
from db.models import Answer, Feedback, Query, QueryKind, QueryStatus, Verification
from db.queries.documents.documents import count_unread
from db.queries.runs import queries, results
from db.queries.runs.queries import Finished, mark_finished
from db.queries.verifications.answer_validity import record_missed
from db.queries.verifications.batches import lock_batch_of, mark_batch_finished
from db.queries.verifications.feedback import add_feedback
from db.session import after_commit
from domain.errors.state import NotHeld
from domain.query.outcomes import CONCLUDE, GENERATE, Concluded
from domain.query.review import STATE_AFTER, Decision, Reason, reasons_for_review
from services.core.context import StepContext, StepResult
from services.finishing.answer_validity import decide_after_reverification
from services.finishing.audit_chain import AUDITED, seal_audit
from services.finishing.scores import tell_scores
from services.reporting.signal import confidence_json
from services.webhooks.outbox import announce_batch, announce_query, announce_review

_EVENTS = {
    QueryStatus.SUCCEEDED: "final",
    QueryStatus.FAILED: "failed",
    QueryStatus.CANCELLED: "cancelled",
    QueryStatus.HELD: "held",
}
LAST_EVENTS = frozenset(_EVENTS.values())

# Called in this process when a query has ended and a place is free (workers.starting.launch).
_listener: Callable[[], None] | None = None


def finish(
    session: Session,
    query_id: uuid.UUID,
    status: QueryStatus,
    *,
    error: dict[str, Any] | None = None,
    event: dict[str, Any] | None = None,
    is_batch_item: bool = True,
    was_held: bool = False,
) -> bool:
    """Enter the final state `status`; return False, and change nothing, if the query already had one.

    `error` is the {code, message} of a failed query; `event` the data of the last event, by default the error's
    message. The last item of a batch also ends the batch; what is known to be no item needs no lock. With
    `was_held` it ends an answer that waited for a reviewer.
    """
    batch_id = lock_batch_of(session, query_id) if is_batch_item else None
    data = event if event is not None else {"reason": error["message"]} if error else {}
    finished = mark_finished(session, query_id, status, error=error, event=(_EVENTS[status], data), was_held=was_held)
    if finished is None:
        return False
    if status in AUDITED:
        seal_audit(session, query_id)
    announce_query(session, query_id, finished, status)
    if status is QueryStatus.SUCCEEDED:
        tell_scores(session, query_id)
    if finished.reverifies is not None:
        decide_after_reverification(session, query_id, status)
    if batch_id is not None and mark_batch_finished(session, batch_id):
        announce_batch(session, batch_id)
    if was_held:
        record_missed(session, query_id)
    after_commit(session, _notify_listener)
    if not was_held:
        after_commit(session, partial(_count, finished, status))
    return True


def _count(finished: Finished, status: QueryStatus) -> None:
    METER.count(meter.QUERIES_ENDED, finished.kind, status.value)
    if status is QueryStatus.SUCCEEDED:
        METER.observe(meter.QUERY_SECONDS, finished.seconds, finished.kind)


def set_end_listener(listener: Callable[[], None] | None) -> None:
    """Call `listener` after every commit that ended queries in this process; it must not block. None stops that."""
    global _listener
    _listener = listener


def _notify_listener() -> None:
    if _listener is not None:
        _listener()


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


def publish(context: StepContext) -> StepResult:
    concluded = context.read(CONCLUDE) or Concluded(status="failed")
    failed = concluded["status"] != "answered"
    code = concluded.get("code", "generation_failed")
    error = {"code": code, "message": concluded.get("reason", "")} if failed else None

    def save(session: Session) -> None:
        status = QueryStatus.FAILED if failed else QueryStatus.SUCCEEDED
        event: dict[str, Any] = {"reason": error["message"]} if error else {"abstained": concluded.get("abstained")}
        reasons = [] if failed else send_to_review(session, context)
        if reasons and context.query.options.review.holds:
            status, event = QueryStatus.HELD, {"reasons": reasons}
        is_batch_item = context.query.batch_id is not None
        finish(session, context.query.id, status, error=error, event=event, is_batch_item=is_batch_item)

    return StepResult.single({"status": "done"}, save)
