"""Somebody who does in the database what workers would do, so that commands have something to wait for."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.models import DEFAULT_TENANT, Document, DocumentStatus, Query
from db.queries.queries import UNFINISHED
from db.session import acting_for, transaction


@contextmanager
def workers(
    *,
    query: Callable[[Session, Query], None] | None = None,
    document: Callable[[Document], None] | None = None,
) -> Generator[None]:
    """While this is entered, end every question with `query` and every document with `document`."""
    enough = threading.Event()

    def work() -> None:
        while not enough.wait(0.02):
            with acting_for(DEFAULT_TENANT), transaction() as session:
                for asked in session.scalars(select(Query).where(Query.status.in_(UNFINISHED))) if query else ():
                    query(session, asked) if query else None
                for sent in session.scalars(select(Document).where(Document.status == DocumentStatus.QUEUED)):
                    document(sent) if document else None

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        enough.set()
        thread.join()


def read(document: Document) -> None:
    """Ingest it well, unless its name says that it is encrypted."""
    if "encrypted" in document.filename:
        document.status, document.stage = DocumentStatus.FAILED, "failed"
        document.error = {"code": "document_encrypted", "message": "it is encrypted; save a copy without a password"}
        return
    document.status, document.stage = DocumentStatus.READY, "ready"
    document.chunks_done = document.chunks_total = 3
    document.ready_at = func.now()
