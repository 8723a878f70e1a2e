"""Converts passages for the domain: what identifies them, and where their text is."""

from typing import Any

from db.queries.documents.chunks import Passage
from domain.verdicts.weighted_scores import SourceIdentity


def identities(passages: list[Passage]) -> list[SourceIdentity]:
    """S1.3: the names by which an answer may cite each passage; `number` is its position from 1."""
    return [_identity(number, passage) for number, passage in enumerate(passages, start=1)]


def _identity(number: int, passage: Passage) -> SourceIdentity:
    metadata = {key: str(value) for key, value in passage.metadata.items() if value is not None}
    return SourceIdentity(
        number=number,
        filename=passage.filename,
        section=passage.section,
        title=metadata.get("title"),
        ticker=metadata.get("ticker"),
        year=metadata.get("year"),
        filing_type=metadata.get("filing_type"),
    )


def location(passage: Passage, start: int, end: int) -> dict[str, Any]:
    """The location of `text[start:end]` in the passage's document, for readers."""
    return {
        "document_id": str(passage.document_id),
        "document_name": passage.filename,
        "chunk_id": passage.chunk_id,
        "page_number": passage.page_at(start),
        "section": passage.section_at(start),
        "source_start": start,
        "source_end": end,
    }
