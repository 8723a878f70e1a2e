"""The checks of one answer. Each returns a Checked outcome; what could not be judged is `not_checked`, never passed."""

import asyncio
from collections.abc import Mapping
from typing import Any

from clients.llm.gateway import Failure
from domain import judgements
from domain.bearing import may_say
from domain.citations import plan_checks, statements
from domain.claim_verdicts import CheckedClaim, ClaimStatus, ReportedClaim, check_claim
from domain.judgements import (
    CHECK_ALIGNMENT,
    CHECK_ANSWERABILITY,
    CHECK_CLAIMS,
    CHECK_FACTS,
    Facts,
    Judgement,
    Reply,
)
from domain.outcomes import Checked
from domain.scoring import citation_coverage, keyword_overlap
from domain.sources import Sources
from services.judging import judge_statement
from services.showing import Shown, shown_to_judge
from services.sources import identities, location
from services.step import StepContext, StepResult, numbered
from services.telling import citation_checked

ALIGNMENT_CHUNKS = 5
FACT_CHUNKS = 10
MOST_FACTS = 5


async def check_alignment(context: StepContext) -> StepResult:
    """S1.2: the answer against the top 5 chunks; keyword overlap stands in, and says so, when the model fails."""
    shown = await asyncio.to_thread(shown_to_judge, context, ALIGNMENT_CHUNKS)
    answer = context.draft["text"]
    checked = await _ask(
        context,
        CHECK_ALIGNMENT,
        {"sources": shown.sources, "question": context.query.question, "answer": answer},
    )
    if checked["status"] == "not_checked":
        score = keyword_overlap(answer, [passage.text for passage in shown.passages])
        reason = f"keyword overlap stands in for the model: {checked.get('reason')}"
        checked = Checked(status="fallback", verdict={"score": score, "reason": reason}, reason=reason)
    return StepResult.single(shown.noted(checked))


def check_coverage(context: StepContext) -> StepResult:
    """S1.3: which of its sources the answer names or cites; no model."""
    score = citation_coverage(context.draft["text"], identities(context.selected_passages()))
    return StepResult.single(Checked(status="checked", verdict={"score": score}))


async def check_facts(context: StepContext) -> StepResult:
    """S1.4: one to five key claims against the top 10 chunks; source numbers become chunk ids."""
    shown = await asyncio.to_thread(shown_to_judge, context, FACT_CHUNKS)
    fields = {"sources": shown.sources, "answer": context.draft["text"]}
    reply = await context.tools.models.ask(CHECK_FACTS, fields, log=context.log)
    if isinstance(reply, Failure):
        return StepResult.single(_not_checked(reply.reason))
    if not reply.claims and any(statement.claim for statement in statements(context.draft["text"])):
        return StepResult.single(_not_checked("the model found no claim in an answer that makes some"))
    return StepResult.single(shown.noted(Checked(status="checked", verdict=_with_chunk_ids(reply, shown))))


def _with_chunk_ids(facts: Facts, shown: Shown) -> dict[str, Any]:
    # S1.4: one to five; a model that lists more has not kept to the key ones.
    claims = facts.model_dump()["claims"][:MOST_FACTS]
    pairs = list(zip(shown.sources, shown.passages, strict=True))
    for claim in claims:
        named: list[int] = claim["supporting_sources"]
        found = [(source.text, passage.chunk_id) for n in named for source, passage in pairs if source.number == n]
        saying = (chunk_id for text, chunk_id in found if may_say(text, claim["claim"]))
        claim["supporting_sources"] = list(dict.fromkeys(saying))
        # A claim is verified by a source that exists and may say it, or it is not verified.
        claim["verified"] = claim["verified"] and bool(claim["supporting_sources"])
    return {"claims": claims}


async def check_claims(context: StepContext) -> StepResult:
    """S2.1: every claim of the answer, with evidence that really stands in a source."""
    shown = await asyncio.to_thread(shown_to_judge, context)
    fields = {"sources": shown.sources, "question": context.query.question, "answer": context.draft["text"]}
    reply = await context.tools.models.ask(CHECK_CLAIMS, fields, log=context.log)
    if isinstance(reply, Failure):
        return StepResult.single(_not_checked(reply.reason))
    texts = [source.text for source in shown.sources]
    claims = [_claim_json(check_claim(_reported(claim), texts), shown) for claim in reply.claims]
    corrections = [text for text in reply.suggested_corrections if text.strip()]
    verdict = {"claims": claims, "corrections": corrections}
    return StepResult.single(shown.noted(Checked(status="checked", verdict=verdict)))


def _reported(claim: judgements.ReportedClaim) -> ReportedClaim:
    return ReportedClaim(claim.claim, ClaimStatus(claim.status), claim.evidence, claim.reasoning)


def _claim_json(claim: CheckedClaim, shown: Shown) -> dict[str, Any]:
    place, source = claim.place, None
    evidence = claim.evidence
    if place is not None:
        passage = shown.passages[place.source]
        source = location(passage, passage.start_index + place.start, passage.start_index + place.end)
        evidence = passage.words(place.start, place.end)
    fields = {"claim": claim.claim, "status": claim.status.name, "reasoning": claim.reasoning}
    return {**fields, "evidence": evidence, "source": source}


async def check_answerability(context: StepContext) -> StepResult:
    """S3.4: is the whole answer in the passages that it was written from."""
    if not context.query.options.verify_answer:
        return StepResult.single(
            Checked(status="skipped", verdict=None, reason=f"mode {context.query.mode} does not ask for it")
        )
    shown = await asyncio.to_thread(shown_to_judge, context)
    fields = {"sources": shown.sources, "question": context.query.question, "answer": context.draft["text"]}
    return StepResult.single(shown.noted(await _ask(context, CHECK_ANSWERABILITY, fields)))


async def check_statements(context: StepContext) -> StepResult:
    """S5.4: each (statement, citation) pair against its own source, one call each, all at once."""
    passages = await asyncio.to_thread(context.selected_passages)
    sources = numbered(passages)
    planned = {check.item: check for check in plan_checks(context.draft["text"], len(passages))}
    texts = {statement.index: statement.text for statement in statements(context.draft["text"])}

    async def check(item: str) -> Checked:
        plan = planned[item]
        # An uncited statement is held against everything that the answer was written from.
        shown = sources if plan.number is None else Sources([sources[plan.number - 1]])
        return await judge_statement(context.tools.models, texts[plan.statement], shown, log=context.log, item=item)

    checks = await asyncio.gather(*(check(item) for item in context.items))
    return StepResult(
        {item: dict(checked) for item, checked in zip(context.items, checks, strict=True)},
        events=[
            citation_checked(context, planned[item], texts[planned[item].statement], checked)
            for item, checked in zip(context.items, checks, strict=True)
        ],
    )


async def _ask(
    context: StepContext, judgement: Judgement[Reply], fields: Mapping[str, object], item: str = ""
) -> Checked:
    reply = await context.tools.models.ask(judgement, fields, log=context.log, item=item)
    if isinstance(reply, Failure):
        return _not_checked(reply.reason)
    return Checked(status="checked", verdict=reply.model_dump())


def _not_checked(reason: str) -> Checked:
    return Checked(status="not_checked", verdict=None, reason=reason)
