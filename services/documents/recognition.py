"""Reads a file whose pages may be pictures: these are recognised a few at a time, and each result is stored.

A long scan takes longer than a task may, so several tasks read it, each from where the previous one stopped.
"""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Event

from sqlalchemy.orm import Session

from citewell_documents.document import ParsedDocument
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.sandbox.isolated import outline_isolated, parse_isolated, recognise_isolated
from config.settings import IngestionSettings
from db.queries.documents import boxes as rows
from db.session import reading, transaction
from services.documents.reading_limits import limits_of
from services.documents.turns import TURN_S

# The seconds for which a child process recognises pages before their text is stored.
KEPT_AFTER_S = 8.0

Advance = Callable[[Session, int, int], None]
"""A function that records how many of how many pages are recognised; it raises an error when another worker holds the
document."""


class LeaseLost(Exception):
    """Another worker claimed the document meanwhile; this one stops and stores nothing more."""


@dataclass(frozen=True, slots=True)
class FileToRead:
    """A file that this worker reads; `lost` is set when another worker took it over. `encoding` is given where it is
    known."""

    document_id: uuid.UUID
    content: bytes
    filename: str
    advance: Advance
    lost: Event
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
            file.advance(session, 0, count)
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
        if file.lost.is_set():
            raise LeaseLost
        recognised = recognise_isolated(file.content, file.filename, pending, limits, KEPT_AFTER_S)
        pending = [number for number in pending if number not in recognised]
        with transaction() as session:
            file.advance(session, count - len(pending), count)
            rows.store_pages(session, file.document_id, recognised)
        if pending and time.monotonic() > until:
            return False
    return True
