"""Re-ingestion: documents in force are queued a second time, as versions that may turn out the same.

Such a version has no file of its own, and its digest ends with a mark until it is in force: so the unique index on
content lets each document wait only once.
"""

import uuid
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, delete, exists, func, insert, literal, select, update
from sqlalchemy.dialects.postgresql import insert as insert_unless_known
from sqlalchemy.orm import Session, aliased

from db.models import (
    Chunk,
    Document,
    DocumentFile,
    DocumentObject,
    DocumentStatus,
    ReingestedDocument,
    Reingestion,
    SourceItem,
    Workspace,
)
from db.queries.access.workspaces import lock_workspace
from domain.errors.missing import ReingestionNotFound

MARK = "~"
"""The last character of the digest of a version that waits to be read again."""
_UNREAD = (DocumentStatus.QUEUED, DocumentStatus.PROCESSING)


@dataclass(frozen=True, slots=True)
class ReingestionFilter:
    """A filter for the documents in force of a workspace; None leaves a property open. `suffix` is like `.pdf`."""

    workspace_id: int
    suffix: str | None = None
    before: datetime | None = None
    name_contains: str | None = None


class Replaced(NamedTuple):
    """The origin of a version that is a second reading: the run, and the document in force; None when that was deleted
    since."""

    reingestion_id: uuid.UUID
    of_document: uuid.UUID | None


def count_matching(session: Session, wanted: ReingestionFilter) -> int:
    return session.scalars(_matching(wanted).with_only_columns(func.count())).one()


def count_corrected(session: Session, wanted: ReingestionFilter) -> int:
    """Return the number of documents that match but are left out, because the file lacks a person's correction."""
    return session.scalars(_matching(wanted, corrected=True).with_only_columns(func.count())).one()


def add_reingestion(session: Session, wanted: ReingestionFilter, told: dict[str, Any]) -> tuple[uuid.UUID, int]:
    """Queue the matching documents that are not queued already; return the id and the number of queued documents."""
    lock_workspace(session, wanted.workspace_id)
    added = Reingestion(id=uuid.uuid4(), workspace_id=wanted.workspace_id, filter=told)
    session.add(added)
    session.flush()
    _delete_failed(session, wanted)
    queued = _queue(session, wanted)
    if queued:
        session.execute(
            insert(ReingestedDocument),
            [{"document_id": new, "of_document": of, "reingestion_id": added.id} for new, of in queued],
        )
    session.execute(update(Reingestion).where(Reingestion.id == added.id).values(total=len(queued)))
    return added.id, len(queued)


def get_reingestion(session: Session, reingestion_id: uuid.UUID) -> tuple[Reingestion, str]:
    """Return the run and the name of its workspace. Raises ReingestionNotFound."""
    reingestion = session.get(Reingestion, reingestion_id)
    if reingestion is None:
        raise ReingestionNotFound(f"There is no re-ingestion {reingestion_id}.")
    return reingestion, session.get_one(Workspace, reingestion.workspace_id).name


def count_states(session: Session, reingestion_id: uuid.UUID) -> Counter[str]:
    rows = session.execute(
        select(Document.status, func.count())
        .join(ReingestedDocument, ReingestedDocument.document_id == Document.id)
        .where(ReingestedDocument.reingestion_id == reingestion_id)
        .group_by(Document.status)
    )
    return Counter({str(status): count for status, count in rows})


def find_replaced(session: Session, document_id: uuid.UUID) -> Replaced | None:
    """Return the origin of a version that is a second reading; None for a version with a file of its own."""
    stored = session.get(ReingestedDocument, document_id)
    return Replaced(stored.reingestion_id, stored.of_document) if stored else None


def discard(session: Session, document_id: uuid.UUID, reingestion_id: uuid.UUID) -> None:
    """Delete a version that is the same as the one in force."""
    session.execute(delete(Document).where(Document.id == document_id))
    counted = {"unchanged": Reingestion.unchanged + 1}
    session.execute(update(Reingestion).where(Reingestion.id == reingestion_id).values(counted))


def complete(session: Session, document_id: uuid.UUID, of: uuid.UUID, *, in_force: bool) -> None:
    """Give a version that was read its file, its digest and, if it came into force, its place among the items of
    sources.
    """
    held = select(literal(document_id), DocumentFile.content).where(DocumentFile.document_id == of)
    session.execute(insert(DocumentFile).from_select(["document_id", "content"], held))
    outside = select(literal(document_id), DocumentObject.place, DocumentObject.sha256)
    named = outside.where(DocumentObject.document_id == of)
    session.execute(insert(DocumentObject).from_select(["document_id", "place", "sha256"], named))
    digest = {"sha256": func.rtrim(Document.sha256, MARK)}
    session.execute(update(Document).where(Document.id == document_id).values(digest))
    if in_force:
        session.execute(update(SourceItem).where(SourceItem.document_id == of).values(document_id=document_id))


def delete_waiting(session: Session, of: list[uuid.UUID]) -> None:
    """Delete versions that are to be read from the files of documents that are being deleted."""
    waiting = select(ReingestedDocument.document_id).where(ReingestedDocument.of_document.in_(of))
    marked = Document.sha256.endswith(MARK)
    session.execute(delete(Document).where(Document.id.in_(waiting), marked))


def digest_of(document: Document) -> str:
    """Return the digest of a document's file, without the mark."""
    return document.sha256.rstrip(MARK)


def is_of_same_content(sha256: str, reread: str) -> bool:
    """Return whether two versions have the same file; one of them may be a second reading of it."""
    return sha256.rstrip(MARK) == reread.rstrip(MARK)


def _matching(wanted: ReingestionFilter, *, corrected: bool = False) -> Select[Document]:
    later = aliased(Document)
    newer = exists().where(
        later.workspace_id == Document.workspace_id,
        later.filename == Document.filename,
        later.version > Document.version,
        later.status.in_(_UNREAD),
        # A document that waits to be read again counts as well; an upload of other content replaces it anyway.
        ~later.sha256.endswith(MARK),
    )
    is_corrected = and_(
        Document.corrected_from.is_not(None), exists().where(Chunk.document_id == Document.id, Chunk.corrected)
    )
    return select(Document).where(
        Document.workspace_id == wanted.workspace_id,
        Document.status == DocumentStatus.READY,
        # A correction is not in the file, so reading the file again would undo it.
        is_corrected if corrected else ~is_corrected,
        ~newer,
        *_chosen(wanted),
    )


def _chosen(wanted: ReingestionFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.suffix is not None:
        conditions.append(func.lower(Document.filename).endswith(wanted.suffix, autoescape=True))
    if wanted.before is not None:
        conditions.append(Document.ready_at < wanted.before)
    if wanted.name_contains is not None:
        conditions.append(Document.filename.icontains(wanted.name_contains, autoescape=True))
    return conditions


def _delete_failed(session: Session, wanted: ReingestionFilter) -> None:
    again = _matching(wanted).with_only_columns(Document.sha256 + MARK)
    failed = aliased(Document)
    ids = select(failed.id).where(
        failed.workspace_id == wanted.workspace_id, failed.status == DocumentStatus.FAILED, failed.sha256.in_(again)
    )
    session.execute(delete(Document).where(Document.id.in_(ids)))


def _queue(session: Session, wanted: ReingestionFilter) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """Queue the documents, and return (new version, document in force) for each."""
    others = aliased(Document)
    following = (
        select(func.max(others.version) + 1)
        .where(others.workspace_id == Document.workspace_id, others.filename == Document.filename)
        .scalar_subquery()
    )
    first = select(Workspace.next_document_number).where(Workspace.id == wanted.workspace_id).scalar_subquery()
    number = first + func.row_number().over(order_by=(Document.created_at, Document.id)) - 1
    copied = (Document.workspace_id, Document.filename, Document.source, Document.details, Document.size_bytes)
    rows = _matching(wanted).with_only_columns(
        func.gen_random_uuid(), *copied, number, following, Document.sha256 + MARK
    )
    names = ["id", "workspace_id", "filename", "source", "metadata", "size_bytes", "number", "version", "sha256"]
    adding = insert_unless_known(Document).from_select(names, rows).on_conflict_do_nothing()
    added = session.execute(adding.returning(Document.id, Document.filename, Document.number)).all()
    if not added:
        return []
    numbers = {"next_document_number": max(row.number for row in added) + 1}
    session.execute(update(Workspace).where(Workspace.id == wanted.workspace_id).values(numbers))
    in_force = session.execute(
        select(Document.filename, Document.id).where(
            Document.workspace_id == wanted.workspace_id,
            Document.status == DocumentStatus.READY,
            Document.filename.in_([row.filename for row in added]),
        )
    )
    named = dict(in_force.all())
    return [(row.id, named[row.filename]) for row in added if row.filename in named]
