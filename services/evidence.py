"""The quoted evidence behind one sentence of an answer (N3)."""

from typing import Any

from db.models import Citation
from db.queries.chunks import Passage
from domain.citations import Statement
from domain.evidence import best_text_span, claim_relevance
from domain.options import QueryOptions
from services.sources import location


def sentence_evidence(
    statement: Statement, citations: list[Citation], passages: list[Passage], options: QueryOptions
) -> tuple[str | None, dict[str, Any] | None]:
    """(quoted span, where it stands): that of the best citation, or for an uncited sentence the best span there is."""
    cited = [c for c in citations if c.answer_start == statement.start and c.status == "accurate"]
    if cited:
        best = max(cited, key=lambda citation: citation.confidence_score)
        return best.text_span, _place_of(best)
    spans = [
        (passage, *best_text_span(passage.text, statement.text, options.span_min_chars, options.span_max_chars))
        for passage in passages
    ]
    if not spans:
        return None, None
    passage, start, end = max(spans, key=lambda span: claim_relevance(statement.text, span[0].text[span[1] : span[2]]))
    return passage.text[start:end], location(passage, passage.start_index + start, passage.start_index + end)


def _place_of(citation: Citation) -> dict[str, Any]:
    return {
        "document_id": str(citation.document_id),
        "document_name": citation.document_name,
        "chunk_id": citation.chunk_id,
        "page_number": citation.page_number,
        "section": citation.section,
        "source_start": citation.source_start,
        "source_end": citation.source_end,
    }
