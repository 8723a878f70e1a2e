"""Replaces the workers in the database, so that commands have something to wait for."""

from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from config.settings import settings
from db.models import DEFAULT_TENANT, Document, DocumentStatus, Import, Query
from db.queries.runs.queries import UNFINISHED
from db.session import acting_for, reading, transaction
from services.documents.unpacking import unpack
from tests.waiting import repeating


@contextmanager
def workers(
    *,
    query: Callable[[Session, Query], None] | None = None,
    document: Callable[[Document], None] | None = None,
) -> Generator[None]:
    """During the block, end every question with `query` and every document with `document`."""

    def work() -> None:
        with acting_for(DEFAULT_TENANT), transaction() as session:
            for asked in session.scalars(select(Query).where(Query.status.in_(UNFINISHED))) if query else ():
                query(session, asked) if query else None
            for sent in session.scalars(select(Document).where(Document.status == DocumentStatus.QUEUED)):
                document(sent) if document else None

    with repeating(work):
        yield


@contextmanager
def unpacking() -> Generator[None]:
    """During the block, unpack every archive."""

    def work() -> None:
        with acting_for(DEFAULT_TENANT):
            with reading() as session:
                packed = session.scalars(select(Import.id).where(Import.unpacked_at.is_(None))).all()
            for import_id in packed:
                unpack(import_id, settings(), lambda _: nullcontext(), lambda _: None)

    with repeating(work):
        yield


def read(document: Document) -> None:
    """Ingest it, unless its name says that it is encrypted."""
    if "encrypted" in document.filename:
        document.status, document.stage = DocumentStatus.FAILED, "failed"
        document.error = {"code": "document_encrypted", "message": "it is encrypted; save a copy without a password"}
        return
    document.status, document.stage = DocumentStatus.READY, "ready"
    document.chunks_done = document.chunks_total = 3
    document.ready_at = func.now()
