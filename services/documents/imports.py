"""Accepts and shows archives of documents. Workers unpack them in services.documents.unpacking."""

import hashlib
import uuid
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from citewell_documents.errors import ArchiveTypeUnknown, DocumentUnreadable
from db.base import row_json
from db.models import DocumentStatus, Import
from db.queries.access.workspaces import get_or_add_workspace, lock_workspace, workspace_name_of
from db.queries.documents import imports as rows
from db.queries.paging import Place
from db.session import reading, transaction

_PART = 4_000_000
_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")


@dataclass(frozen=True, slots=True)
class NewImport:
    """An uploaded archive, open for reading; each of its documents gets `metadata`."""

    filename: str
    file: BinaryIO
    workspace: str
    source: str
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class AcceptedImport:
    """`created` is False when this archive is already being unpacked."""

    import_id: uuid.UUID
    created: bool


def accept_import(new: NewImport) -> AcceptedImport:
    """Store the archive as queued; the caller then publishes its start.

    Raises ArchiveTypeUnknown, DocumentUnreadable, DatabaseUnavailable.
    """
    _check(new)
    digest = hashlib.sha256()
    size = 0
    for part in _parts(new.file):
        digest.update(part)
        size += len(part)
    with transaction() as session:
        workspace = get_or_add_workspace(session, new.workspace)
        lock_workspace(session, workspace.id)
        known = rows.find_unfinished(session, workspace.id, new.filename, digest.hexdigest())
        if known is not None and known.details == new.metadata:
            return AcceptedImport(known.id, created=False)
        added = rows.add_import(
            session,
            workspace.id,
            filename=new.filename,
            sha256=digest.hexdigest(),
            size_bytes=size,
            source=new.source,
            details=new.metadata,
        )
        for position, part in enumerate(_parts(new.file)):
            rows.add_part(session, added.id, position, part)
        return AcceptedImport(added.id, created=True)


def read_import(import_id: uuid.UUID) -> dict[str, Any]:
    with transaction() as session:
        rows.finish_import(session, import_id)
        archive = rows.get_import(session, import_id)
        counts = rows.count_documents(session, import_id)
        return {
            **_head(archive, workspace_name_of(session, archive)),
            **row_json(archive, "sha256 size_bytes source"),
            "metadata": archive.details,
            "accepted": rows.count_accepted(session, import_id),
            "skipped": [member._asdict() for member in rows.list_skipped(session, import_id)],
            "documents": {status.value: counts[status] for status in DocumentStatus},
            "failures": [
                {"document_id": str(document_id), "filename": filename, **error}
                for document_id, filename, error in rows.list_failures(session, import_id)
            ],
        }


def read_imports(
    workspace: str | None, status: str | None, *, after: Place | None = None, limit: int
) -> list[dict[str, Any]]:
    with reading() as session:
        return [_head(*row) for row in rows.list_imports(session, workspace, status, after=after, limit=limit)]


def _check(new: NewImport) -> None:
    new.file.seek(0)
    if not new.file.read(4).startswith(_SIGNATURES):
        raise ArchiveTypeUnknown(f"{new.filename} is no zip archive; only .zip archives are unpacked.")
    if not zipfile.is_zipfile(new.file):
        raise DocumentUnreadable(
            f"{new.filename} is damaged: it cannot be opened as a zip archive; save or download it again"
        )


def _parts(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    while part := file.read(_PART):
        yield part


def _head(archive: Import, workspace: str) -> dict[str, Any]:
    return {
        **row_json(archive, "id filename status total error created_at finished_at"),
        "workspace": workspace,
    }
