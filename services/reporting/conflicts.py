"""Where other passages that were found say something else than what the answer cites."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import structlog

from citewell_verify.evidence.conflicts.finding import Conflict, Evidence, Place, conflicts, documents_to_compare
from citewell_verify.evidence.conflicts.replacements import Excerpt, Known, known_documents
from citewell_verify.evidence.passages import Passage
from db.models import Citation
from db.queries.documents.chunks import find_passages
from db.session import reading
from services.core.context import StepContext
from services.reporting.rows import passages_to_conclude

log = structlog.get_logger()


def conflicts_with(context: StepContext, citations: Sequence[Citation]) -> list[dict[str, Any]]:
    """Return what other passages that were found say instead of what the answer cites, as JSON.

    An answer is not worth less without it, so what breaks here is only logged.
    """
    if not citations:
        return []
    try:
        return _as_json(citations, context.passages(list(dict.fromkeys(passages_to_conclude(context)))))
    except Exception:
        log.exception("conflicts_broke", query_id=str(context.query.id))
        return []


def _as_json(citations: Sequence[Citation], passages: Iterable[Passage]) -> list[dict[str, Any]]:
    known = {Excerpt.of(passage): passage for passage in passages}
    evidence = [statement for citation in citations for statement in _evidence(citation, known)]
    compared = documents_to_compare(evidence, list(known))
    if not compared:
        return []
    openings = {passage.document_id for passage in known.values() if str(passage.document_id) in compared}
    with reading() as session:
        opening = find_passages(session, [(document_id, 0) for document_id in openings])
    known = {**{Excerpt.of(passage): passage for passage in opening.values()}, **known}
    excerpts = list(known)
    documents = known_documents(excerpts)
    return [_conflict_json(conflict, known, documents) for conflict in conflicts(evidence, excerpts)]


def _evidence(citation: Citation, known: dict[Excerpt, Passage]) -> Iterable[Evidence]:
    for excerpt, passage in known.items():
        if (passage.document_id, passage.chunk_index) == (citation.document_id, citation.chunk_index):
            start, end = (at - passage.start_index for at in (citation.source_start, citation.source_end))
            yield Evidence(citation.claim_text, excerpt, start, end)


def _conflict_json(conflict: Conflict, known: dict[Excerpt, Passage], documents: dict[str, Known]) -> dict[str, Any]:
    in_force: Literal["stated", "other"] | None = None
    if conflict.in_force is not None:
        in_force = "stated" if conflict.in_force == conflict.stated.excerpt.document else "other"
    return {
        "statement": conflict.claim,
        "stated": _place_json(conflict.stated, known, documents),
        "other": _place_json(conflict.other, known, documents),
        "in_force": in_force,
    }


def _place_json(place: Place, known: dict[Excerpt, Passage], documents: dict[str, Known]) -> dict[str, Any]:
    passage = known[place.excerpt]
    start = passage.start_index + place.start
    return {
        "value": place.value,
        "quote": " ".join(place.quote.split()),
        "document": passage.filename,
        "document_id": str(passage.document_id),
        "date": documents[place.excerpt.document].date,
        "page": passage.page_at(start),
        "section": passage.section_at(start),
        "chunk_id": passage.chunk_id,
        "source_start": start,
        "source_end": passage.start_index + place.end,
    }
