"""The validity of a published answer (N7): stored, published, and decided after re-verification."""

import uuid
from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from db.models import AnswerValidity, QueryKind, QueryStatus
from db.queries.access.workspaces import workspace_name_of
from db.queries.runs import queries
from db.queries.runs.events import add_event
from db.queries.verifications import answer_validity
from domain.audit.validity import Ruling, Standing, after_reverification, worse
from domain.webhooks.delivery import EventType
from services.reporting.comparison import comparison
from services.webhooks.outbox import announce

_EVENTS = {
    Standing.VALID: EventType.ANSWER_REVALIDATED,
    Standing.STALE: EventType.ANSWER_STALE,
    Standing.INVALIDATED: EventType.ANSWER_INVALIDATED,
}
_MOST_LOST, _MOST_CHARS = 10, 300
"""The limits of the lost sentences in a message, because a webhook's body is small."""


def store_validity(
    session: Session, validity: AnswerValidity, ruling: Ruling, lost: Sequence[dict[str, Any]] = ()
) -> None:
    """Store the state of an answer; if it changed, write an event and webhooks.

    `lost` are sentences that are not supported any more (domain.audit.validity).
    """
    if not answer_validity.set_validity(session, validity, ruling.state, ruling.reason):
        return
    query = queries.get_query(session, validity.query_id)
    type_, event = _EVENTS[ruling.state], _event_data(validity, lost)
    add_event(session, type_, event, query_id=query.id)
    data = {
        "id": str(query.id),
        "workspace": workspace_name_of(session, query),
        "question": query.question,
        **event,
        "links": {"self": f"/v1/queries/{query.id}", "verifications": f"/v1/queries/{query.id}/verifications"},
        "truncated": len(lost) > _MOST_LOST,
    }
    announce(session, type_, data, query_id=query.id)


def _event_data(stored: AnswerValidity, lost: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "state": stored.state,
        "reason": stored.reason,
        "since": stored.since.isoformat(),
        "document": {"id": str(stored.document_id), "filename": stored.filename},
        "verification": str(stored.reverification) if stored.reverification else None,
        "sentences": [
            {
                "text": sentence["text"][:_MOST_CHARS],
                "old": sentence["old"]["status"] if sentence["old"] else None,
                "new": sentence["new"]["status"] if sentence["new"] else None,
            }
            for sentence in lost[:_MOST_LOST]
        ],
    }


def decide_after_reverification(session: Session, query_id: uuid.UUID, status: QueryStatus) -> None:
    """Decide whether an answer is still valid, when the query that ends is the verification that the answer waits for.

    If another change came meanwhile, the answer waits for a later verification, and this one decides nothing. The retry
    of a failed verification decides in its place.
    """
    query = queries.get_query(session, query_id)
    if query.kind != QueryKind.VERIFICATION or query.reverifies is None:
        return
    pending = answer_validity.find_pending(session, query.reverifies, (query_id, query.replay_of))
    if pending is not None:
        pending.reverification = query_id
        compared = comparison(session, pending.query_id, query_id) if status is QueryStatus.SUCCEEDED else None
        sentences = compared["sentences"] if compared else None
        ruling = after_reverification(pending.filename, sentences)
        store_validity(session, pending, ruling, worse(sentences or ()))
