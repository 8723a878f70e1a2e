"""Documents: accepted, listed, read, deleted."""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Select, func, literal, select, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from db.base import OWN_TENANT
from db.models import Document, DocumentStatus, Workspace
from db.queries.access.workspaces import allocate_document_number, lock_workspace
from db.queries.documents.files import add_file
from db.queries.paging import Place, page
from db.queries.search.passages import uncount_chunks
from domain.errors.missing import DocumentNotFound


def add_document(
    session: Session,
    workspace_id: int,
    *,
    filename: str,
    content: bytes,
    sha256: str,
    source: str,
    details: dict[str, Any],
    version: int = 1,
    traceparent: str | None = None,
    place: str = "database",
) -> Document:
    """Store a queued document with its file, which is already at `place` if that is not the database.

    The caller has locked the workspace (db.queries.documents.versions).
    """
    document = Document(
        id=uuid.uuid4(),
        workspace_id=workspace_id,
        number=allocate_document_number(session, workspace_id),
        filename=filename,
        source=source,
        details=details,
        sha256=sha256,
        version=version,
        size_bytes=len(content),
        traceparent=traceparent,
    )
    session.add(document)
    session.flush()
    add_file(session, document.id, content, sha256, place)
    return document


def merge_details(session: Session, document_id: uuid.UUID, details: dict[str, Any]) -> None:
    if details:
        values = {Document.details: Document.details.op("||")(literal(details, JSONB))}
        session.execute(update(Document).where(Document.id == document_id).values(values))


def get_document(session: Session, document_id: uuid.UUID) -> Document:
    document = session.get(Document, document_id)
    if document is None:
        raise DocumentNotFound(f"There is no document {document_id}.")
    return document


def get_document_text(session: Session, document_id: uuid.UUID) -> str | None:
    get_document(session, document_id)
    return session.scalar(select(Document.text).where(Document.id == document_id))


def get_text_length(session: Session, document_id: uuid.UUID) -> int | None:
    return session.scalar(select(func.length(Document.text)).where(Document.id == document_id))


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Conditions on listed documents; None leaves a property open. Superseded documents are excluded unless requested.

    `metadata` maps keys to their values as text.
    """

    workspace: str | None = None
    status: str | None = None
    filename: str | None = None
    name_contains: str | None = None
    sha256: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    all_versions: bool = False


def list_documents(
    session: Session, wanted: DocumentFilter, *, after: Place | None = None, limit: int
) -> list[tuple[Document, str]]:
    """Return one page of (document, workspace name), newest first."""
    rows = session.execute(page(_wanted(wanted), Document.created_at, Document.id, after=after, limit=limit))
    return [(document, name) for document, name in rows]


def count_documents(session: Session, wanted: DocumentFilter) -> int:
    """Return the number of documents on all pages of a list together."""
    counted = _wanted(wanted).with_only_columns(func.count()).where(Document.tenant_id == OWN_TENANT)
    return session.execute(counted).scalar_one()


def _wanted(wanted: DocumentFilter) -> Select[Document, str]:
    equal = {
        Workspace.name: wanted.workspace,
        Document.status: wanted.status,
        Document.filename: wanted.filename,
        Document.sha256: wanted.sha256,
    }
    statement = (
        select(Document, Workspace.name)
        .join(Workspace, Workspace.id == Document.workspace_id)
        .where(*(column == value for column, value in equal.items() if value is not None))
        .where(*(Document.details[key].astext == value for key, value in wanted.metadata.items()))
    )
    if wanted.name_contains is not None:
        statement = statement.where(Document.filename.icontains(wanted.name_contains, autoescape=True))
    if wanted.status is None and not wanted.all_versions:
        statement = statement.where(Document.status != DocumentStatus.SUPERSEDED)
    return statement


def count_unread(session: Session, workspace_ids: Collection[int]) -> int:
    unread = Document.status.in_([DocumentStatus.QUEUED, DocumentStatus.PROCESSING])
    return session.execute(select(func.count()).where(Document.workspace_id.in_(workspace_ids), unread)).scalar_one()


def workspace_names_of(session: Session, document_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    named = select(Document.id, Workspace.name).join(Workspace, Workspace.id == Document.workspace_id)
    return dict(session.execute(named.where(Document.id.in_(document_ids))).all())


def requeue_document(session: Session, document_id: uuid.UUID) -> None:
    session.execute(
        update(Document)
        .where(Document.id == document_id, Document.status == DocumentStatus.FAILED)
        .values(
            status=DocumentStatus.QUEUED,
            stage="queued",
            error=None,
            attempt=0,
            idle=0,
            lease_until=None,
            launched_at=None,
            progress_at=func.now(),
        )
    )


def get_blocks(session: Session, document_id: uuid.UUID) -> list[Any] | None:
    """Return the stored blocks (citewell_documents.blocks); None for a document that is not read yet."""
    return session.scalar(select(Document.blocks).where(Document.id == document_id))


def lock_workspace_of(session: Session, document_id: uuid.UUID) -> None:
    workspace_id = session.scalar(select(Document.workspace_id).where(Document.id == document_id))
    if workspace_id is not None:
        lock_workspace(session, workspace_id)


def delete_document(session: Session, document_id: uuid.UUID) -> None:
    lock_workspace_of(session, document_id)
    document = get_document(session, document_id)
    uncount_chunks(session, document_id)
    session.delete(document)
