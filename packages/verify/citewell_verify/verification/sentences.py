"""The sentences of an answer with their states, before and after repairs (N4, N5)."""

from collections.abc import Sequence
from dataclasses import dataclass

from citewell_verify.answers.statements import Statement
from citewell_verify.correction.corrected_answer import Corrected
from citewell_verify.evidence.passages import Passage
from citewell_verify.evidence.spans import claim_relevance
from citewell_verify.markers.stripping import plain_text
from citewell_verify.verdicts.calibration import Calibration
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, sentence_status, sentence_support
from citewell_verify.verification.findings import Findings
from citewell_verify.verification.quoted_evidence import CitedSpan, Quoted, check_evidence, sentence_evidence
from citewell_verify.verification.repairs import Repairs

UNCHECKED = (SentenceStatus.NO_CLAIM, SentenceStatus.NOT_CHECKED)
NOTHING_SAID = "The answer that was written says nothing."
NOTHING_LEFT = "No statement of the answer that was written could be supported by the documents."
_SAME_MATTER = 0.6  # share of a statement's words found in a source: from here on both are about the same matter


@dataclass(frozen=True, slots=True)
class Judged:
    """One sentence with its state, the verdicts behind it and its evidence."""

    statement: Statement
    status: SentenceStatus
    checks: Sequence[PairVerdict]
    evidence: Quoted

    @property
    def words(self) -> str:
        return " ".join(self.statement.text.split())

    @property
    def reason(self) -> str:
        return "; ".join(dict.fromkeys(check.explanation for check in self.checks if check.explanation))


def judged_sentence(
    statement: Statement,
    status: SentenceStatus,
    checks: Sequence[PairVerdict],
    citations: Sequence[CitedSpan],
    passages: Sequence[Passage],
    span_chars: tuple[int, int],
) -> Judged:
    """Return the sentence with the words of a source that support it, or, unless it is supported, that deny it."""
    if status in (SentenceStatus.SUPPORTED, SentenceStatus.PARTIAL):
        evidence = sentence_evidence(statement, citations, checks, passages, span_chars)
    else:
        denials = (check for check in checks if check.relation == "contradicts")
        quotes = (check_evidence(check, statement.text, passages) for check in denials)
        evidence = next((quote for quote in quotes if quote[0]), (None, None))
    return Judged(statement, status, checks, evidence)


def calibrated_support(judged: Judged, calibration: Calibration | None) -> float | None:
    """The probability that the sources say it, 0..1; None for what was not checked or claims nothing (N4, N8)."""
    support = None if judged.status in UNCHECKED else sentence_support(judged.checks)
    return support if support is None or calibration is None else calibration.apply(support)


def state_after_repair(
    statement: Statement, findings: Findings, repairs: Repairs, threshold: float
) -> tuple[SentenceStatus, Sequence[PairVerdict]]:
    """Return the state of a sentence of the corrected answer, and the verdicts behind it.

    A sentence that another source supports is supported in part where its first source surely denies it (N4).
    """
    repaired = repairs.verdicts.get(statement.index)
    checks = [repaired] if repaired else findings.checks_of(statement.index)
    status = sentence_status(statement.claim, checks, threshold)
    disputed = _disputes(statement, findings, repairs, threshold) if repaired else []
    if disputed and status is SentenceStatus.SUPPORTED:
        return SentenceStatus.PARTIAL, [*checks, *disputed]
    return status, checks


def _disputes(statement: Statement, findings: Findings, repairs: Repairs, threshold: float) -> list[PairVerdict]:
    if repairs.edits[statement.index].kind != "reattributed":
        return []

    def is_about_the_same(check: PairVerdict) -> bool:
        passages = repairs.passages if check.number is None else [repairs.passages[check.number - 1]]
        return any(claim_relevance(statement.text, passage.readable) >= _SAME_MATTER for passage in passages)

    return [
        check
        for check in findings.checks_of(statement.index)
        if check.relation == "contradicts" and (check.confidence or 0.0) >= threshold and is_about_the_same(check)
    ]


def is_grounded(states: Sequence[SentenceStatus]) -> bool:
    """Say whether every sentence that claims something is supported, and one does."""
    claims = [state for state in states if state is not SentenceStatus.NO_CLAIM]
    return bool(claims) and all(state is SentenceStatus.SUPPORTED for state in claims)


def nothing_left(corrected: Corrected, repairs: Repairs) -> str | None:
    """Why the corrected answer says nothing: its claims were dropped, or it never was more than markers (S2.6)."""
    dropped = any(edit.kind == "dropped" for edit in repairs.edits.values())
    if dropped and not any(statement.claim for statement in corrected.statements):
        return NOTHING_LEFT
    is_said = any(character.isalnum() for character in plain_text(corrected.text).text)
    return None if is_said else NOTHING_SAID
