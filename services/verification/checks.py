"""The checks of one answer. Each returns a Checked outcome; what could not be judged is `not_checked`, never passed."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial

from citewell_verify.answers.references import strip_references
from citewell_verify.answers.statements import plan_checks
from citewell_verify.judging.model import Checked, Failure
from citewell_verify.judging.shown import names_of_passage, numbered_sources
from citewell_verify.judging.statement import judge_statement
from citewell_verify.judging.statement_batch import Pair, judge_batch
from citewell_verify.prompting.judgements import CHECK_ALIGNMENT, CHECK_ANSWERABILITY, Judgement, Reply
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.verdicts.weighted_scores import citation_coverage, keyword_overlap
from services.core.context import StepContext, StepResult, when_loaded
from services.judging.shown_sources import shown_to_judge
from services.verification.progress_events import citation_checked

ALIGNMENT_CHUNKS = 5


async def check_alignment(context: StepContext) -> StepResult:
    """S1.2: the answer against the top 5 chunks. If the model fails, keyword overlap replaces it, and the outcome
    says so."""
    shown = await when_loaded(
        context, partial(shown_to_judge, context, ALIGNMENT_CHUNKS), context.selection["ranked"][:ALIGNMENT_CHUNKS]
    )
    answer = strip_references(context.draft["text"])
    checked = await _ask(
        context,
        CHECK_ALIGNMENT,
        {"sources": shown.sources, "question": context.question, "answer": answer},
    )
    if checked["status"] == "not_checked":
        score = keyword_overlap(answer, [passage.text for passage in shown.passages])
        reason = f"keyword overlap stands in for the model: {checked.get('reason')}"
        checked = Checked(status="fallback", verdict={"score": score, "reason": reason}, reason=reason)
    return StepResult.single(shown.with_shown(checked))


def check_coverage(context: StepContext) -> StepResult:
    """S1.3: which of its sources the answer names or cites; no model."""
    score = citation_coverage(context.draft["text"], list(map(names_of_passage, context.selected_passages())))
    return StepResult.single(Checked(status="checked", verdict={"score": score}))


async def check_answerability(context: StepContext) -> StepResult:
    """S3.4: whether the whole answer is in the passages that it was written from."""
    if not context.query.options.verify_answer:
        return StepResult.single(
            Checked(status="skipped", verdict=None, reason=f"mode {context.query.mode} does not ask for it")
        )
    shown = await when_loaded(context, partial(shown_to_judge, context))
    fields = {"sources": shown.sources, "question": context.question, "answer": strip_references(context.draft["text"])}
    return StepResult.single(shown.with_shown(await _ask(context, CHECK_ANSWERABILITY, fields)))


async def check_statements(context: StepContext) -> StepResult:
    """S5.4: each (statement, citation) pair against its own source, concurrently, with one call each or shared ones."""
    passages = await when_loaded(context, context.selected_passages)
    sources = numbered_sources(passages)
    planned = {check.item: check for check in plan_checks(context.draft["text"], context.citable)}
    said = context.statements

    def pair(item: str) -> Pair:
        plan = planned[item]
        # Check an uncited statement against everything that the answer was written from.
        shown = sources if plan.number is None else Sources([sources[plan.number - 1]])
        return Pair(item, said[plan.statement].text, shown)

    checks = await _judged(context, [pair(item) for item in context.items])
    return StepResult(
        {item: dict(checked) for item, checked in zip(context.items, checks, strict=True)},
        events=[
            citation_checked(context, said[planned[item].statement], planned[item].number, checked)
            for item, checked in zip(context.items, checks, strict=True)
        ],
    )


async def _judged(context: StepContext, pairs: Sequence[Pair]) -> Sequence[Checked]:
    if context.query.options.shares_calls:
        return await judge_batch(context.judge, pairs)
    single = (judge_statement(context.judge, pair.statement, pair.sources, item=pair.item) for pair in pairs)
    return await asyncio.gather(*single)


async def _ask(
    context: StepContext, judgement: Judgement[Reply], fields: Mapping[str, object], item: str = ""
) -> Checked:
    reply = await context.tools.models.ask(judgement, fields, log=context.log, item=item)
    if isinstance(reply, Failure):
        return Checked(status="not_checked", verdict=None, reason=reply.reason)
    return Checked(status="checked", verdict=reply.model_dump())
