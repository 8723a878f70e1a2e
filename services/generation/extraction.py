"""Citation extraction: the fast model names the passages an answer would cite, while the main model writes (S4.1)."""

from collections.abc import Sequence

from citewell_verify.evidence.citation_scoring import score_citation
from citewell_verify.evidence.passages import Passage
from citewell_verify.judging.model import Failure
from citewell_verify.judging.shown import numbered_sources
from citewell_verify.prompting.judgements import EXTRACT_CITATIONS, ExtractedCitation
from domain.query.outcomes import Extracted, ScoredCitation
from services.core.context import StepContext, StepResult, when_loaded


async def extract_citations(context: StepContext) -> StepResult:
    """Ask for citations; whether a quote occurs in its source is checked where the citation is used."""
    options = context.query.options
    passages = await when_loaded(context, context.selected_passages)
    fields = {
        "sources": numbered_sources(passages),
        "question": context.question,
        "min_chars": options.span_min_chars,
        "max_chars": options.span_max_chars,
    }
    reply = await context.tools.models.ask(EXTRACT_CITATIONS, fields, log=context.log)
    if isinstance(reply, Failure):
        return StepResult.single(Extracted(status="failed", citations=[], reason=reply.reason))
    scored = [_scored(citation, passages) for citation in reply.citations]
    return StepResult.single(Extracted(status="extracted", citations=[citation for citation in scored if citation]))


def _scored(citation: ExtractedCitation, passages: Sequence[Passage]) -> ScoredCitation | None:
    """S4.4: the citation with its scores and issues; None if its source does not exist."""
    if not 1 <= citation.source <= len(passages):
        return None
    passage = passages[citation.source - 1]
    score = score_citation(citation.claim_text, passage.readable, citation.text_span, context=passage.readable_context)
    return ScoredCitation(
        **citation.model_dump(),
        chunk_id=passage.chunk_id,
        text_span_score=score.text_span_score,
        claim_relevance=score.claim_relevance,
        confidence_score=score.confidence,
        is_accurate=score.is_accurate,
        issues=list(score.issues),
    )
