"""Cancels a query, and retries a failed one as a new query, because a final state is final."""

import uuid
from typing import Any

from sqlalchemy.orm import Session

from clients.telemetry import tracing
from config.settings import Settings
from db.models import Query, QueryKind, QueryStatus
from db.queries.access.idempotency import Repeatable, reserve_key
from db.queries.access.workspaces import require_open_workspace
from db.queries.runs.parking import parked_of_query
from db.queries.runs.queries import add_query, find_replay, get_query, lock_query
from db.queries.runs.replays import copy_outcomes, copy_sources, outcomes_of_request
from db.queries.runs.steps import add_outcomes, list_outcomes
from db.session import transaction
from domain.errors.state import NotReplayable, QueryFinished, SourceDeleted
from domain.query.resumption import kept_outcomes
from services.core.call_ledger import requester_columns
from services.core.context import Outcome
from services.finishing.completion import finish
from services.queries.conversations import take_place
from services.queries.results import read_head
from services.queries.submission import Submitted


def cancel_query(query_id: uuid.UUID, kind: QueryKind = QueryKind.ANSWER) -> dict[str, Any]:
    """End the query as cancelled and return it without its answer; repeating it changes nothing.

    After the commit its messages are stale: workers drop them, and stop a running call when they renew their lease. No
    later result of the query is stored or sent. Raises QueryNotFound, VerificationNotFound, and QueryFinished when it
    has ended otherwise.
    """
    with transaction() as session:
        finish(session, query_id, QueryStatus.CANCELLED)
        # A query of another kind raises an error here, which rolls the end back.
        status = get_query(session, query_id, kind).status
        if status != QueryStatus.CANCELLED:
            raise QueryFinished(f"The query has ended already ({status}); there is nothing left to cancel.")
    return read_head(query_id)


_ENDED_BADLY = (QueryStatus.FAILED, QueryStatus.CANCELLED)


def retry_query(
    query_id: uuid.UUID, kind: QueryKind, settings: Settings, request: Repeatable | None = None
) -> Submitted:
    """Store a new query with the same question, options, workspace and callback, and a fresh budget of time and money;
    the caller then publishes it.

    A retried answer keeps finished outcomes that need not be paid for again; a verification starts from its stored
    sources. Raises QueryNotFound, VerificationNotFound, NotReplayable, WorkspaceDeleting, IdempotencyKeyReused.
    """
    new_id = uuid.uuid4()
    with transaction() as session:
        old = get_query(session, query_id, kind)
        if request is not None and (first := reserve_key(session, request, new_id)) != new_id:
            return Submitted(first, repeated=True)
        parked = [(item["round"], item["step"], item["item"]) for item in parked_of_query(session, query_id)]
        if old.status not in _ENDED_BADLY and not (parked and old.finished_at):
            raise NotReplayable(
                f"The query's status is {old.status!r} and none of its finished steps was parked; ask anew instead."
            )
        require_open_workspace(session, old.workspace_id)
        _add(session, new_id, old, settings)
        take_place(session, old.id, new_id)
        if kind is QueryKind.VERIFICATION:
            copy_request(session, old.id, new_id)
        elif old.options.get("given_sources"):
            # The copies have new keys, so outcomes that contain the old ones cannot be kept.
            copy_sources(session, old.id, new_id)
        elif (old.provider, old.options.get("model_choice")) == (settings.provider, settings.model_choice) and (
            old.error or {}
        ).get("code") != SourceDeleted().code:
            # Outcomes of other models are not kept, and none is kept if one of its passages is gone.
            copy_outcomes(session, old.id, new_id, kept_outcomes(list_outcomes(session, old.id), parked))
    return Submitted(new_id, repeated=False)


def _add(session: Session, new_id: uuid.UUID, old: Query, settings: Settings) -> None:
    add_query(
        session,
        old.workspace_id,
        query_id=new_id,
        kind=old.kind,
        question=old.question,
        mode=old.mode,
        provider=settings.provider,
        options={**old.options, "model_choice": settings.model_choice},
        callback_url=old.callback_url,
        custom_id=old.custom_id,
        replay_of=old.id,
        reverifies=old.reverifies,
        traceparent=tracing.traceparent(),
        is_thread=_take_thread(session, old),
        **requester_columns(session),
    )


def _take_thread(session: Session, old: Query) -> bool:
    """Remove this question, or the newest that repeated it, from the threads; return whether one of them was a
    thread."""
    query: Query | None = lock_query(session, old.id, QueryKind(old.kind))
    while query is not None and not query.is_thread:
        query = find_replay(session, query.id)
    if query is None:
        return False
    query.is_thread = False
    return True


def copy_request(session: Session, old_id: uuid.UUID, new_id: uuid.UUID) -> None:
    """Copy the sources and the answer that came with the request of a verification to another one (N2)."""
    keys = copy_sources(session, old_id, new_id)

    def with_new_keys(step: str, outcome: Outcome) -> Outcome:
        if step != "select":
            return outcome
        return {**outcome, **{name: [keys[key] for key in outcome[name]] for name in ("selected", "ranked")}}

    outcomes = outcomes_of_request(session, old_id)
    add_outcomes(session, [(new_id, step, item, with_new_keys(step, outcome)) for step, item, outcome in outcomes])
