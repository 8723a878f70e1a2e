"""Shows documents as they look: pages as pictures, the places of words on them, and the blocks of documents without
pages."""

import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from citewell_documents.blocks import Block, restored
from citewell_documents.boxes import boxes_of_span
from citewell_documents.errors import DocumentUnusable, PageNotFound
from citewell_documents.formats import has_pages_to_see
from citewell_documents.parsing.limits import MAX_WIDTH
from citewell_documents.parsing.sandbox.isolated import picture_isolated
from citewell_verify.errors import BadInput
from config.settings import IngestionSettings
from db.models import Document
from db.queries.documents import boxes as page_rows
from db.queries.documents import documents as rows
from db.session import current_tenant, reading
from domain.errors.missing import OriginalNotFound
from domain.errors.service import Overloaded
from domain.errors.state import BoxesMissing, DocumentNotRead, PicturesMissing
from services.documents.files import read_file
from services.documents.reading_limits import limits_of

_AT_A_TIME, _WAITING = 2, 8
_PATIENCE_S = 15.0
_RETRY_AFTER_S = 3
_KEPT_BYTES = 64_000_000

_places = threading.BoundedSemaphore(_AT_A_TIME)
_queue = threading.BoundedSemaphore(_AT_A_TIME + _WAITING)

_STEP = 100  # pixels: requests for nearly the same width share one picture
_LONGEST_S = 20.0
_MOST_CHARS = 100_000


def read_picture(document_id: uuid.UUID, number: int, width: int, limits: IngestionSettings) -> tuple[str, bytes]:
    """Return the digest and the bytes of the picture of a page, about `width` pixels wide.

    Raises DocumentNotFound, PicturesMissing, PageNotFound, OriginalNotFound, Overloaded.
    """
    with reading() as session:
        document = rows.get_document(session, document_id)
    if not has_pages_to_see(document.filename):
        raise PicturesMissing
    if document.pages and not 1 <= number <= len(document.pages):
        raise PageNotFound(f"The document has {len(document.pages):,} pages; there is no page {number:,}.")
    width = min(-(-width // _STEP) * _STEP, MAX_WIDTH)
    # The key contains the tenant: the speed of a response must not reveal which files other tenants have.
    key = (current_tenant(), document.sha256, number, width)
    patience = replace(limits_of(limits), max_s=min(limits.parse_max_s, _LONGEST_S))

    def draw() -> bytes:
        content = read_file(document_id)
        if content is None:
            raise OriginalNotFound
        try:
            return picture_isolated(content, document.filename, number, width, patience)
        except PageNotFound:
            raise
        except DocumentUnusable as error:
            raise PicturesMissing(f"The page has no picture: {error.message}") from None

    return f"{document.sha256[:32]}-{number}-{width}", PICTURES.get(key, draw)


def read_boxes(document_id: uuid.UUID, start: int, end: int | None) -> list[dict[str, Any]]:
    """Return the pages of `text[start:end]`, each with the boxes of its words, as JSON.

    Without an `end` the span goes to the end of the text. Raises DocumentNotFound, DocumentNotRead, BadInput,
    BoxesMissing.
    """
    document, characters = _read_document(document_id)
    if not has_pages_to_see(document.filename):
        raise BoxesMissing
    end = characters if end is None else end
    if not 0 <= start < end <= characters:
        raise BadInput(f"The document has {characters:,} characters; {start:,} to {end:,} is no part of them.")
    if end - start > _MOST_CHARS:
        raise BadInput(f"Ask for at most {_MOST_CHARS:,} characters at a time.")
    numbers = [number for number, first, last in document.pages or [] if first < end and start < last]
    with reading() as session:
        pages = page_rows.list_boxes(session, document_id, numbers)
    if not pages:
        raise BoxesMissing("This part has no places on pages.")
    return [
        {
            "number": page.number,
            "width": page.width,
            "height": page.height,
            "boxes": [box._asdict() for box in boxes_of_span(page.words, start, end)],
        }
        for page in pages
    ]


def read_blocks(document_id: uuid.UUID) -> dict[str, Any]:
    """Return a document's view (`view_of`) and its blocks, as JSON. Raises DocumentNotFound, DocumentNotRead."""
    document, _ = _read_document(document_id)
    with reading() as session:
        blocks = restored(rows.get_blocks(session, document_id) or [])
    return {"view": view_of(document.filename, blocks), "blocks": [_block_as_json(block) for block in blocks]}


def view_of(filename: str, blocks: list[Block]) -> str:
    """Return the view of a document beside its text: pictures of its pages, a grid of cells, blocks, or nothing
    else."""
    if has_pages_to_see(filename):
        return "pages"
    if any(block.place for block in blocks):
        return "sheets"
    return "blocks" if blocks else "text"


def _read_document(document_id: uuid.UUID) -> tuple[Document, int]:
    """Return a document that was read, and the length of its text."""
    with reading() as session:
        document = rows.get_document(session, document_id)
        characters = rows.get_text_length(session, document_id)
    if characters is None:
        raise DocumentNotRead
    return document, characters


def _block_as_json(block: Block) -> dict[str, Any]:
    shown: dict[str, Any] = {"kind": block.kind, "start": block.start, "end": block.end}
    if block.kind == "heading":
        shown["level"] = block.level
    if block.kind == "table":
        shown["header_end"] = max(block.header_end, block.start)
    place = block.place
    shown["place"] = place and {"row": place.row, "first_rows": place.first_rows, "columns": list(place.columns)}
    return shown


# Room for what is read from files while a person waits: pictures of pages.
#
# A file of strangers may take seconds and a gigabyte (citewell_documents.parsing.sandbox), so few are read at a time,
# and few wait. Pictures that were drawn are kept in memory for those who look at them next.


@contextmanager
def room_to_read() -> Generator[None]:
    """Take a place, or raise Overloaded when too many requests wait or a place is not free in time."""
    if not _queue.acquire(blocking=False):
        raise Overloaded("Many pages are being drawn; try again in a few seconds.", _RETRY_AFTER_S)
    try:
        if not _places.acquire(timeout=_PATIENCE_S):
            raise Overloaded("Drawing pages takes long at the moment; try again in a few seconds.", _RETRY_AFTER_S)
        try:
            yield
        finally:
            _places.release()
    finally:
        _queue.release()


class KeptPictures:
    """The most recently used pictures, up to a number of bytes."""

    def __init__(self, most_bytes: int = _KEPT_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, draw: Callable[[], bytes]) -> bytes:
        if (picture := self._find(key)) is not None:
            return picture
        with room_to_read():
            if (picture := self._find(key)) is None:  # Another request may have drawn the picture meanwhile.
                picture = draw()
                self._keep(key, picture)
        return picture

    def _find(self, key: Hashable) -> bytes | None:
        with self._lock:
            if (picture := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
            return picture

    def _keep(self, key: Hashable, picture: bytes) -> None:
        with self._lock:
            self._size += len(picture) - len(self._kept.pop(key, b""))
            self._kept[key] = picture
            while self._size > self._most:
                _, gone = self._kept.popitem(last=False)
                self._size -= len(gone)


PICTURES = KeptPictures()
