"""The checks of one answer, and their progress for the watchers of a query; what was not judged is never passed."""

import asyncio
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from citewell_verify.answers.references import strip_references
from citewell_verify.answers.statements import Statement, plan_checks
from citewell_verify.evidence.passages import Passage
from citewell_verify.judging.model import Checked, Failure
from citewell_verify.judging.statement import (
    Pair,
    Shown,
    excerpts,
    judge_batch,
    judge_statement,
    names_of_passage,
    numbered_sources,
)
from citewell_verify.prompting.judgements import CHECK_ALIGNMENT, CHECK_ANSWERABILITY
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus
from citewell_verify.verdicts.weighted_scores import citation_coverage, keyword_overlap
from citewell_verify.verification.findings import Findings
from citewell_verify.verification.repairs import Repaired
from citewell_verify.verification.sentences import check_evidence
from db.queries.runs.events import EventData
from domain.query.answer_checks import (
    AlignmentChecked,
    AlignmentVerdict,
    AnswerabilityChecked,
    AnswerabilityVerdict,
    CoverageChecked,
    Score,
)
from services.core.context import StepContext, StepResult, when_loaded
from services.verification.round_results import published_early


def citation_checked(context: StepContext, statement: Statement, number: int | None, checked: Checked) -> EventData:
    """Event for the check of a statement against one source, or against all for a null `citation_number` (S5.4)."""
    data: dict[str, Any] = {
        "round": context.round,
        "sentence": statement.index,
        "statement": statement.text,
        "citation_number": number,
    }
    if checked["verdict"] is None:
        return "citation.checked", {**data, "status": "not_checked", "explanation": checked.get("reason", "")}
    verdict = PairVerdict.from_json(number, checked["verdict"])
    return "citation.checked", {
        **data,
        "status": verdict.verdict(context.query.options.citation_confidence).value,
        "is_accurate": verdict.is_accurate,
        "confidence": verdict.confidence,
        "explanation": verdict.explanation,
    }


def sentence_judged(
    context: StepContext,
    statement: Statement,
    status: SentenceStatus,
    checks: Sequence[PairVerdict],
    passages: Sequence[Passage],
) -> EventData:
    """N1: event for a claiming sentence that has its verdicts. One that failed may still be repaired."""
    type_ = "sentence.verified" if status is SentenceStatus.SUPPORTED else "sentence.failed"
    citations = [_judged_citation(context, statement, check, passages) for check in checks]
    return type_, {**_sentence(context, statement, status), "citations": citations}


def _sentence(context: StepContext, statement: Statement, status: SentenceStatus) -> dict[str, Any]:
    return {
        "round": context.round,
        "sentence": statement.index,
        "start": statement.start,
        "end": statement.end,
        "text": statement.text,
        "status": status.value,
    }


def _judged_citation(
    context: StepContext, statement: Statement, check: PairVerdict, passages: Sequence[Passage]
) -> dict[str, Any]:
    evidence, source = check_evidence(check, statement.text, passages)
    return {
        "citation_number": check.number,
        "status": check.status_at(context.query.options.citation_confidence),
        "confidence": check.confidence,
        "explanation": check.explanation,
        "evidence": evidence,
        "source": source,
    }


def sentences_checked(context: StepContext, findings: Findings) -> list[EventData]:
    """Every sentence of the draft with its final state (N4), after verdicts not yet published."""
    checked = [
        ("sentence.checked", _sentence(context, statement, findings.states[statement.index]))
        for statement in findings.statements
    ]
    return [*_judged_late(context, findings), *checked]


def _judged_late(context: StepContext, findings: Findings) -> list[EventData]:
    published = published_early(context)
    late = [
        statement
        for statement in findings.statements
        if statement.claim
        and not findings.unasked
        and (statement.index, statement.start, statement.end, statement.text, findings.states[statement.index].value)
        not in published
    ]
    passages = context.selected_passages() if late else []
    return [
        sentence_judged(
            context, statement, findings.states[statement.index], findings.checks_of(statement.index), passages
        )
        for statement in late
    ]


def sentences_kept(context: StepContext, findings: Findings, mended: Collection[int]) -> list[EventData]:
    """N1: the final event of sentences that stay as written although no check confirmed them: they claim nothing, or
    their state says what is wrong. Together with the verified, repaired and removed ones these are all sentences."""
    return [
        ("sentence.kept", _sentence(context, statement, findings.states[statement.index]))
        for statement in findings.statements
        if statement.index not in mended and findings.states[statement.index] is not SentenceStatus.SUPPORTED
    ]


def sentences_repaired(round_: int, repaired: Sequence[tuple[Statement, Repaired]]) -> list[EventData]:
    """Events for repaired and removed sentences (N5). A sentence that stays as it is has none."""
    events: list[EventData] = []
    for statement, repair in repaired:
        data = {"round": round_, "sentence": statement.index, "statement": statement.text}
        if repair["status"] == "dropped":
            events.append(("sentence.removed", {**data, "reason": repair["reason"]}))
        elif repair["status"] != "kept":
            change = {"how": repair["status"], "text": repair["text"], "reason": repair["reason"]}
            events.append(("sentence.repaired", {**data, **change}))
    return events


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
