"""Progress events of the checks, for the watchers of a query."""

from collections.abc import Collection, Sequence
from typing import Any

from citewell_verify.answers.statements import Statement
from citewell_verify.evidence.passages import Passage
from citewell_verify.judging.model import Checked
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus
from citewell_verify.verification.findings import Findings
from citewell_verify.verification.quoted_evidence import check_evidence
from citewell_verify.verification.repairs import Repaired
from db.queries.runs.events import EventData
from services.core.context import StepContext
from services.verification.streamed_results import published_early


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
