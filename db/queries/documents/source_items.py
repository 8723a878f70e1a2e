"""The items that sources list, and the outcome of each."""

import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import and_, case, delete, exists, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from db.models import Document, ItemOutcome, Source, SourceItem
from domain.documents.sources import GONE_MARK, PART_UNREACHABLE, Listed, Refusal, Wanted

Json = dict[str, Any]


class KnownItem(NamedTuple):
    """The state of an item: the tag of the content that was last taken, its document if that still exists, and whether
    anything was ever taken."""

    wanted: Wanted
    sha256: str | None
    document_id: uuid.UUID | None
    filename: str | None
    was_there: bool


class Reason(NamedTuple):
    """An item that did not become a document, and why."""

    key: str
    outcome: str
    code: str
    message: str


def list_items(session: Session, source_id: uuid.UUID, run: int, listed: Sequence[Listed]) -> None:
    """Store the items that a run has listed; items that this run has already handled keep their outcome."""
    if not listed:
        return
    adding = insert(SourceItem).values([_row(source_id, run, item) for item in listed])
    new = adding.excluded
    same = and_(SourceItem.tag.is_not(None), SourceItem.tag == new.listed_tag, SourceItem.gone_at.is_(None))
    outcome = case(
        (SourceItem.run == new.run, SourceItem.outcome),
        (and_(same, new.outcome == ItemOutcome.PENDING), ItemOutcome.UNCHANGED),
        else_=new.outcome,
    )
    handled = SourceItem.run == new.run
    session.execute(
        adding.on_conflict_do_update(
            index_elements=[SourceItem.source_id, SourceItem.key],
            set_={
                "run": new.run,
                "outcome": outcome,
                "listed_tag": new.listed_tag,
                "details": new.details,
                "depth": case((handled, SourceItem.depth), else_=new.depth),
                "code": case((handled, SourceItem.code), else_=new.code),
                "message": case((handled, SourceItem.message), else_=new.message),
                "seen_at": func.now(),
            },
        )
    )


def _row(source_id: uuid.UUID, run: int, item: Listed) -> Json:
    refused = item.refused
    if refused is None:
        outcome = ItemOutcome.PENDING
    else:
        outcome = ItemOutcome.FAILED if refused.code == PART_UNREACHABLE else ItemOutcome.SKIPPED
    return {
        "source_id": source_id,
        "key": item.key,
        "depth": item.depth,
        "run": run,
        "outcome": outcome,
        "listed_tag": item.tag,
        "details": dict(item.details),
        "code": refused and refused.code,
        "message": refused and refused.message,
    }


def not_listed(session: Session, source: Source, listed: Sequence[Listed]) -> list[Listed]:
    rows = session.scalars(
        select(SourceItem.key).where(
            SourceItem.source_id == source.id,
            SourceItem.run == source.run,
            SourceItem.key.in_([item.key for item in listed]),
        )
    )
    known = set(rows)
    return [item for item in listed if item.key not in known]


def list_pending(session: Session, source_id: uuid.UUID, run: int, limit: int) -> list[KnownItem]:
    """Return items that are still to be fetched; those with the fewest links from the start come first."""
    rows = session.execute(
        select(SourceItem, Document.id, Document.filename)
        .outerjoin(Document, Document.id == SourceItem.document_id)
        .where(SourceItem.source_id == source_id, SourceItem.run == run, SourceItem.outcome == ItemOutcome.PENDING)
        .order_by(SourceItem.depth, SourceItem.key)
        .limit(limit)
    )
    return [
        KnownItem(
            Wanted(item.key, item.tag, item.depth, item.details),
            item.sha256,
            document_id,
            filename,
            item.sha256 is not None or item.gone_at is not None,
        )
        for item, document_id, filename in rows
    ]


def set_outcome(session: Session, source_id: uuid.UUID, key: str, outcome: ItemOutcome, **values: Any) -> None:
    """Store the outcome of an item; `values` are other columns."""
    session.execute(
        update(SourceItem)
        .where(SourceItem.source_id == source_id, SourceItem.key == key)
        .values(outcome=outcome, **{"code": None, "message": None, "gone_at": None, **values})
    )


def refuse(session: Session, source_id: uuid.UUID, key: str, outcome: ItemOutcome, reason: Refusal) -> None:
    """Store why an item is not taken; its document, if it has one, stays."""
    values = {"outcome": outcome, "code": reason.code, "message": reason.message}
    session.execute(update(SourceItem).where(SourceItem.source_id == source_id, SourceItem.key == key).values(values))


def is_name_free(session: Session, source_id: uuid.UUID, key: str, filename: str) -> bool:
    taken = exists().where(
        SourceItem.source_id == source_id,
        SourceItem.key != key,
        SourceItem.document_id == Document.id,
        Document.filename == filename,
    )
    return not session.scalar(select(taken))


def list_missing(session: Session, source_id: uuid.UUID, run: int, limit: int) -> list[tuple[str, uuid.UUID | None]]:
    """Return (key, document) of items that a run did not list and that are not recorded as gone."""
    rows = session.execute(
        select(SourceItem.key, SourceItem.document_id)
        .where(SourceItem.source_id == source_id, SourceItem.run < run, SourceItem.gone_at.is_(None))
        .order_by(SourceItem.key)
        .limit(limit)
    )
    return [(key, document_id) for key, document_id in rows]


def forget_unlisted(session: Session, source_id: uuid.UUID, run: int) -> None:
    """Delete items that a run did not list and that never became a document, because a place may list other ones each
    time."""
    never = (SourceItem.document_id.is_(None), SourceItem.sha256.is_(None), SourceItem.gone_at.is_(None))
    session.execute(delete(SourceItem).where(SourceItem.source_id == source_id, SourceItem.run < run, *never))


def lists_nothing(session: Session, source_id: uuid.UUID, run: int) -> bool:
    """Return whether the run found none of several items that were listed before."""
    listed = exists().where(SourceItem.source_id == source_id, SourceItem.run == run)
    before = select(func.count()).where(
        SourceItem.source_id == source_id, SourceItem.gone_at.is_(None), SourceItem.document_id.is_not(None)
    )
    return not session.scalar(select(listed)) and (session.scalar(before) or 0) > 1


def mark_gone(session: Session, source_id: uuid.UUID, run: int, key: str) -> None:
    """Record that an item is gone; if it comes back, it is fetched again."""
    set_outcome(session, source_id, key, ItemOutcome.GONE, run=run, tag=None, sha256=None, gone_at=func.now())


def mark_document(session: Session, document_id: uuid.UUID, *, gone: bool) -> None:
    """Record in the metadata of the document that its item is gone, or remove that mark."""
    stamp = func.jsonb_build_object(GONE_MARK, func.to_char(func.timezone("UTC", func.now()), _ISO))
    changed = Document.details.op("||")(stamp) if gone else Document.details.op("-")(GONE_MARK)
    session.execute(update(Document).where(Document.id == document_id).values({Document.details: changed}))


_ISO = 'YYYY-MM-DD"T"HH24:MI:SS"Z"'


def count_outcomes(session: Session, source: Source) -> Counter[str]:
    """Return the number of items of the current or last run with each outcome."""
    rows = session.execute(
        select(SourceItem.outcome, func.count())
        .where(SourceItem.source_id == source.id, SourceItem.run == source.run)
        .group_by(SourceItem.outcome)
    )
    return Counter(dict(rows.all()))


def count_listed(session: Session, source_id: uuid.UUID, run: int) -> int:
    return session.scalar(select(func.count()).where(SourceItem.source_id == source_id, SourceItem.run == run)) or 0


def count_documents(session: Session, source_id: uuid.UUID) -> Counter[str]:
    rows = session.execute(
        select(Document.status, func.count())
        .join(SourceItem, SourceItem.document_id == Document.id)
        .where(SourceItem.source_id == source_id)
        .group_by(Document.status)
    )
    return Counter(dict(rows.all()))


def list_reasons(session: Session, source: Source, limit: int) -> list[Reason]:
    """Return items of the run that failed or were skipped, the failed ones first."""
    rows = session.execute(
        select(SourceItem.key, SourceItem.outcome, SourceItem.code, SourceItem.message)
        .where(SourceItem.source_id == source.id, SourceItem.run == source.run, SourceItem.code.is_not(None))
        .order_by(SourceItem.outcome, SourceItem.key)
        .limit(limit)
    )
    return [Reason(key, outcome, code or "", message or "") for key, outcome, code, message in rows]


def hides_any(session: Session, source: Source, *, by_links: bool) -> bool:
    """Return whether the run could not list everything: a part of the place, or `by_links` a page, could not be
    read."""
    failed = exists().where(
        SourceItem.source_id == source.id, SourceItem.run == source.run, SourceItem.outcome == ItemOutcome.FAILED
    )
    return bool(session.scalar(select(failed if by_links else failed.where(SourceItem.code == PART_UNREACHABLE))))


def page_of_items(
    session: Session, source_id: uuid.UUID, outcome: str | None, *, after: str, limit: int
) -> list[tuple[SourceItem, str | None]]:
    """Return one page of (item, state of its document), by key."""
    statement = (
        select(SourceItem, Document.status)
        .outerjoin(Document, Document.id == SourceItem.document_id)
        .where(SourceItem.source_id == source_id, SourceItem.key > after)
    )
    if outcome is not None:
        statement = statement.where(SourceItem.outcome == outcome)
    rows = session.execute(statement.order_by(SourceItem.key).limit(limit))
    return [(item, status) for item, status in rows]


def some_documents(session: Session, source_id: uuid.UUID, limit: int) -> list[uuid.UUID]:
    document_ids = select(SourceItem.document_id).where(
        SourceItem.source_id == source_id, SourceItem.document_id.is_not(None)
    )
    return [document_id for document_id in session.scalars(document_ids.limit(limit)) if document_id is not None]


def delete_source(session: Session, source_id: uuid.UUID) -> None:
    session.execute(delete(Source).where(Source.id == source_id))
