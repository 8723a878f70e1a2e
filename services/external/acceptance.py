"""Accepts answers from other systems, with their sources, for verification (N2). Nothing is judged here."""

import uuid
from collections.abc import Sequence
from typing import Any

from citewell_verify.errors import VerificationInvalid
from config.settings import Settings
from db.queries.access.idempotency import Repeatable, find_reserved, reserve_key
from db.queries.access.workspaces import get_or_add_workspaces, require_access
from db.queries.verifications.batches import add_batch
from db.session import is_limited, reading, transaction
from domain.errors.missing import DocumentNotFound
from domain.errors.requests import BatchInvalid
from domain.errors.state import DocumentNotRead
from services.external.request import NewVerification, check_callback, check_verification
from services.external.storage import Item, SourceRows, Store
from services.queries.submission import Submitted

_MOST_WRONG = 20


def submit_verification(new: NewVerification, settings: Settings, request: Repeatable | None = None) -> Submitted:
    """Store the verification, once for all requests with one Idempotency-Key; the caller then publishes it.

    Its workspace is created if missing, unless the verification is refused. Raises VerificationInvalid,
    WorkspaceNameInvalid, WorkspaceDeleting, WorkspaceForbidden, IdempotencyKeyReused, QuestionInvalid, ModelNotAllowed,
    WebhookUrlInvalid, AddressForbidden, DocumentNotFound, DocumentNotRead, DatabaseUnavailable.
    """
    check_verification(new, settings)
    query_id = uuid.uuid4()
    with transaction() as session:
        sources = SourceRows(session, settings)
        require_access(session, [new.workspace])
        if is_limited():
            sources.of(new)
        if request is not None and (first := reserve_key(session, request, query_id)) != query_id:
            return Submitted(first, repeated=True)
        workspaces = get_or_add_workspaces(session, [new.workspace])
        rows = sources.of(new)
        Store(session, settings, workspaces).add([Item(query_id, new, rows)])
    return Submitted(query_id, repeated=False)


def submit_batch(
    items: Sequence[NewVerification],
    callback_url: str | None,
    settings: Settings,
    request: Repeatable | None = None,
) -> Submitted:
    """Store all items or none, each of which has passed `check_verification`; the id is that of the batch.

    Raises BatchInvalid for item errors that only the database shows, naming at most _MOST_WRONG of them, and
    IdempotencyKeyReused, WebhookUrlInvalid, AddressForbidden, DatabaseUnavailable.
    """
    check_callback(callback_url, settings)
    with reading() as session:
        sources = SourceRows(session, settings)
        require_access(session, (new.workspace for new in items))
        if is_limited():
            _all_rows(sources, items)
        if request is not None and (earlier := find_reserved(session, request)):
            return Submitted(earlier, repeated=True)
        # Checked before anything is created, so that a refused batch leaves no workspace behind.
        rows = _all_rows(sources, items)
    # In a transaction of its own, so that other requests that create the same workspace need not wait for all the
    # items.
    with transaction() as session:
        workspaces = get_or_add_workspaces(session, (new.workspace for new in items))
    batch_id = uuid.uuid4()
    with transaction() as session:
        if request is not None and (first := reserve_key(session, request, batch_id)) != batch_id:
            return Submitted(first, repeated=True)
        add_batch(session, batch_id, len(items), callback_url)
        store = Store(session, settings, workspaces)
        store.add([Item(uuid.uuid4(), new, rows[n], batch_id, n) for n, new in enumerate(items)])
    return Submitted(batch_id, repeated=False)


def _all_rows(sources: SourceRows, items: Sequence[NewVerification]) -> list[list[dict[str, Any]]]:
    rows: list[list[dict[str, Any]]] = []
    wrong: dict[int, str] = {}
    for position, new in enumerate(items):
        try:
            rows.append(sources.of(new))
        except (VerificationInvalid, DocumentNotFound, DocumentNotRead) as error:
            wrong[position] = error.message
        if len(wrong) == _MOST_WRONG:
            break
    if wrong:
        raise BatchInvalid(wrong)
    return rows
