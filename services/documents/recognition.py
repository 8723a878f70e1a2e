"""Reads a file whose pages may be pictures: these are recognised a few at a time, and each result is stored.

A long scan takes longer than a task may, so several tasks read it, each from where the previous one stopped.
"""

import time
import uuid
from dataclasses import dataclass, replace
from typing import Any

from citewell_documents.document import ParsedDocument
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.sandbox.isolated import outline_isolated, parse_isolated, recognise_isolated
from config.settings import IngestionSettings
from db.queries.documents import boxes as rows
from db.session import reading, transaction
from services.documents.leases import Lease
from services.documents.reading_limits import limits_of
from services.documents.turns import TURN_S

# The seconds for which a child process recognises pages before their text is stored.
KEPT_AFTER_S = 8.0


@dataclass(frozen=True, slots=True)
class FileToRead:
    """A file that this worker reads while it has the `lease`. `encoding` is given where it is known."""

    document_id: uuid.UUID
    content: bytes
    filename: str
    lease: Lease
    encoding: str = ""


def read_text(file: FileToRead, settings: IngestionSettings, *, recognise: bool = True) -> ParsedDocument | None:
    """Read a file; None when pages are left for another task: without `recognise`, all pages that need recognition.

    Raises DocumentUnusable, LeaseLost.
    """
    limits = replace(limits_of(settings), encoding=file.encoding)
    languages = "+".join(limits.ocr_data)
    with reading() as session:
        count, pending = rows.list_pages(session, file.document_id, languages)
    if not count:
        outline = outline_isolated(file.content, file.filename, limits)
        if not outline.scanned or limits.recognise == "off":
            return outline
        count, pending = len(outline.scanned), list(outline.scanned)
        with transaction() as session:
            file.lease.advance(session, **_progress(0, count))
            rows.begin(session, file.document_id, pending, languages)
    if (pending and not recognise) or not _recognise(file, limits, pending, count):
        return None
    with reading() as session:
        known = rows.load_pages(session, file.document_id)
    return parse_isolated(file.content, file.filename, replace(limits, recognise="now", recognised=known))


def _recognise(file: FileToRead, limits: ParseLimits, pending: list[int], count: int) -> bool:
    """Recognise some of `count` pages for a while; return whether none is left."""
    until = time.monotonic() + TURN_S
    while pending:
        file.lease.check()
        recognised = recognise_isolated(file.content, file.filename, pending, limits, KEPT_AFTER_S)
        pending = [number for number in pending if number not in recognised]
        with transaction() as session:
            file.lease.advance(session, **_progress(count - len(pending), count))
            rows.store_pages(session, file.document_id, recognised)
        if pending and time.monotonic() > until:
            return False
    return True


def _progress(done: int, count: int) -> dict[str, Any]:
    return {"stage": "recognising", "pages_recognised": done, "pages_to_recognise": count, "idle": 0}
