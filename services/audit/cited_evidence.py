"""Loads the stored passages behind a published answer (N6)."""

import uuid
from collections.abc import Iterable
from typing import Any

from sqlalchemy.orm import Session

from citewell_verify.evidence.passages import Passage
from db.models import Answer, Citation
from db.queries.documents.chunks import find_passages, get_passages
from db.queries.runs import steps
from db.queries.verifications.external_sources import list_given_passages
from domain.errors.state import NotReverifiable


def evidence_of(session: Session, answer: Answer, citations: list[Citation]) -> list[Passage]:
    """Return the passages that the answer cites, number N at place N-1, followed by the others that it was written
    from.

    Raises NotReverifiable when one of them is no longer stored, because a verdict without it would mean nothing.
    """
    selected = steps.find_outcome(session, answer.query_id, answer.round, "select") or {}
    keys: list[int] = selected.get("selected", [])
    # Texts that came with the question, if there are any, are its only sources.
    given = {passage.key: passage for passage in list_given_passages(session, answer.query_id)}
    cited = cited_passages(session, citations, given.values())
    written_from = [given[key] for key in keys if key in given] if given else get_passages(session, keys)
    missing = len([passage for passage in cited if passage is None]) + len(keys) - len(written_from)
    if missing:
        raise NotReverifiable(
            f"{missing} of the passages that the answer was written from were deleted with their documents."
        )
    available = [passage for passage in cited if passage is not None]
    known = {passage.key for passage in available}
    return [*available, *(passage for passage in written_from if passage.key not in known)]


def cited_passages(session: Session, citations: list[Citation], given: Iterable[Passage] = ()) -> list[Passage | None]:
    places: dict[int, tuple[uuid.UUID, int]] = {
        citation.number: (citation.document_id, citation.chunk_index) for citation in citations
    }
    stored = find_passages(session, set(places.values()))
    stored |= {(passage.document_id, passage.chunk_index): passage for passage in given}
    return [stored.get(places[number]) for number in sorted(places)]


def as_source(passage: Passage) -> dict[str, Any]:
    """Return the fields of a given source (N2) besides its text: its page, its section, its context."""
    length = len(passage.text)
    return {
        "pages": [[passage.page, 0, length]] if passage.page is not None else None,
        "sections": [[passage.section, 0, length]] if passage.section else None,
        "context": passage.context,
    }
