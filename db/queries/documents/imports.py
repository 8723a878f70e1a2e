"""Imports: an archive stored in parts, unpacked by one worker at a time, finished with its last document."""

import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from db.models import Document, DocumentStatus, Import, ImportMember, ImportPart, ImportStatus, Workspace
from db.queries.leases import extend_lease, is_free, lease_end
from db.queries.paging import Place, page
from domain.errors.missing import ImportNotFound

_UNFINISHED = (ImportStatus.QUEUED, ImportStatus.RUNNING)


class Skipped(NamedTuple):
    """A file that did not become a document."""

    name: str
    code: str
    message: str


def add_import(session: Session, workspace_id: int, **values: Any) -> Import:
    added = Import(id=uuid.uuid4(), workspace_id=workspace_id, **values)
    session.add(added)
    session.flush()
    return added


def add_part(session: Session, import_id: uuid.UUID, position: int, content: bytes) -> None:
    values = {"import_id": import_id, "position": position, "content": content}
    session.execute(insert(ImportPart).values(values))


def get_import(session: Session, import_id: uuid.UUID) -> Import:
    stored = session.get(Import, import_id)
    if stored is None:
        raise ImportNotFound(f"There is no import {import_id}.")
    return stored


def find_unfinished(session: Session, workspace_id: int, filename: str, sha256: str) -> Import | None:
    return session.scalar(
        select(Import)
        .where(
            Import.workspace_id == workspace_id,
            Import.filename == filename,
            Import.sha256 == sha256,
            Import.status.in_(_UNFINISHED),
        )
        .order_by(Import.created_at)
        .limit(1)
    )


def list_imports(
    session: Session, workspace: str | None, status: str | None, *, after: Place | None = None, limit: int
) -> list[tuple[Import, str]]:
    statement = select(Import, Workspace.name).join(Workspace, Workspace.id == Import.workspace_id)
    if workspace is not None:
        statement = statement.where(Workspace.name == workspace)
    if status is not None:
        statement = statement.where(Import.status == status)
    rows = session.execute(page(statement, Import.created_at, Import.id, after=after, limit=limit))
    return [(stored, name) for stored, name in rows]


def claim_import(session: Session, import_id: uuid.UUID, lease_s: float) -> int | None:
    """Claim an import that is not unpacked yet and whose lease is free; return the attempt that fences this worker."""
    return session.scalar(
        update(Import)
        .where(
            Import.id == import_id,
            Import.status.in_(_UNFINISHED),
            Import.unpacked_at.is_(None),
            is_free(Import),
        )
        .values(
            status=ImportStatus.RUNNING,
            attempt=Import.attempt + 1,
            strikes=Import.strikes + 1,
            lease_until=lease_end(lease_s),
            progress_at=func.now(),
        )
        .returning(Import.attempt)
    )


def advance_import(session: Session, import_id: uuid.UUID, attempt: int, *, lease_s: float, **values: object) -> bool:
    held = (Import.id == import_id, Import.attempt == attempt, Import.status == ImportStatus.RUNNING)
    return extend_lease(session, Import, held, lease_s, progress_at=func.now(), **values)


def read_parts(session: Session, import_id: uuid.UUID) -> Iterator[bytes]:
    positions = session.scalars(
        select(ImportPart.position).where(ImportPart.import_id == import_id).order_by(ImportPart.position)
    ).all()
    for position in positions:
        content = select(ImportPart.content).where(ImportPart.import_id == import_id, ImportPart.position == position)
        yield session.scalars(content).one()


def add_member(session: Session, import_id: uuid.UUID, position: int, **values: Any) -> None:
    row = {"import_id": import_id, "position": position, **values}
    session.execute(insert(ImportMember).values(row).on_conflict_do_nothing())


def known_positions(session: Session, import_id: uuid.UUID) -> set[int]:
    return set(session.scalars(select(ImportMember.position).where(ImportMember.import_id == import_id)))


def mark_unpacked(session: Session, import_id: uuid.UUID, attempt: int) -> bool:
    """Record that every file is a document now or has a reason; False when another worker took over."""
    held = advance_import(session, import_id, attempt, lease_s=0, unpacked_at=func.now())
    if held:
        _delete_parts(session, import_id)
        finish_import(session, import_id)
    return held


def mark_import_failed(session: Session, import_id: uuid.UUID, attempt: int, error: dict[str, Any]) -> None:
    ended = {"status": ImportStatus.FAILED, "error": error, "finished_at": func.now()}
    if advance_import(session, import_id, attempt, lease_s=0, **ended):
        _delete_parts(session, import_id)


def _delete_parts(session: Session, import_id: uuid.UUID) -> None:
    session.execute(delete(ImportPart).where(ImportPart.import_id == import_id))


def finish_import(session: Session, import_id: uuid.UUID) -> bool:
    """Mark an import as finished, once, when it is unpacked and all its documents are. Return whether it was marked."""
    unfinished = (
        select(ImportMember.position)
        .join(Document, Document.id == ImportMember.document_id)
        .where(
            ImportMember.import_id == import_id,
            Document.status.in_([DocumentStatus.QUEUED, DocumentStatus.PROCESSING]),
        )
        .exists()
    )
    done = session.scalar(
        update(Import)
        .where(
            Import.id == import_id,
            Import.status == ImportStatus.RUNNING,
            Import.unpacked_at.is_not(None),
            ~unfinished,
        )
        .values(status=ImportStatus.FINISHED, finished_at=func.now())
        .returning(Import.id)
    )
    return done is not None


def list_skipped(session: Session, import_id: uuid.UUID) -> list[Skipped]:
    rows = session.execute(
        select(ImportMember.name, ImportMember.code, ImportMember.message)
        .where(ImportMember.import_id == import_id, ImportMember.code.is_not(None))
        .order_by(ImportMember.position)
    )
    return [Skipped(name, code or "", message or "") for name, code, message in rows]


def count_accepted(session: Session, import_id: uuid.UUID) -> int:
    """Return how many documents the import has created, including those that were deleted since."""
    counted = select(func.count()).where(ImportMember.import_id == import_id, ImportMember.code.is_(None))
    return session.scalar(counted) or 0


def count_documents(session: Session, import_id: uuid.UUID) -> Counter[str]:
    rows = session.execute(
        select(Document.status, func.count())
        .join(ImportMember, ImportMember.document_id == Document.id)
        .where(ImportMember.import_id == import_id)
        .group_by(Document.status)
    )
    return Counter({str(status): count for status, count in rows})


def list_failures(session: Session, import_id: uuid.UUID) -> list[tuple[uuid.UUID, str, dict[str, Any]]]:
    """Return (document, file name, error) of the documents that failed."""
    rows = session.execute(
        select(Document.id, Document.filename, Document.error)
        .join(ImportMember, ImportMember.document_id == Document.id)
        .where(ImportMember.import_id == import_id, Document.status == DocumentStatus.FAILED)
        .order_by(ImportMember.position)
    )
    return [(document_id, filename, error or {}) for document_id, filename, error in rows]


def list_unstarted_imports(session: Session, older_than_s: float, limit: int = 100) -> list[tuple[uuid.UUID, int]]:
    rows = session.execute(
        select(Import.id, Import.tenant_id)
        .where(
            Import.status.in_(_UNFINISHED),
            Import.unpacked_at.is_(None),
            is_free(Import),
            Import.progress_at < func.now() - timedelta(seconds=older_than_s),
        )
        .order_by(Import.progress_at)
        .limit(limit)
    )
    return [(import_id, tenant_id) for import_id, tenant_id in rows]


def touch_imports(session: Session, import_ids: list[uuid.UUID]) -> None:
    if import_ids:
        session.execute(update(Import).where(Import.id.in_(import_ids)).values(progress_at=func.now()))


def list_unpacked_imports(session: Session) -> list[uuid.UUID]:
    return list(
        session.scalars(select(Import.id).where(Import.status == ImportStatus.RUNNING, Import.unpacked_at.is_not(None)))
    )
