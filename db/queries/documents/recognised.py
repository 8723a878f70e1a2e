"""The pages of scans, one by one: which are to be recognised, and the text of those that were."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from db.models import RecognisedPage

Json = dict[str, Any]


def list_pages(session: Session, document_id: uuid.UUID, languages: str) -> tuple[int, list[int]]:
    """How many pages are to be recognised in these languages, and the numbers of those that were not; (0, []) for a
    document whose scans are not known."""
    own = (RecognisedPage.document_id == document_id, RecognisedPage.languages == languages)
    count = session.execute(select(func.count()).where(*own)).scalar_one()
    pending = select(RecognisedPage.number).where(*own, RecognisedPage.content.is_(None))
    return count, list(session.scalars(pending.order_by(RecognisedPage.number)))


def begin(session: Session, document_id: uuid.UUID, numbers: Sequence[int], languages: str) -> None:
    """Note which pages are to be recognised, in place of what is known in other languages."""
    forget(session, document_id)
    rows = [{"document_id": document_id, "number": number, "languages": languages} for number in numbers]
    session.execute(insert(RecognisedPage), rows)


def store_pages(session: Session, document_id: uuid.UUID, pages: Mapping[int, Json]) -> None:
    for number, content in pages.items():
        page = (RecognisedPage.document_id == document_id, RecognisedPage.number == number)
        session.execute(update(RecognisedPage).where(*page).values(content=content))


def load_pages(session: Session, document_id: uuid.UUID) -> dict[str, Json]:
    """The recognised text of the pages, by their numbers as text."""
    known = select(RecognisedPage.number, RecognisedPage.content).where(
        RecognisedPage.document_id == document_id, RecognisedPage.content.is_not(None)
    )
    return {str(number): content for number, content in session.execute(known) if content is not None}


def forget(session: Session, document_id: uuid.UUID) -> None:
    session.execute(delete(RecognisedPage).where(RecognisedPage.document_id == document_id))
