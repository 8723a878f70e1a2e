"""The checks of one answer. Each leaves a `Check`; what could not be judged is `not_checked`, never passed."""

import asyncio
from collections.abc import Sequence
from functools import partial

from citewell_verify.answers.references import strip_references
from citewell_verify.answers.statements import plan_checks
from citewell_verify.judging.model import Checked, Failure
from citewell_verify.judging.shown import Shown, excerpts, names_of_passage, numbered_sources
from citewell_verify.judging.statement import judge_statement
from citewell_verify.judging.statement_batch import Pair, judge_batch
from citewell_verify.prompting.judgements import CHECK_ALIGNMENT, CHECK_ANSWERABILITY
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.verdicts.weighted_scores import citation_coverage, keyword_overlap
from domain.query.answer_checks import (
    AlignmentChecked,
    AlignmentVerdict,
    AnswerabilityChecked,
    AnswerabilityVerdict,
    CoverageChecked,
    Score,
)
from services.core.context import StepContext, StepResult, when_loaded
from services.verification.progress_events import citation_checked

ALIGNMENT_CHUNKS = 5


async def check_alignment(context: StepContext) -> StepResult:
    """S1.2: the answer against the top 5 chunks. If the model fails, keyword overlap replaces it, and the outcome
    says so."""
    shown = await when_loaded(
        context, partial(shown_to_judge, context, ALIGNMENT_CHUNKS), context.selection["ranked"][:ALIGNMENT_CHUNKS]
    )
    answer = strip_references(context.draft["text"])
    fields = {"sources": shown.sources, "question": context.question, "answer": answer}
    reply = await context.tools.models.ask(CHECK_ALIGNMENT, fields, log=context.log)
    if isinstance(reply, Failure):
        score = keyword_overlap(answer, [passage.text for passage in shown.passages])
        reason = f"keyword overlap stands in for the model: {reply.reason}"
        verdict = AlignmentVerdict(score=score, reason=reason)
        return StepResult.single(shown.noted_in(AlignmentChecked(status="fallback", verdict=verdict, reason=reason)))
    verdict = AlignmentVerdict(**reply.model_dump())
    return StepResult.single(shown.noted_in(AlignmentChecked(status="checked", verdict=verdict)))


def check_coverage(context: StepContext) -> StepResult:
    """S1.3: which of its sources the answer names or cites; no model."""
    score = citation_coverage(context.draft["text"], list(map(names_of_passage, context.selected_passages())))
    return StepResult.single(CoverageChecked(status="checked", verdict=Score(score=score)))


async def check_answerability(context: StepContext) -> StepResult:
    """S3.4: whether the whole answer is in the passages that it was written from."""
    if not context.query.options.verify_answer:
        return StepResult.single(
            AnswerabilityChecked(
                status="skipped", verdict=None, reason=f"mode {context.query.mode} does not ask for it"
            )
        )
    shown = await when_loaded(context, partial(shown_to_judge, context))
    check = await ask_answerability(context, shown.sources, strip_references(context.draft["text"]))
    return StepResult.single(shown.noted_in(check))


async def ask_answerability(context: StepContext, sources: Sources, answer: str) -> AnswerabilityChecked:
    """S3.4: ask a model whether the whole of `answer` is in the `sources`."""
    fields = {"sources": sources, "question": context.question, "answer": answer}
    reply = await context.tools.models.ask(CHECK_ANSWERABILITY, fields, log=context.log)
    if isinstance(reply, Failure):
        return AnswerabilityChecked(status="not_checked", verdict=None, reason=reply.reason)
    return AnswerabilityChecked(status="checked", verdict=AnswerabilityVerdict(**reply.model_dump()))


def shown_to_judge(context: StepContext, most: int | None = None) -> Shown:
    """The `most` best retrieved passages, or those that the answer is written from; of given sources what their
    statements need. Raises SourceDeleted."""
    if context.query.is_external:
        return excerpts(context.selected_passages(), context.statements)
    passages = context.selected_passages() if most is None else context.passages(context.selection["ranked"][:most])
    return Shown(passages, numbered_sources(passages))


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
