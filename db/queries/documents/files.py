"""The files of documents: in their own rows, or as objects outside of the database."""

import uuid
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import ColumnElement, case, delete, exists, func, literal, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from db.models import Document, DocumentFile, DocumentObject, StoredObject
from domain.errors.missing import DocumentNotFound

DATABASE = "database"


class StoredFile(NamedTuple):
    """The file of a document; `content` is None when the file is at a `place` outside of the database."""

    sha256: str
    content: bytes | None
    place: str | None


class Misplaced(NamedTuple):
    """A file that is at `place` and should be at `target`."""

    document_id: uuid.UUID
    tenant_id: int
    size_bytes: int
    target: str


class Loose(NamedTuple):
    tenant_id: int
    place: str
    sha256: str


def find_stored(session: Session, document_id: uuid.UUID) -> StoredFile | None:
    """Return the file of a document, which may have none. Raises DocumentNotFound."""
    digest = session.scalar(select(Document.sha256).where(Document.id == document_id))
    if digest is None:
        raise DocumentNotFound(f"There is no document {document_id}.")
    if (file := session.get(DocumentFile, document_id)) is not None:
        return StoredFile(digest, file.content, None)
    stored = session.get(DocumentObject, document_id)
    return stored and StoredFile(digest, None, stored.place)


def add_file(session: Session, document_id: uuid.UUID, content: bytes, sha256: str, place: str) -> None:
    """Store the content in the row, or refer to the object at `place` that was announced and written before."""
    if place == DATABASE:
        session.add(DocumentFile(document_id=document_id, content=content))
    else:
        session.add(DocumentObject(document_id=document_id, place=place, sha256=sha256))


def announce_object(session: Session, place: str, sha256: str, size_bytes: int) -> None:
    """Record an object that is going to be written: it stays loose, and is not deleted, until a document names it."""
    adding = insert(StoredObject).values(place=place, sha256=sha256, size_bytes=size_bytes)
    keys = [StoredObject.tenant_id, StoredObject.place, StoredObject.sha256]
    session.execute(adding.on_conflict_do_update(index_elements=keys, set_={"loose_since": func.now()}))


def take_loose(session: Session, places: list[str], grace_s: float) -> Loose | None:
    """Lock an object that has been loose for `grace_s` and that no document names; None if there is none.

    The lock keeps writers of the same content waiting, until the object is deleted with its row.
    """
    old = StoredObject.loose_since < func.now() - timedelta(seconds=grace_s)
    loose = session.execute(
        select(StoredObject.tenant_id, StoredObject.place, StoredObject.sha256)
        .where(old, StoredObject.place.in_(places))
        .order_by(StoredObject.loose_since)
        .limit(1)
        .with_for_update(skip_locked=True)
    ).one_or_none()
    return None if loose is None else Loose(*loose)


def is_named(session: Session, loose: Loose) -> bool:
    named = exists().where(
        DocumentObject.tenant_id == loose.tenant_id,
        DocumentObject.place == loose.place,
        DocumentObject.sha256 == loose.sha256,
    )
    return session.execute(select(named)).scalar_one()


def keep_object(session: Session, loose: Loose) -> None:
    session.execute(update(StoredObject).where(*_is(loose)).values(loose_since=None))


def drop_object(session: Session, loose: Loose) -> None:
    session.execute(delete(StoredObject).where(*_is(loose)))


def _is(loose: Loose) -> list[ColumnElement[bool]]:
    return [
        StoredObject.tenant_id == loose.tenant_id,
        StoredObject.place == loose.place,
        StoredObject.sha256 == loose.sha256,
    ]


def list_misplaced(
    session: Session, store: str, above_bytes: int, *, after: uuid.UUID | None, limit: int
) -> list[Misplaced]:
    """Return files that are elsewhere than the settings say, by document."""
    place = _place()
    target = case((Document.size_bytes > above_bytes, literal(store)), else_=literal(DATABASE))
    statement = (
        select(Document.id, Document.tenant_id, Document.size_bytes, target)
        .outerjoin(DocumentFile, DocumentFile.document_id == Document.id)
        .outerjoin(DocumentObject, DocumentObject.document_id == Document.id)
        .where(place != target)
        .order_by(Document.id)
        .limit(limit)
    )
    if after is not None:
        statement = statement.where(Document.id > after)
    return [Misplaced(*row) for row in session.execute(statement)]


def move_file(session: Session, document_id: uuid.UUID, content: bytes, sha256: str, place: str) -> bool:
    """Give the document its file at `place` only; False if the document was deleted meanwhile."""
    held = select(Document.id).where(Document.id == document_id).with_for_update(key_share=True)
    if session.scalar(held) is None:
        return False
    for table in (DocumentFile, DocumentObject):
        session.execute(delete(table).where(table.document_id == document_id))
    add_file(session, document_id, content, sha256, place)
    return True


def sum_places(session: Session) -> dict[str, tuple[int, int]]:
    """Return for each place the number of documents whose file is there, and the bytes of these files."""
    place = _place().label("kept_at")
    rows = session.execute(
        select(place, func.count(), func.coalesce(func.sum(Document.size_bytes), 0))
        .select_from(Document)
        .outerjoin(DocumentFile, DocumentFile.document_id == Document.id)
        .outerjoin(DocumentObject, DocumentObject.document_id == Document.id)
        .where(or_(DocumentFile.document_id.is_not(None), DocumentObject.document_id.is_not(None)))
        .group_by(text("kept_at"))
    )
    return {name: (count, int(size)) for name, count, size in rows}


def _place() -> ColumnElement[str]:
    return case((DocumentFile.document_id.is_not(None), literal(DATABASE)), else_=DocumentObject.place)
