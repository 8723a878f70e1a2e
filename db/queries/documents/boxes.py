"""Data beside the text of a document: boxes of its words, marks on its text, the pages of scans."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import delete, func, insert, or_, select, tuple_, update
from sqlalchemy.orm import Session, undefer

from citewell_documents.boxes import PageBoxes
from db.models import Document, DocumentPage, RecognisedPage
from domain.documents.text_marks import TextMarks, restored

_BATCH = 200


def store_boxes(session: Session, document_id: uuid.UUID, pages: Sequence[PageBoxes]) -> None:
    session.execute(delete(DocumentPage).where(DocumentPage.document_id == document_id))
    for first in range(0, len(pages), _BATCH):
        rows = [
            {
                "document_id": document_id,
                "number": page.number,
                "width": page.width,
                "height": page.height,
                "words": page.words,
                "recognised": page.recognised or None,
            }
            for page in pages[first : first + _BATCH]
        ]
        session.execute(insert(DocumentPage), rows)


def list_page_sizes(session: Session, document_id: uuid.UUID) -> dict[int, tuple[float, float]]:
    wanted = select(DocumentPage.number, DocumentPage.width, DocumentPage.height)
    rows = session.execute(wanted.where(DocumentPage.document_id == document_id))
    return {number: (width, height) for number, width, height in rows}


def list_boxes(session: Session, document_id: uuid.UUID, numbers: Collection[int]) -> list[PageBoxes]:
    wanted = select(DocumentPage).options(undefer(DocumentPage.words)).order_by(DocumentPage.number)
    rows = session.scalars(wanted.where(DocumentPage.document_id == document_id, DocumentPage.number.in_(numbers)))
    return [PageBoxes(row.number, row.width, row.height, row.words) for row in rows]


def find_marks(session: Session, places: Iterable[tuple[uuid.UUID, int | None]]) -> TextMarks:
    """Return the figures and corrections of these documents, and the recognised lines of these pages only."""
    wanted = set(places)
    pages = {(document_id, page) for document_id, page in wanted if page}
    if not wanted:
        return TextMarks({}, {}, {})
    # Few documents have figures or corrections, so one look is enough for most.
    some = select(Document.id, Document.figures, Document.corrections).where(
        Document.id.in_({document_id for document_id, _ in wanted}),
        or_(Document.figures.is_not(None), Document.corrections.is_not(None)),
    )
    rows = session.execute(some).all()
    return TextMarks(
        _recognised(session, pages) if pages else {},
        {str(row.id): row.figures for row in rows if row.figures},
        {str(row.id): restored(row.corrections) for row in rows if row.corrections},
    )


def _recognised(
    session: Session, pages: Collection[tuple[uuid.UUID, int]]
) -> dict[tuple[str, int], Sequence[Sequence[float]]]:
    wanted = select(DocumentPage.document_id, DocumentPage.number, DocumentPage.recognised).where(
        tuple_(DocumentPage.document_id, DocumentPage.number).in_(pages), DocumentPage.recognised.is_not(None)
    )
    return {(str(document_id), number): lines or [] for document_id, number, lines in session.execute(wanted)}


Json = dict[str, Any]


def list_pages(session: Session, document_id: uuid.UUID, languages: str) -> tuple[int, list[int]]:
    """Return the number of pages to be recognised in these languages, and the numbers of those that were not yet; (0,
    []) for a document whose scans are not known."""
    own = (RecognisedPage.document_id == document_id, RecognisedPage.languages == languages)
    count = session.execute(select(func.count()).where(*own)).scalar_one()
    pending = select(RecognisedPage.number).where(*own, RecognisedPage.content.is_(None))
    return count, list(session.scalars(pending.order_by(RecognisedPage.number)))


def begin(session: Session, document_id: uuid.UUID, numbers: Sequence[int], languages: str) -> None:
    """Record which pages are to be recognised, replacing pages in other languages."""
    forget(session, document_id)
    rows = [{"document_id": document_id, "number": number, "languages": languages} for number in numbers]
    session.execute(insert(RecognisedPage), rows)


def store_pages(session: Session, document_id: uuid.UUID, pages: Mapping[int, Json]) -> None:
    for number, content in pages.items():
        page = (RecognisedPage.document_id == document_id, RecognisedPage.number == number)
        session.execute(update(RecognisedPage).where(*page).values(content=content))


def load_pages(session: Session, document_id: uuid.UUID) -> dict[str, Json]:
    """Return the recognised text of the pages, by their numbers as text."""
    known = select(RecognisedPage.number, RecognisedPage.content).where(
        RecognisedPage.document_id == document_id, RecognisedPage.content.is_not(None)
    )
    return {str(number): content for number, content in session.execute(known) if content is not None}


def forget(session: Session, document_id: uuid.UUID) -> None:
    session.execute(delete(RecognisedPage).where(RecognisedPage.document_id == document_id))
