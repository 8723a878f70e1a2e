"""Prepares the texts that come with a question (N9) for storage: each keeps its name and is divided into passages, as a
document is. No other question finds them."""

import unicodedata
import uuid
from collections.abc import Iterable
from typing import Any

from citewell_documents.chunking import split_document
from citewell_documents.document import ParsedDocument
from citewell_verify.errors import BadInput
from config.settings import Settings
from db.queries.verifications.external_sources import MOST_PASSAGES
from domain.answers.offered_sources import Offered


def given_rows(offered: Iterable[Offered], settings: Settings) -> tuple[dict[str, Any], ...]:
    """Return the rows of `given_sources`. Texts with the same name in one message are parts of one file, which programs
    send in pieces; a text in a later message replaces them. Raises BadInput for too many or too long texts."""
    named: dict[str, dict[str, Offered]] = {}
    for number, source in enumerate(offered, start=1):
        text = unicodedata.normalize("NFC", source.text.replace("\r\n", "\n")).strip()
        parts = named.setdefault(source.title or f"Text {number}", {})
        if any(part.message < source.message for part in parts.values()):
            parts.clear()
        if not any(part.message > source.message for part in parts.values()):
            parts.setdefault(text, source)
    limits = settings.verifying
    if len(named) > limits.max_sources:
        raise BadInput(
            f"{len(named)} texts came with the question, and {limits.max_sources} may; attach fewer of them."
        )
    return tuple(
        _row(number, title, "\n\n".join(parts), next(iter(parts.values())).url, settings)
        for number, (title, parts) in enumerate(named.items(), start=1)
    )


def _row(number: int, title: str, text: str, url: str | None, settings: Settings) -> dict[str, Any]:
    limits = settings.ingestion
    chunks = split_document(
        ParsedDocument(text), chunk_tokens=limits.chunk_tokens, overlap_tokens=limits.overlap_tokens
    )
    if len(chunks) > MOST_PASSAGES:
        raise BadInput(f"The text {title!r} that came with the question is too long; add it to the workspace instead.")
    return {
        "number": number,
        "title": title,
        "url": url,
        "document_id": uuid.uuid4(),
        "text": text,
        "passages": [[chunk.start, chunk.end] for chunk in chunks],
    }
