"""Changes of documents, and the validity of the answers that cite them (N7)."""

import uuid
from collections.abc import Collection
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import Uuid, and_, func, literal, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, aliased

from db.models import (
    Answer,
    AnswerValidity,
    Citation,
    Document,
    DocumentChange,
    DocumentStatus,
    Query,
    QueryKind,
    QueryStatus,
)

# A document that no answer cites leaves no row, unless an answer that may cite it is being written.
_NOTE = """
    INSERT INTO document_changes (document_id, filename, replaced_by)
    SELECT old.id, old.filename, {by} FROM documents AS old
    JOIN documents AS new ON (new.workspace_id, new.filename) = (old.workspace_id, old.filename)
    WHERE new.id = :id AND ({which}) AND (
        EXISTS (SELECT FROM citations WHERE citations.document_id = old.id)
        OR EXISTS (
            SELECT FROM queries
            WHERE finished_at IS NULL AND kind = 'answer'
                AND (workspace_id = old.workspace_id OR options -> 'workspaces' @> to_jsonb(old.workspace_id))
        )
        -- The answers of other workspaces may cite it, too, but are hidden from a limited transaction.
        OR coalesce(current_setting('citewell.workspaces', true), '') <> ''
    )
"""
_SUPERSEDED = text(_NOTE.format(by="new.id", which="old.id <> new.id AND old.status = 'superseded'"))
# Deleting the version in force also deletes the versions before it.
_GONE = text(_NOTE.format(by="NULL", which="old.id = new.id OR new.status = 'ready' AND old.status = 'superseded'"))

_MISSED = text("""
    INSERT INTO document_changes (document_id, filename, replaced_by, answer_of)
    SELECT DISTINCT ON (cited.document_id) cited.document_id, cited.document_name, new.id, answers.query_id
    FROM citations AS cited JOIN answers ON answers.id = cited.answer_id
    LEFT JOIN documents AS old ON old.id = cited.document_id
    LEFT JOIN documents AS new
        ON (new.workspace_id, new.filename) = (old.workspace_id, old.filename) AND new.status = 'ready'
    WHERE answers.query_id = :query AND cited.source <> 'request'
        AND (old.id IS NULL OR old.status = 'superseded')
""")


def record_new_version(session: Session, document_id: uuid.UUID) -> None:
    session.execute(_SUPERSEDED, {"id": document_id})


def record_deletion(session: Session, document_ids: Collection[uuid.UUID]) -> None:
    for document_id in document_ids:
        session.execute(_GONE, {"id": document_id})


def record_missed(session: Session, query_id: uuid.UUID) -> None:
    """Record the changes of cited documents for an answer that is published only now: while it was held back, they did
    not affect it."""
    session.execute(_MISSED, {"query": query_id})


def list_due_changes(session: Session, limit: int = 20) -> list[tuple[int, int]]:
    due = (DocumentChange.done_at.is_(None), DocumentChange.due_at <= func.now())
    rows = session.execute(
        select(DocumentChange.id, DocumentChange.tenant_id).where(*due).order_by(DocumentChange.id).limit(limit)
    )
    return [(change, tenant) for change, tenant in rows]


def lock_change(session: Session, change_id: int) -> DocumentChange | None:
    due = (DocumentChange.done_at.is_(None), DocumentChange.due_at <= func.now())
    return session.scalar(
        select(DocumentChange).where(DocumentChange.id == change_id, *due).with_for_update(skip_locked=True)
    )


def postpone_change(session: Session, change_id: int, seconds: float) -> None:
    later = func.now() + timedelta(seconds=seconds)
    session.execute(update(DocumentChange).where(DocumentChange.id == change_id).values(due_at=later))


def advance_change(session: Session, change: DocumentChange, cursor: int | None, settle_s: float) -> None:
    """Record the last processed citation. None ends the pass: the first pass schedules a second one, which ends the
    change."""
    if cursor is not None:
        change.cursor = cursor
    elif change.passes:
        change.done_at = session.scalar(select(func.now()))
        change.passes += 1
    else:
        change.cursor, change.passes = 0, 1
        change.due_at = change.created_at + timedelta(seconds=settle_s)
    session.flush()


def list_citing(session: Session, change: DocumentChange, limit: int) -> list[tuple[int, uuid.UUID]]:
    """Return (citation, query) of the next citations of the document in published answers, in order."""
    rows = session.execute(
        select(Citation.id, Answer.query_id)
        .join(Answer, Answer.id == Citation.answer_id)
        .join(Query, Query.id == Answer.query_id)
        .where(Citation.document_id == change.document_id, Citation.id > change.cursor)
        .where(or_(literal(change.answer_of, Uuid).is_(None), Query.id == change.answer_of))
        .where(Query.kind == QueryKind.ANSWER, Query.status == QueryStatus.SUCCEEDED)
        # A reviewer's own text in place of the answer cites nothing.
        .where(Query.review.is_distinct_from("corrected"))
        .order_by(Citation.id)
        .limit(limit)
    )
    return [(citation, query) for citation, query in rows]


class Quotes(NamedTuple):
    """An answer's quotes from one document."""

    document_id: uuid.UUID
    filename: str
    quotes: list[str]


def list_quotes(session: Session, query_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, list[Quotes]]:
    quotes = func.array_agg(Citation.text_span)
    rows = session.execute(
        select(Answer.query_id, Citation.document_id, func.min(Citation.document_name), quotes)
        .join(Answer, Answer.id == Citation.answer_id)
        .where(Answer.query_id.in_(query_ids))
        .group_by(Answer.query_id, Citation.document_id)
        .order_by(Citation.document_id)
    )
    quotes_of: dict[uuid.UUID, list[Quotes]] = {}
    for query_id, document_id, filename, quoted in rows:
        quotes_of.setdefault(query_id, []).append(Quotes(document_id, filename, list(quoted)))
    return quotes_of


class Version(NamedTuple):
    """A version of a document; `is_same` says that its file and its text are those of the version in question.

    The text of the same file differs where people corrected it, or where it was read again with other settings.
    """

    id: uuid.UUID
    is_same: bool


def find_in_force(session: Session, document_id: uuid.UUID) -> Version | None:
    old, new = aliased(Document), aliased(Document)
    row = session.execute(
        select(new.id, and_(new.sha256 == old.sha256, new.text == old.text))
        .join(old, and_(new.workspace_id == old.workspace_id, new.filename == old.filename))
        .where(old.id == document_id, new.status == DocumentStatus.READY)
    ).one_or_none()
    return Version(*row) if row else None


def lock_validities(session: Session, change: DocumentChange, query_ids: Collection[uuid.UUID]) -> list[AnswerValidity]:
    """Lock the validities of these answers until the transaction ends, in the order of their queries. Missing ones are
    created in the initial state, `valid`.
    """
    if not query_ids:
        return []
    first = {"state": "valid", "reason": "", "change_id": 0}
    of = {"document_id": change.document_id, "filename": change.filename}
    rows = [{"query_id": query_id, **first, **of} for query_id in sorted(query_ids)]
    session.execute(insert(AnswerValidity).on_conflict_do_nothing(), rows)
    wanted = select(AnswerValidity).where(AnswerValidity.query_id.in_(query_ids))
    return list(session.scalars(wanted.order_by(AnswerValidity.query_id).with_for_update()))


def set_validity(session: Session, validity: AnswerValidity, state: str, reason: str) -> bool:
    """Store a state and its reason; False when the state is unchanged, which keeps its `since`."""
    is_new = validity.state != state
    validity.state, validity.reason = state, reason
    if is_new:
        validity.since = session.scalars(select(func.clock_timestamp())).one()
    session.flush()
    return is_new


def find_pending(
    session: Session, query_id: uuid.UUID, reverifications: Collection[uuid.UUID | None]
) -> AnswerValidity | None:
    """Lock the validity of an answer that waits for one of these verifications; None when it waits for none of them."""
    return session.scalar(
        select(AnswerValidity)
        .where(AnswerValidity.query_id == query_id, AnswerValidity.reverification.in_(reverifications))
        .where(AnswerValidity.state == "stale")
        .with_for_update()
    )
