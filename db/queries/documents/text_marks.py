"""Marks on the text of documents: what was recognised in pictures, which figures the text stands for, and what people
corrected.
"""

import uuid
from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import or_, select, tuple_
from sqlalchemy.orm import Session

from db.models import Document, DocumentPage
from domain.documents.corrected_spans import restored
from domain.documents.text_marks import TextMarks


def find_marks(session: Session, places: Iterable[tuple[uuid.UUID, int | None]]) -> TextMarks:
    """The figures and corrections of these documents, and the recognised lines of these pages only."""
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
