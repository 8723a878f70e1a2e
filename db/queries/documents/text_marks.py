"""What was recognised in pictures, and what stands for them, of documents that are cited or found."""

import uuid
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from db.models import Document, DocumentPage
from domain.documents.text_marks import TextMarks


def find_marks(session: Session, places: Iterable[tuple[uuid.UUID, int | None]]) -> TextMarks:
    """Of these documents, and of what was recognised only on these pages of them."""
    wanted = set(places)
    pages = {(document_id, page) for document_id, page in wanted if page}
    return TextMarks(
        _recognised(session, pages) if pages else {},
        _figures(session, {document_id for document_id, _ in wanted}) if wanted else {},
    )


def _recognised(
    session: Session, pages: Collection[tuple[uuid.UUID, int]]
) -> dict[tuple[str, int], Sequence[Sequence[float]]]:
    wanted = select(DocumentPage.document_id, DocumentPage.number, DocumentPage.recognised).where(
        tuple_(DocumentPage.document_id, DocumentPage.number).in_(pages), DocumentPage.recognised.is_not(None)
    )
    return {(str(document_id), number): lines or [] for document_id, number, lines in session.execute(wanted)}


def _figures(session: Session, ids: Collection[uuid.UUID]) -> dict[str, list[Any]]:
    wanted = select(Document.id, Document.figures).where(Document.id.in_(ids), Document.figures.is_not(None))
    return {str(document_id): figures or [] for document_id, figures in session.execute(wanted)}
