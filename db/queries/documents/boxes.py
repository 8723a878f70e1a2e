"""The pages of a document that can be shown as pictures, with the boxes of their words."""

import uuid
from collections.abc import Collection, Sequence

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session, undefer

from citewell_documents.boxes import PageBoxes
from db.models import DocumentPage

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
