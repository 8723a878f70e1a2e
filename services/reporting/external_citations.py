"""Reports the verdict on every citation of a given answer (N2), whether in its text or sent beside it."""

from collections.abc import Iterator, Sequence
from typing import Any, TypedDict

from citewell_verify.answers.external_citations import as_given
from citewell_verify.answers.parser import parse_answer
from citewell_verify.answers.statements import Statement, statements
from citewell_verify.evidence.passages import Passage
from citewell_verify.verdicts.states import PairVerdict
from citewell_verify.verification.findings import Findings
from citewell_verify.verification.sentences import check_evidence
from domain.query.outcomes import CitationBeside, JudgedCitation
from services.core.context import StepContext

_TOO_SHORT = "the sentence is too short to be checked"
_NO_SENTENCE = "it stands behind no sentence"


def judged_citations(context: StepContext, findings: Findings) -> list[JudgedCitation]:
    """Return, in the order of the answer, an entry for every (citation, sentence that it is for).

    `start` and `end` are as given, null for a marker of the text. Status `dangling` means that the source does not
    exist.
    """
    draft = context.draft
    report = _Report(context, findings, context.selected_passages())
    # The answer with its own markers, and without those of the citations beside it.
    own_text = draft.get("translated") or draft.get("given", draft["text"])
    entries = [*report.of_markers(own_text), *report.of_those_beside(draft.get("citations", []))]
    return sorted(
        entries, key=lambda entry: (entry["sentence_start"] is None, entry["sentence_start"] or 0, entry["start"] or 0)
    )


class _Report:
    def __init__(self, context: StepContext, findings: Findings, passages: Sequence[Passage]) -> None:
        self._findings, self._passages = findings, passages
        self._citable = context.citable
        self._inserted = context.draft.get("inserted", [])
        self._threshold = context.query.options.citation_confidence

    def of_markers(self, given: str) -> Iterator[JudgedCitation]:
        reading, written = parse_answer(given, self._citable), statements(given, self._citable)
        for statement in self._findings.statements:
            own = written[statement.index] if statement.index < len(written) else statement
            for number in own.numbers:
                yield self._entry(statement, number)
            for name in own.missing:
                yield {**self._entry(statement, None), "cited": name}
        for number in dict.fromkeys(number for mark in reading.orphans for number in mark.numbers):
            yield self._entry(None, number)
        for name in dict.fromkeys(name for mark in reading.orphans for name in mark.missing):
            yield {**self._entry(None, None), "cited": name}

    def of_those_beside(self, citations: Sequence[CitationBeside]) -> Iterator[JudgedCitation]:
        said = [(statement, *self._place(statement)) for statement in self._findings.statements]
        for citation in citations:
            reached = [
                statement for statement, start, end in said if start < citation["end"] and citation["start"] < end
            ]
            for statement in reached or [None]:
                entry = self._entry(statement, citation["number"])
                yield {**entry, "start": citation["start"], "end": citation["end"], "cited": citation["source"]}

    def _entry(self, statement: Statement | None, number: int | None) -> JudgedCitation:
        start, end = self._place(statement) if statement else (None, None)
        return {
            "number": number,
            "start": None,
            "end": None,
            "cited": number,
            "statement": statement.text if statement else None,
            "sentence_start": start,
            "sentence_end": end,
            **self._verdict(statement, number),
        }

    def _verdict(self, statement: Statement | None, number: int | None) -> "_Verdict":
        if number is None or not 1 <= number <= len(self._passages):
            return {**_NO_VERDICT, "status": "dangling", "is_accurate": False, "explanation": "there is no such source"}
        if statement is None:
            return {**_NO_VERDICT, "explanation": _NO_SENTENCE}
        verdict = self._findings.verdicts.get((statement.index, number))
        return self._judged(statement, verdict) if verdict else {**_NO_VERDICT, "explanation": _TOO_SHORT}

    def _judged(self, statement: Statement, verdict: PairVerdict) -> "_Verdict":
        evidence, location = check_evidence(verdict, statement.text, self._passages)
        return {
            "status": verdict.status_at(self._threshold),
            "is_accurate": verdict.is_accurate,
            "relation": verdict.relation,
            "confidence": verdict.confidence,
            "explanation": verdict.explanation,
            "evidence": evidence,
            "location": location,
        }

    def _place(self, statement: Statement) -> tuple[int, int]:
        return as_given(statement.start, self._inserted, opens=True), as_given(statement.end, self._inserted)


class _Verdict(TypedDict):
    """The fields of a `JudgedCitation` that depend on the outcome of its check."""

    status: str
    is_accurate: bool | None
    relation: str | None
    confidence: float | None
    explanation: str
    evidence: str | None
    location: dict[str, Any] | None


_NO_VERDICT: _Verdict = {
    "status": "not_checked",
    "is_accurate": None,
    "relation": None,
    "confidence": None,
    "explanation": "",
    "evidence": None,
    "location": None,
}
