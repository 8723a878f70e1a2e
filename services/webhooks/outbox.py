"""The outbox: records each event with all its receivers, in the transaction that caused it."""

import json
import secrets
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any

from sqlalchemy.orm import Session

from clients.telemetry import tracing
from clients.webhooks.addresses import AddressPolicy, parse_url
from config.settings import WebhookSettings
from db.models import EndpointStatus, Feedback, Query, QueryKind, QueryStatus, WebhookEndpoint
from db.queries.access.workspaces import workspace_name_of
from db.queries.documents import documents
from db.queries.runs import queries, results
from db.queries.runs.conversations import find_conversation_of
from db.queries.runs.queries import Finished
from db.queries.verifications import audits, batches
from db.queries.webhooks import endpoints, messages
from db.queries.webhooks.messages import Receiver
from domain.webhooks.delivery import LANGFUSE, MAILTO, EventType, matches, message_body
from services.reporting.assessment import confidence_json, stored_signal

_QUERY_EVENTS = {
    (QueryKind.ANSWER, QueryStatus.SUCCEEDED): EventType.QUERY_SUCCEEDED,
    (QueryKind.ANSWER, QueryStatus.FAILED): EventType.QUERY_FAILED,
    (QueryKind.VERIFICATION, QueryStatus.SUCCEEDED): EventType.VERIFICATION_SUCCEEDED,
    (QueryKind.VERIFICATION, QueryStatus.FAILED): EventType.VERIFICATION_FAILED,
}


def address_policy(limits: WebhookSettings) -> AddressPolicy:
    return AddressPolicy(limits.allowed_networks, limits.allowed_ports)


def announce(
    session: Session,
    type_: str,
    data: Mapping[str, Any],
    *,
    query_id: uuid.UUID | None = None,
    callback_url: str | None = None,
) -> None:
    """Write a message for every endpoint of the tenant that wants this type, and for `callback_url`.

    Workers of the webhooks queue send it after the commit. `data` is JSON of a few KB (domain.webhooks.delivery),
    `callback_url` was checked when it was accepted (check_url). Does nothing without a receiver.
    """
    wanting = _wanting(session, type_)
    if wanting or callback_url:
        write_message(session, type_, data, _receivers(wanting, callback_url), query_id=query_id)


def write_message(
    session: Session, type_: str, data: Mapping[str, Any], to: Sequence[Receiver], *, query_id: uuid.UUID | None = None
) -> list[uuid.UUID]:
    now = messages.current_time(session).astimezone(UTC)
    body = message_body(type_, now.isoformat().replace("+00:00", "Z"), data)
    message_id, parent = f"msg_{secrets.token_urlsafe(18)}", tracing.traceparent()
    return messages.add_message(session, message_id, type_, body, query_id, to, parent)


def announce_query(session: Session, query_id: uuid.UUID, ended: Finished, status: QueryStatus) -> None:
    """Announce that a query succeeded or failed; a cancelled one is not announced.

    For a batch item only its own callback is notified: the batch is announced as a whole.
    """
    type_ = _QUERY_EVENTS.get((QueryKind(ended.kind), status))
    if type_ is None:
        return
    wanting = _wanting(session, type_) if ended.has_endpoints and ended.batch_id is None else []
    # The data takes a few statements, and most installations have no receiver for it.
    if wanting or ended.callback_url:
        data = _query_data(session, queries.get_query(session, query_id), status)
        write_message(session, type_, data, _receivers(wanting, ended.callback_url), query_id=query_id)


def announce_batch(session: Session, batch_id: uuid.UUID) -> None:
    """Announce that all items of a batch have ended; a cancelled batch is not announced."""
    batch = batches.get_batch(session, batch_id)
    if batch.cancelled_at is None:
        states = batches.count_states(session, batch_id)
        here = f"/v1/verifications/batches/{batch_id}"
        data = {
            "id": str(batch_id),
            "total": batch.total,
            **{state: states[state] for state in ("succeeded", "failed", "cancelled")},
            "links": {"self": here, "results": f"{here}/results"},
        }
        announce(session, EventType.BATCH_COMPLETED, data, callback_url=batch.callback_url)


def announce_review(
    session: Session, query: Query, row: Feedback, scores: dict[str, Any] | None, emails: Sequence[str]
) -> None:
    """Announce that an answer is in the queue to review, without its text: to endpoints, and by e-mail."""
    wanting = _wanting(session, EventType.REVIEW_REQUESTED)
    receivers = [*_receivers(wanting, None), *(Receiver(f"{MAILTO}{address}", MAILTO) for address in emails)]
    if wanting or receivers:
        given = query.kind == QueryKind.VERIFICATION
        here = f"/v1/verifications/{query.id}" if given else f"/v1/queries/{query.id}"
        data = {
            "id": str(query.id),
            "kind": query.kind,
            "workspace": workspace_name_of(session, query),
            "question": query.question or None,
            "held": query.review == "held",
            "reasons": row.reasons,
            "scores": scores,
            "feedback_id": str(row.id),
            "links": {"self": here, "review": f"/v1/feedback/{row.id}", "page": "/#/feedback"},
            "truncated": False,
        }
        write_message(session, EventType.REVIEW_REQUESTED, data, receivers, query_id=query.id)


def write_langfuse_scores(session: Session, query_id: uuid.UUID, scores: Sequence[Mapping[str, Any]]) -> None:
    """Write each score as a message whose body Langfuse gets unchanged."""
    for score in scores:
        message_id, body = f"msg_{secrets.token_urlsafe(18)}", json.dumps(score, ensure_ascii=False)
        to = [Receiver(LANGFUSE, LANGFUSE)]
        messages.add_message(session, message_id, "langfuse.score", body, query_id, to, tracing.traceparent())


def announce_document(session: Session, document_id: uuid.UUID, error: dict[str, Any] | None = None) -> None:
    type_ = EventType.DOCUMENT_FAILED if error else EventType.DOCUMENT_READY
    if wanting := _wanting(session, type_):
        document = documents.get_document(session, document_id)
        data = {
            "id": str(document.id),
            "doc_id": document.doc_id,
            "workspace": workspace_name_of(session, document),
            "filename": document.filename,
            "status": "failed" if error else "ready",
            "error": error,
            "links": {"self": f"/v1/documents/{document.id}"},
            "truncated": False,
        }
        write_message(session, type_, data, _receivers(wanting, None))


def receiver_of(endpoint: WebhookEndpoint) -> Receiver:
    return Receiver(endpoint.url, str(endpoint.id), endpoint.id)


def _wanting(session: Session, type_: str) -> list[WebhookEndpoint]:
    """Return the endpoints for this type, including disabled ones: messages that they missed can be replayed when they
    are enabled again."""
    return [
        endpoint
        for endpoint in endpoints.list_endpoints(session)
        if any(matches(pattern, type_) for pattern in endpoint.events)
    ]


def _receivers(wanting: Sequence[WebhookEndpoint], callback_url: str | None) -> list[Receiver]:
    receivers = [receiver_of(endpoint) for endpoint in wanting if endpoint.status == EndpointStatus.ACTIVE]
    if callback_url:
        place = parse_url(callback_url)
        receivers.append(Receiver(callback_url, f"{place.scheme}://{place.authority}"))
    return receivers


def _query_data(session: Session, query: Query, status: QueryStatus) -> dict[str, Any]:
    given = query.kind == QueryKind.VERIFICATION
    here, history = (
        (f"/v1/verifications/{query.id}", "history") if given else (f"/v1/queries/{query.id}", "verifications")
    )
    # A rejected answer is announced to nobody.
    is_told = given or status is QueryStatus.SUCCEEDED
    answer = results.find_answer(session, query.id) if is_told else None
    # The verification that the result shows: for a given answer (N2), that of the text as it was given.
    find = results.find_draft_verification if given else results.find_published_verification
    judged = find(session, query.id) if is_told else None
    scores = None
    if judged is not None:
        rates = {name: getattr(judged.verification, name) for name in ("accuracy_rate", "overall_score")}
        scores = {**confidence_json(judged.verification), **rates}
    conversation = find_conversation_of(session, query.id)
    return {
        "id": str(query.id),
        "status": status.value,
        "kind": query.kind,
        "workspace": workspace_name_of(session, query),
        "question": query.question,
        "custom_id": query.custom_id,
        "conversation_id": str(conversation) if conversation else None,
        "abstained": answer[0].abstained if answer else None,
        "answer": answer[0].text if answer else None,
        "error": query.error,
        "signal": stored_signal(query, answer, judged) if status is QueryStatus.SUCCEEDED else None,
        "scores": scores,
        "audit": audits.find_head(session, query.id),
        "links": {"self": here, history: f"{here}/{history}"},
        "truncated": False,
    }
