"""The end of a query: its answer is completed, held for a person or published. Its audit is sealed, and can be shown
and compared with the stored data (N6). Its scores are sent to OpenTelemetry and Langfuse, whose failures delay nothing
here."""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from citewell_verify.errors import BadInput
from citewell_verify.prompting.prompts import prompt_sha256
from clients.telemetry import meter, tracing
from clients.telemetry.meter import METER
from config.settings import settings
from db.models import Answer, Feedback, Query, QueryKind, QueryStatus, Verification
from db.queries.documents.documents import count_unread
from db.queries.runs import queries, results
from db.queries.runs.queries import mark_finished
from db.queries.verifications import audits
from db.queries.verifications.answer_validity import record_missed
from db.queries.verifications.audits import PROMPTS_PART, StoredChain
from db.queries.verifications.batches import lock_batch_of, mark_batch_finished
from db.queries.verifications.feedback import add_feedback
from db.session import after_commit, reading
from domain.audit.chain import Record, audit, chain, read_record
from domain.errors.missing import AuditNotFound
from domain.errors.state import NotHeld
from domain.query.outcomes import CONCLUDE, GENERATE, Concluded
from domain.query.workspace_rules import STATE_AFTER, Decision, Reason, reasons_for_review
from services.core.context import StepContext, StepResult
from services.finishing.answer_validity import decide_after_reverification
from services.reporting.assessment import confidence_json, stored_signal
from services.webhooks.outbox import announce_batch, announce_query, announce_review, write_langfuse_scores

_EVENTS = {
    QueryStatus.SUCCEEDED: "final",
    QueryStatus.FAILED: "failed",
    QueryStatus.CANCELLED: "cancelled",
    QueryStatus.HELD: "held",
}
LAST_EVENTS = frozenset(_EVENTS.values())

# Called in this process when a query has ended and a place is free (workers.starting.launch).
_listener: Callable[[], None] | None = None


_REJECTED = "A reviewer rejected the answer."
_BY_A_PERSON = "A reviewer wrote this answer; nothing of it was checked."
AUDITED = (QueryStatus.SUCCEEDED, QueryStatus.FAILED)
"""Cancelled queries have no result to prove."""


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
    message. The last item of a batch also ends the batch; a query that is known not to be an item needs no lock. With
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

    def count() -> None:
        METER.count(meter.QUERIES_ENDED, finished.kind, status.value)
        if status is QueryStatus.SUCCEEDED:
            METER.observe(meter.QUERY_SECONDS, finished.seconds, finished.kind)

    if not was_held:
        after_commit(session, count)
    return True


def set_end_listener(listener: Callable[[], None] | None) -> None:
    """Call `listener` after every commit that ended queries in this process; it must not block. None removes the
    listener."""
    global _listener
    _listener = listener


def _notify_listener() -> None:
    if _listener is not None:
        _listener()


def send_to_review(session: Session, context: StepContext) -> list[Reason]:
    """Put the answer into the queue if a rule of its workspace says so, and notify the receivers; return the
    reasons."""
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
    """Return whether citations of the given answer name no source, or documents of the workspace were still being
    read."""
    query = context.query
    if query.is_external:
        draft = context.read(GENERATE) or {}
        return bool(draft.get("unread"))
    if query.has_given_sources:
        return False
    return count_unread(session, query.options.workspaces or (query.workspace_id,)) > 0


def decide(session: Session, row: Feedback, decision: Decision, corrected: str | None) -> None:
    """End the query of a held answer as a reviewer decided; `corrected` is shown in its place. Raises NotHeld,
    BadInput."""
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
    """Store the reviewer's text as the answer of a round after all others; the earlier text and its checks stay."""
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


def seal_audit(session: Session, query_id: uuid.UUID) -> None:
    """Chain everything that proves the result, with two statements, in the transaction that ends the query."""
    audits.add_chain(session, query_id, chain(_contents(session, query_id)))


def _contents(session: Session, query_id: uuid.UUID) -> list[Record]:
    parts = audits.list_contents(session, query_id)
    before = [record for part, record in parts if part < PROMPTS_PART]
    behind = [record for part, record in parts if part > PROMPTS_PART]
    return [*before, *_prompts(behind), *behind]


def _prompts(records: Sequence[Record]) -> list[Record]:
    asked = sorted({(record["prompt"], record["prompt_version"]) for record in records if record["kind"] == "call"})
    prompts: list[Record] = []
    for name, version in asked:
        # An older process may have used a prompt file that this process does not have.
        known = prompt_sha256(name, version)
        prompts.append({"kind": "prompt", "name": name, "version": version, **({"sha256": known} if known else {})})
    return prompts


def read_audit(query_id: uuid.UUID, kind: QueryKind, *, after: int, limit: int) -> dict[str, Any]:
    with reading() as session:
        stored = _get_chain(session, queries.get_query(session, query_id, kind))
    records, hashes = stored.chain.records, stored.chain.hashes
    # Either list may have been cut, so only their common length can be compared.
    length = min(len(records), len(hashes))
    end = min(after + limit, length)
    return {
        "query": str(query_id),
        **_head(stored),
        "chain": [{"record": read_record(records, place), "hash": hashes[place]} for place in range(after, end)],
        "next_after": end if end < length else None,
    }


def check_audit(query_id: uuid.UUID, kind: QueryKind, head: str | None = None) -> dict[str, Any]:
    """Recompute every hash from the data stored now and report the records that differ.

    `head` is a head that was kept elsewhere. Raises QueryNotFound, VerificationNotFound, AuditNotFound.
    """
    with reading() as session:
        stored = _get_chain(session, queries.get_query(session, query_id, kind))
        comparison = audit(stored.chain, head or stored.head, _contents(session, query_id))
    return {
        "query": str(query_id),
        **_head(stored),
        "intact": not comparison.differences,
        "differences": [
            {**difference._asdict(), "fields": list(difference.fields)} for difference in comparison.differences
        ],
        "erased": comparison.erased,
        "later": comparison.later,
        "unknown_prompts": comparison.unknown,
    }


def _head(stored: StoredChain) -> dict[str, Any]:
    return {"format": stored.format, "head": stored.head, "records": len(stored.chain.records)}


def _get_chain(session: Session, query: Query) -> StoredChain:
    stored = audits.find_chain(session, query.id)
    if stored is None:
        raise AuditNotFound(_why_none(query))
    return stored


def _why_none(query: Query) -> str:
    if query.status == QueryStatus.HELD:
        return "The answer is held back; its audit is written when a reviewer has decided."
    if query.finished_at is None:
        return f"The query is {query.status}; its audit is written when it ends."
    if query.status == QueryStatus.CANCELLED:
        return "The query was cancelled, so there is no result to prove."
    return "The query ended in a version of Citewell that kept no audit."


class Score(NamedTuple):
    """A number from 0 to 1 or a `label`, and the reason, in words that quote nothing."""

    name: str
    value: float | None
    label: str | None
    reason: str


def tell_scores(session: Session, query_id: uuid.UUID) -> None:
    """Send the scores of an answer to tracing and Langfuse, once it is committed; do nothing if both are off."""
    if not (settings().langfuse.host or tracing.tells_events()):
        return
    query = queries.get_query(session, query_id)
    scores = list(_scores(session, query))
    after_commit(session, partial(_tell_events, query_id, query.traceparent, scores))
    if settings().langfuse.host and (trace_id := tracing.trace_id_of(query.traceparent)):
        write_langfuse_scores(session, query_id, [_langfuse_json(query_id, trace_id, score) for score in scores])


def _scores(session: Session, query: Query) -> Iterator[Score]:
    find = (
        results.find_draft_verification if query.kind == QueryKind.VERIFICATION else results.find_published_verification
    )
    judged = find(session, query.id)
    signal = stored_signal(query, results.find_answer(session, query.id), judged)
    yield Score("citewell.signal", None, signal["word"], signal["reason"])
    if judged is not None:
        numbers: Mapping[str, float | None] = {
            "citewell.confidence": confidence_json(judged.verification)["confidence"],
            "citewell.accuracy": judged.verification.accuracy_rate,
        }
        for name, number in numbers.items():
            if number is not None:
                yield Score(name, number, signal["word"], signal["reason"])


def _tell_events(query_id: uuid.UUID, traceparent: str | None, scores: list[Score]) -> None:
    """Emit the event of OpenTelemetry's conventions for generative AI, one for each score, in the trace of the
    request."""
    with tracing.following(traceparent, query_id):
        for score in scores:
            attributes: dict[str, tracing.Value] = {
                "gen_ai.evaluation.name": score.name,
                "gen_ai.evaluation.explanation": score.reason,
                "gen_ai.response.id": str(query_id),
            }
            if score.label is not None:
                attributes["gen_ai.evaluation.score.label"] = score.label
            if score.value is not None:
                attributes["gen_ai.evaluation.score.value"] = score.value
            tracing.event("gen_ai.evaluation.result", attributes)


def _langfuse_json(query_id: uuid.UUID, trace_id: str, score: Score) -> dict[str, Any]:
    """Return the body for `POST /api/public/scores`; the same id sent again replaces the score."""
    return {
        "id": f"{query_id}-{score.name}",
        "traceId": trace_id,
        "name": score.name,
        "value": score.label if score.value is None else score.value,
        "dataType": "CATEGORICAL" if score.value is None else "NUMERIC",
        "comment": score.reason,
    }
