"""The rows of a verification: sentences and citation checks, each with its evidence (N3, N4, S5.4)."""

from collections.abc import Sequence
from dataclasses import dataclass

from db.models import Citation, CitationCheck, VerificationSentence
from domain.answers.statements import Statement, statements
from domain.evidence.passages import Passage
from domain.verdicts.states import PairVerdict, SentenceStatus, Verdict, sentence_support
from services.core.context import StepContext
from services.reporting.repair_results import Repairs
from services.verification.quoted_evidence import Quoted, check_evidence, sentence_evidence
from services.verification.round_results import Findings

UNCHECKED = (SentenceStatus.NO_CLAIM, SentenceStatus.NOT_CHECKED)


@dataclass(frozen=True, slots=True)
class Judged:
    """One sentence with its state, the verdicts behind it and its evidence."""

    statement: Statement
    status: SentenceStatus
    checks: Sequence[PairVerdict]
    evidence: Quoted

    @property
    def reason(self) -> str:
        return "; ".join(dict.fromkeys(check.explanation for check in self.checks if check.explanation))


def judged_sentence(
    context: StepContext,
    statement: Statement,
    status: SentenceStatus,
    checks: Sequence[PairVerdict],
    citations: Sequence[Citation],
    passages: Sequence[Passage],
) -> Judged:
    shown = status in (SentenceStatus.SUPPORTED, SentenceStatus.PARTIAL)
    if shown:
        evidence = sentence_evidence(statement, citations, checks, passages, context.query.options)
    else:
        found = (check_evidence(check, statement.text, passages) for check in checks if check.relation == "contradicts")
        evidence = next((quoted for quoted in found if quoted[0]), (None, None))
    return Judged(statement, status, checks, evidence)


def calibrated_support(context: StepContext, judged: Judged) -> float | None:
    """The probability that the sources say it, 0..1; None for what was not checked or claims nothing (N4, N8)."""
    support = None if judged.status in UNCHECKED else sentence_support(judged.checks)
    calibration = context.calibration
    return support if support is None or calibration is None else calibration.apply(support)


def sentence_row(context: StepContext, judged: Judged) -> VerificationSentence:
    return _row(judged.statement, judged.status, judged.reason, calibrated_support(context, judged), judged.evidence)


def as_sentences(text: str, status: SentenceStatus) -> list[VerificationSentence]:
    return [_row(statement, status, "", None, (None, None)) for statement in statements(text)]


def _row(
    statement: Statement, status: SentenceStatus, reason: str, support: float | None, evidence: Quoted
) -> VerificationSentence:
    return VerificationSentence(
        position=statement.index,
        start=statement.start,
        end=statement.end,
        text=statement.text,
        status=status.value,
        reason=reason,
        support=support,
        evidence=evidence[0],
        source=evidence[1],
    )


def check_rows(context: StepContext, passages: Sequence[Passage], findings: Findings) -> list[CitationCheck]:
    texts = {statement.index: statement.text for statement in findings.statements}
    return [
        _check_row(context, f"s{index}:c{number or 0}", texts[index], verdict, passages)
        for (index, number), verdict in findings.verdicts.items()
    ]


def repair_rows(context: StepContext, repairs: Repairs, findings: Findings) -> list[CitationCheck]:
    texts = {statement.index: statement.text for statement in findings.statements}
    return [
        _check_row(context, f"s{index}:repair", repairs.edits[index].text or texts[index], verdict, repairs.passages)
        for index, verdict in repairs.verdicts.items()
    ]


def _check_row(
    context: StepContext, item: str, statement: str, verdict: PairVerdict, passages: Sequence[Passage]
) -> CitationCheck:
    passage = passages[verdict.number - 1] if verdict.number else None
    state: Verdict = verdict.verdict(context.query.options.citation_confidence)
    return CitationCheck(
        item=item,
        statement=statement,
        citation_number=verdict.number,
        chunk_id=passage.chunk_id if passage else None,
        source_file=passage.filename if passage else None,
        source_page=passage.page if passage else None,
        is_accurate=verdict.is_accurate,
        relation=verdict.relation,
        confidence=verdict.confidence,
        explanation=verdict.explanation,
        evidence=check_evidence(verdict, statement, passages)[0],
        decided_by=verdict.decided_by,
        second_look=dict(verdict.second_look) if verdict.second_look else None,
        status=state.value if verdict.status == "checked" else "not_checked",
    )
