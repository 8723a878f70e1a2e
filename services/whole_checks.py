"""Checks of a whole answer whose replies are long: its facts and its claims, asked in parts that run at once.

Somebody waits for the last of these replies, and each grows with the sentences that it is about.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from clients.llm.gateway import Failure
from domain import judgements
from domain.answer_parts import AnswerPart, answer_parts, fact_parts
from domain.bearing import may_say
from domain.citations import same_words, statements
from domain.claim_verdicts import CheckedClaim, ClaimStatus, ReportedClaim, check_claim
from domain.judgements import (
    CHECK_CLAIMS,
    CHECK_CLAIMS_PART,
    CHECK_FACTS,
    CHECK_FACTS_PART,
    Claims,
    FactClaim,
    Facts,
    Judgement,
    Reply,
)
from domain.outcomes import Checked
from services.showing import Shown, shown_to_judge
from services.sources import location
from services.step import StepContext, StepResult

FACT_CHUNKS = 10
MOST_FACTS = 5

_R = TypeVar("_R", bound=Reply)


async def check_facts(context: StepContext) -> StepResult:
    """S1.4: one to five key claims against the top 10 chunks; source numbers become chunk ids."""
    shown = await asyncio.to_thread(shown_to_judge, context, FACT_CHUNKS)
    facts = await _facts(context, {"sources": shown.sources})
    if isinstance(facts, Failure):
        return StepResult.single(_not_checked(facts.reason))
    if not facts and any(statement.claim for statement in statements(context.draft["text"])):
        return StepResult.single(_not_checked("the model found no claim in an answer that makes some"))
    return StepResult.single(shown.noted(Checked(status="checked", verdict=_with_chunk_ids(facts, shown))))


async def _facts(context: StepContext, fields: Mapping[str, object]) -> list[FactClaim] | Failure:
    """At most five. A part that fails leaves none: half of the key claims would be another score."""
    per_call = context.query.options.sentences_per_call
    # A fact takes about half the words of a claim.
    parts = fact_parts(context.draft["text"], MOST_FACTS, per_call and 2 * per_call + 1)
    if not parts:
        reply = await _whole(context, CHECK_FACTS, fields)
        return reply if isinstance(reply, Failure) else reply.claims[:MOST_FACTS]
    asked = [(part, {**fields, "most": quota}) for part, quota in parts]
    replies = await _in_parts(context, CHECK_FACTS_PART, asked)
    found: list[FactClaim] = []
    for (_, quota), reply in zip(parts, replies, strict=True):
        if isinstance(reply, Failure):
            return reply
        # A model that lists more has not kept to the key ones.
        found += reply.claims[:quota]
    return found


def _with_chunk_ids(facts: Sequence[FactClaim], shown: Shown) -> dict[str, Any]:
    claims = Facts(claims=list(facts)).model_dump()["claims"]
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
    """S2.1: every claim of the answer, with evidence that really stands in a source. The sentences of a part that could
    not be asked about are `unchecked` (N4); when that is all of them, so is the answer."""
    shown = await asyncio.to_thread(shown_to_judge, context)
    fields = {"sources": shown.sources, "question": context.question}
    parts = answer_parts(context.draft["text"], context.query.options.sentences_per_call)
    if not parts:
        replies: Sequence[Claims | Failure] = [await _whole(context, CHECK_CLAIMS, fields)]
    else:
        replies = await _in_parts(context, CHECK_CLAIMS_PART, [(part, fields) for part in parts])
    failures = [reply for reply in replies if isinstance(reply, Failure)]
    if len(failures) == len(replies):
        return StepResult.single(_not_checked(failures[0].reason))
    verdict = _joined([reply for reply in replies if isinstance(reply, Claims)], shown)
    checked = Checked(status="checked", verdict=verdict)
    if failures:
        failed = (part for part, reply in zip(parts, replies, strict=True) if isinstance(reply, Failure))
        verdict["unchecked"] = [index for part in failed for index in part.indexes]
        checked["reason"] = failures[0].reason
    return StepResult.single(shown.noted(checked))


def _joined(replies: Sequence[Claims], shown: Shown) -> dict[str, Any]:
    """One table. What a part repeats from the one before it, with the same verdict, counts once."""
    texts = [source.text for source in shown.sources]
    claims = [check_claim(_reported(claim), texts) for reply in replies for claim in reply.claims]
    if len(replies) > 1:
        first: dict[tuple[str, ClaimStatus], CheckedClaim] = {}
        for claim in claims:
            first.setdefault((same_words(claim.claim), claim.status), claim)
        claims = list(first.values())
    corrections = [text for reply in replies for text in reply.suggested_corrections if text.strip()]
    return {"claims": [_claim_json(claim, shown) for claim in claims], "corrections": list(dict.fromkeys(corrections))}


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


async def _whole(context: StepContext, judgement: Judgement[_R], fields: Mapping[str, object]) -> _R | Failure:
    answer = {"answer": context.draft["text"]}
    return await context.tools.models.ask(judgement, {**fields, **answer}, log=context.log)


async def _in_parts(
    context: StepContext, judgement: Judgement[_R], asked: Sequence[tuple[AnswerPart, Mapping[str, object]]]
) -> list[_R | Failure]:
    """Ask about all parts at once; `judgement` has the tokens that one sentence takes."""

    async def ask(part: AnswerPart, fields: Mapping[str, object]) -> _R | Failure:
        shown = {**fields, "before": part.before, "answer": part.text}
        sized, item = judgement.for_items(len(part.indexes)), ",".join(f"s{index}" for index in part.indexes)
        return await context.tools.models.ask(sized, shown, log=context.log, item=item)

    return await asyncio.gather(*(ask(*each) for each in asked))


def _not_checked(reason: str) -> Checked:
    return Checked(status="not_checked", verdict=None, reason=reason)
