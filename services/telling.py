"""What those who watch a query are told of its checks, while they are made."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from db.queries.chunks import Passage
from db.queries.events import EventData
from domain.citations import Statement
from domain.outcomes import Checked, Repaired
from domain.verdicts import PairVerdict, SentenceStatus
from services.early import told_early
from services.evidence import check_evidence
from services.findings import Findings
from services.step import StepContext


def citation_checked(context: StepContext, statement: Statement, number: int | None, checked: Checked) -> EventData:
    """One statement was held against one source, or against all of them for a null `citation_number` (S5.4)."""
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
    """N1: a sentence that claims something has its verdicts. One that failed may yet be mended."""
    type_ = "sentence.verified" if status is SentenceStatus.SUPPORTED else "sentence.failed"
    citations = [_judged_citation(context, check, passages) for check in checks]
    return type_, {**_sentence(context, statement, status), "citations": citations}


def _sentence(context: StepContext, statement: Statement, status: SentenceStatus) -> dict[str, Any]:
    """Offsets are those of the draft."""
    return {
        "round": context.round,
        "sentence": statement.index,
        "start": statement.start,
        "end": statement.end,
        "text": statement.text,
        "status": status.value,
    }


def _judged_citation(context: StepContext, check: PairVerdict, passages: Sequence[Passage]) -> dict[str, Any]:
    evidence, source = check_evidence(check, passages)
    is_checked = check.status == "checked"
    return {
        "citation_number": check.number,
        "status": check.verdict(context.query.options.citation_confidence).value if is_checked else "not_checked",
        "confidence": check.confidence,
        "explanation": check.explanation,
        "evidence": evidence,
        "source": source,
    }


def sentences_checked(context: StepContext, findings: Findings) -> list[EventData]:
    """Every sentence of the draft and the one state that it is in (N4), after the verdicts that nobody was told yet."""
    checked = [("sentence.checked", _sentence(context, each, findings.states[each.index])) for each in findings.said]
    return [*_judged_late(context, findings), *checked]


def _judged_late(context: StepContext, findings: Findings) -> list[EventData]:
    told = told_early(context)
    late = [
        each
        for each in findings.said
        if each.claim
        and not findings.unasked
        and (each.index, each.start, each.end, each.text, findings.states[each.index].value) not in told
    ]
    passages = context.selected_passages() if late else []
    return [
        sentence_judged(context, each, findings.states[each.index], findings.checks_of(each.index), passages)
        for each in late
    ]


def sentences_kept(context: StepContext, findings: Findings, mended: Collection[int]) -> list[EventData]:
    """N1: the last word on what stays as it was written although no check confirmed it: it claims nothing, or its
    state says what is wrong. With those that were verified, repaired and removed these are all sentences."""
    return [
        ("sentence.kept", _sentence(context, each, findings.states[each.index]))
        for each in findings.said
        if each.index not in mended and findings.states[each.index] is not SentenceStatus.SUPPORTED
    ]


def sentences_repaired(round_: int, repaired: Sequence[tuple[Statement, Repaired]]) -> list[EventData]:
    """What became of sentences that failed their checks (N5). One that stays as it is has nothing to tell."""
    return [
        (
            "sentence.removed" if each["status"] == "dropped" else "sentence.repaired",
            {"round": round_, "sentence": statement.index, "statement": statement.text, **_change(each)},
        )
        for statement, each in repaired
        if each["status"] != "kept"
    ]


def _change(repaired: Repaired) -> Mapping[str, Any]:
    if repaired["status"] == "dropped":
        return {"reason": repaired["reason"]}
    return {"how": repaired["status"], "text": repaired["text"], "reason": repaired["reason"]}
