"""Citation extraction: the fast model names the passages an answer would cite, while the main model writes (S4.1)."""

import asyncio

from clients.llm.gateway import Failure
from domain.judgements import EXTRACT_CITATIONS
from domain.outcomes import Extracted
from services.step import StepContext, StepResult, numbered


async def extract_citations(context: StepContext) -> StepResult:
    """Ask for quoted passages; whether a quote really stands in its source is checked where it is used."""
    options = context.query.options
    passages = await asyncio.to_thread(context.selected_passages)
    fields = {
        "sources": numbered(passages),
        "question": context.query.question,
        "min_chars": options.span_min_chars,
        "max_chars": options.span_max_chars,
    }
    reply = await context.tools.models.ask(EXTRACT_CITATIONS, fields, log=context.log)
    if isinstance(reply, Failure):
        return StepResult.single(Extracted(status="failed", citations=[], reason=reply.reason))
    return StepResult.single(Extracted(status="extracted", citations=reply.model_dump()["citations"]))
