"""What those who watch a query are told of its checks, while they are made."""

from collections.abc import Mapping, Sequence
from typing import Any

from db.queries.events import EventData
from domain.citations import PlannedCheck, Statement
from domain.outcomes import Checked, Repaired
from domain.verdicts import PairVerdict
from services.findings import Findings
from services.step import StepContext


def citation_checked(context: StepContext, plan: PlannedCheck, statement: str, checked: Checked) -> EventData:
    """One statement was held against one source, or against all of them for a null `citation_number` (S5.4)."""
    data: dict[str, Any] = {
        "round": context.round,
        "sentence": plan.statement,
        "statement": statement,
        "citation_number": plan.number,
    }
    if checked["verdict"] is None:
        return "citation.checked", {**data, "status": "not_checked", "explanation": checked.get("reason", "")}
    verdict = PairVerdict.from_json(plan.number, checked["verdict"])
    return "citation.checked", {
        **data,
        "status": verdict.verdict(context.query.options.citation_confidence).value,
        "is_accurate": verdict.is_accurate,
        "confidence": verdict.confidence,
        "explanation": verdict.explanation,
    }


def sentences_checked(round_: int, findings: Findings) -> list[EventData]:
    """Every sentence of the draft and the one state that it is in (N4); offsets are those of the draft."""
    return [
        (
            "sentence.checked",
            {
                "round": round_,
                "sentence": each.index,
                "start": each.start,
                "end": each.end,
                "text": each.text,
                "status": findings.states[each.index].value,
            },
        )
        for each in findings.said
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
