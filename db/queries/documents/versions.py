"""Versions of a document: all accepted under one name; the newest ready one is in force."""

import uuid
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from db.models import Document, DocumentStatus
from db.queries.access.workspaces import lock_workspace
from db.queries.documents.documents import get_document
from db.queries.documents.fingerprints import drop_fingerprints
from db.queries.documents.ingestion import advance_document
from db.queries.documents.reingestions import is_of_same_content
from db.queries.search.passages import uncount_chunks


class Version(NamedTuple):
    """One of the documents with the same name."""

    id: uuid.UUID
    version: int
    status: str
    sha256: str


_LIVE = (DocumentStatus.QUEUED, DocumentStatus.PROCESSING, DocumentStatus.READY)


def lock_versions(session: Session, workspace_id: int, filename: str) -> list[Version]:
    """Return the versions of this name, the oldest first; their statuses cannot change until the transaction ends."""
    # All code locks in this order. A plain FOR UPDATE would block inserts of chunks that refer to the document.
    rows = session.execute(
        select(Document.id, Document.version, Document.status, Document.sha256)
        .where(Document.workspace_id == workspace_id, Document.filename == filename)
        .order_by(Document.id)
        .with_for_update(key_share=True)
    )
    return sorted((Version(*row) for row in rows), key=lambda version: version.version)


def find_live(versions: Sequence[Version], sha256: str) -> Version | None:
    """Return the version with this content that is not superseded; there is at most one."""
    return next(
        (version for version in versions if version.sha256 == sha256 and version.status != DocumentStatus.SUPERSEDED),
        None,
    )


def next_version(versions: Sequence[Version]) -> int:
    return max((version.version for version in versions), default=0) + 1


def make_newest(session: Session, version: Version, versions: Sequence[Version]) -> None:
    """Renumber a version that was uploaded again above later ones that have not failed."""
    later = [above for above in versions if above.version > version.version and above.status in _LIVE]
    # A second reading of the same content stays above it.
    if any(not is_of_same_content(above.sha256, version.sha256) for above in later):
        values = {"version": next_version(versions)}
        session.execute(update(Document).where(Document.id == version.id).values(values))


def find_twin(session: Session, workspace_id: int, filename: str, sha256: str) -> uuid.UUID | None:
    return session.scalar(
        select(Document.id)
        .where(
            Document.workspace_id == workspace_id,
            Document.sha256 == sha256,
            Document.filename != filename,
            Document.status != DocumentStatus.SUPERSEDED,
        )
        .order_by(Document.number)
        .limit(1)
    )


def mark_document_ready(
    session: Session, document_id: uuid.UUID, attempt: int, **values: object
) -> DocumentStatus | None:
    """Put the document in force in place of its earlier versions; `values` are other columns.

    Return its status: `superseded` when a newer version was ready first; None when another worker took over.
    """
    document = get_document(session, document_id)
    versions = lock_versions(session, document.workspace_id, document.filename)
    # The version number may have grown since the document was read.
    own = next(version.version for version in versions if version.id == document_id)
    ready = [version for version in versions if version.status == DocumentStatus.READY]
    newer = [version.id for version in ready if version.version > own]
    status = DocumentStatus.SUPERSEDED if newer else DocumentStatus.READY
    changes = _superseded_by(newer[-1]) if newer else {"stage": "ready", "ready_at": func.now()}
    if not advance_document(session, document_id, attempt, lease_s=0, status=status, error=None, **changes, **values):
        return None
    if not newer and ready:
        session.execute(
            update(Document)
            .where(Document.id.in_([version.id for version in ready]))
            .values(status=DocumentStatus.SUPERSEDED, **_superseded_by(document_id))
        )
        drop_fingerprints(session, [version.id for version in ready])
    return status


def list_versions(session: Session, document_id: uuid.UUID) -> list[Document]:
    document = get_document(session, document_id)
    return list(
        session.scalars(
            select(Document)
            .where(Document.workspace_id == document.workspace_id, Document.filename == document.filename)
            .order_by(Document.version.desc())
        )
    )


def delete_versions(session: Session, document_id: uuid.UUID) -> None:
    document = get_document(session, document_id)
    lock_workspace(session, document.workspace_id)
    versions = lock_versions(session, document.workspace_id, document.filename)
    for version in versions:
        uncount_chunks(session, version.id)
    session.execute(delete(Document).where(Document.id.in_([version.id for version in versions])))


def _superseded_by(document_id: uuid.UUID) -> dict[str, object]:
    return {"stage": "superseded", "superseded_by": document_id, "superseded_at": func.now()}
