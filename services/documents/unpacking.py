"""Unpacks an archive: each file becomes a document, or the reason why it does not is recorded."""

import tempfile
import time
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import Any, BinaryIO

import structlog

from citewell_documents.errors import DocumentTypeUnknown
from citewell_documents.formats import SUFFIXES, advice
from citewell_documents.zips.reader import Member, ZipLimits, ZipOfDocuments, open_zip
from citewell_verify.errors import CitewellError
from config.settings import Settings
from db.models import Import
from db.queries.access.workspaces import workspace_name_of
from db.queries.admission.documents import others_wait
from db.queries.documents import imports as rows
from db.session import current_tenant, reading, system_transaction, transaction
from domain.errors.service import DatabaseUnavailable, OriginalUnavailable
from services.documents.documents import NewDocument, accept_document
from services.documents.ingestion import Hold
from services.documents.leases import Lease, LeaseLost

log = structlog.get_logger()

MAX_STRIKES = 3
# After a slice, the documents of the first files, and the documents of other archives, are read. A document of another
# tenant waits for the shortest slice only, which lasts as long as opening the archive took.
SLICE_S = 20.0
_SHORTEST_S = 0.2
_ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".gz", ".tgz")


@dataclass(frozen=True, slots=True)
class _Job:
    import_id: uuid.UUID
    attempt: int
    lease: Lease
    workspace: str
    archive: Import


@dataclass(frozen=True, slots=True)
class _Slice:
    """Times at which a slice ends: `early` if others wait, `late` in any case."""

    early: float
    late: float

    def is_over(self) -> bool:
        now = time.monotonic()
        if self.early < now <= self.late:
            with system_transaction() as session:
                return others_wait(session, current_tenant())
        return now > self.late


def unpack(
    import_id: uuid.UUID,
    settings: Settings,
    hold: Hold,
    start: Callable[[uuid.UUID], object],
    slice_s: float = SLICE_S,
) -> bool:
    """Unpack for a while; `start` is called with each new document. True when there is more to unpack.

    An archive that cannot be used ends as failed. Raises DatabaseUnavailable, OriginalUnavailable (try again later).
    """
    job = _claim(import_id, settings.recovery.lease_s)
    if job is None:
        return False

    began = time.monotonic()
    try:
        with hold(job.lease.renew), _assembled(import_id) as file:
            most = settings.ingestion
            limits = ZipLimits(most.max_bytes, most.import_max_unpacked_bytes, most.import_max_files)
            archive = open_zip(file, job.archive.filename, limits)
            opened = time.monotonic()
            shortest_s = max(_SHORTEST_S, opened - began)
            more = _unpack(job, archive, settings, start, _Slice(opened + shortest_s, opened + slice_s))
        with transaction() as session:
            if more:
                job.lease.advance(session, lease_s=0)
            elif not rows.mark_unpacked(session, job.import_id, job.attempt):
                raise LeaseLost
        return more
    except LeaseLost:
        log.info("import_taken_over", import_id=str(import_id))
    except (DatabaseUnavailable, OriginalUnavailable):
        raise
    except CitewellError as error:
        _fail(job, error.code, error.message)
    return False


def _claim(import_id: uuid.UUID, lease_s: float) -> _Job | None:
    with transaction() as session:
        attempt = rows.claim_import(session, import_id, lease_s)
        if attempt is None:
            return None
        archive = rows.get_import(session, import_id)
        lease = Lease(partial(rows.advance_import, import_id=import_id, attempt=attempt), lease_s)
        job = _Job(import_id, attempt, lease, workspace_name_of(session, archive), archive)
    if archive.strikes > MAX_STRIKES:
        reason = f"{archive.filename} ended {MAX_STRIKES} workers; it will not be tried again."
        _fail(job, "import_gave_up", reason)
        return None
    return job


def _unpack(
    job: _Job, archive: ZipOfDocuments, settings: Settings, start: Callable[[uuid.UUID], object], part: _Slice
) -> bool:
    with transaction() as session:
        job.lease.advance(session, total=len(archive.members))
        known = rows.known_positions(session, job.import_id)
    for position, member in enumerate(archive.members):
        if position in known:
            continue
        job.lease.check()
        if part.is_over():
            return True
        _take(job, archive, position, member, settings, start)
    return False


def _take(
    job: _Job,
    archive: ZipOfDocuments,
    position: int,
    member: Member,
    settings: Settings,
    start: Callable[[uuid.UUID], object],
) -> None:
    values: dict[str, Any] = {"name": member.name}
    accepted = None
    try:
        accepted = accept_document(_document(job, archive, member), settings)
        values["document_id"] = accepted.document_id
    except (DatabaseUnavailable, OriginalUnavailable):
        raise
    except CitewellError as error:
        values |= {"code": error.code, "message": error.message}
    with transaction() as session:
        job.lease.advance(session, strikes=0)
        rows.add_member(session, job.import_id, position, **values)
    if accepted is not None and accepted.needs_work:
        start(accepted.document_id)


def _document(job: _Job, archive: ZipOfDocuments, member: Member) -> NewDocument:
    suffix = PurePosixPath(member.name).suffix.lower()
    if member.refused is None and suffix not in SUFFIXES:
        if suffix in _ARCHIVES:
            raise DocumentTypeUnknown("An archive in an archive is not unpacked; send it by itself.")
        raise DocumentTypeUnknown(f"Files of this type are not read; {advice(suffix)}.")
    return NewDocument(member.name, archive.read(member), job.workspace, job.archive.source, job.archive.details)


@contextmanager
def _assembled(import_id: uuid.UUID) -> Generator[BinaryIO]:
    """Yield the whole archive in a nameless file on the disk: however this process ends, nothing stays there."""
    with tempfile.TemporaryFile() as file:
        with reading() as session:
            for part in rows.read_parts(session, import_id):
                file.write(part)
        yield file


def _fail(job: _Job, code: str, message: str) -> None:
    with transaction() as session:
        rows.mark_import_failed(session, job.import_id, job.attempt, {"code": code, "message": message})
