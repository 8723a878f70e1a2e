"""Verifies an external citation: whether a chunk supports the claim that cites it (S4.4). No model is asked."""

import uuid
from typing import Any

from citewell_verify.evidence.citation_scoring import CitationScore, score_citation
from citewell_verify.evidence.citation_types import citation_type
from citewell_verify.evidence.passages import Passage
from citewell_verify.evidence.spans import row_or_best_span
from config.answers import VerificationSettings
from db.queries.documents.chunks import get_passage, text_around
from db.session import reading


def verify_citation(
    document_id: uuid.UUID, chunk_index: int, claim: str, text_span: str | None, checks: VerificationSettings
) -> dict[str, Any]:
    """Score `claim` and the quoted `text_span`, by default the chunk's best span, against the chunk; return S4.4's
    response.

    Raises DocumentNotFound, ChunkNotFound.
    """
    with reading() as session:
        passage = get_passage(session, document_id, chunk_index)
        around = text_around(session, passage)
    limits = checks.span_min_chars, checks.span_max_chars
    start, end = row_or_best_span(passage.readable, claim, passage.readable_context, *limits)
    span = text_span or passage.readable[start:end] or None
    score = score_citation(claim, passage.readable, span, context=passage.readable_context)
    return {
        "source_text": passage.text,
        "context": _with_heading(passage.section, around),
        "confidence_score": score.confidence,
        "is_accurate": score.is_accurate,
        "citation": _citation(passage, claim, score, score.located or (start, end)),
        "issues": [issue.value for issue in score.issues],
    }


def _with_heading(section: str | None, text: str) -> str:
    if section is None:
        return text
    first_line, _, rest = text.strip().partition("\n")
    # The section may begin right here; then its heading is not repeated.
    return f"{section}\n\n{rest.lstrip() if first_line.strip('#* ') == section else text}"


def _citation(passage: Passage, claim: str, score: CitationScore, span: tuple[int, int]) -> dict[str, Any]:
    """Return the fields of row S4.2. Words that are not in the chunk are no evidence; its best span replaces them."""
    words = passage.text[span[0] : span[1]]
    return {
        "document_name": passage.filename,
        "document_id": str(passage.document_id),
        "page_number": passage.page,
        "section": passage.section_at(passage.start_index + span[0]),
        "text_span": words,
        "claim_text": claim,
        "citation_type": citation_type(claim, words),
        "chunk_index": passage.chunk_index,
        "confidence_score": score.confidence,
    }
