"""The rows of a verification: sentences and citation checks, each with its evidence (N3, N4, S5.4)."""

from collections.abc import Sequence

from citewell_verify.answers.statements import Statement, statements
from citewell_verify.evidence.passages import Passage
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus
from citewell_verify.verification.findings import Findings
from citewell_verify.verification.quoted_evidence import CitedSpan, Quoted, check_evidence
from citewell_verify.verification.repairs import Repairs
from citewell_verify.verification.sentences import Judged, calibrated_support
from db.models import Citation, CitationCheck, VerificationSentence
from services.core.context import StepContext


def sentence_row(context: StepContext, judged: Judged) -> VerificationSentence:
    return _row(
        judged.statement, judged.status, judged.reason, calibrated_support(judged, context.calibration), judged.evidence
    )


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
        status=verdict.status_at(context.query.options.citation_confidence),
    )


def cited_span(citation: Citation) -> CitedSpan:
    place = {
        "document_id": str(citation.document_id),
        "document_name": citation.document_name,
        "chunk_id": citation.chunk_id,
        "page_number": citation.page_number,
        "section": citation.section,
        "source_start": citation.source_start,
        "source_end": citation.source_end,
    }
    return CitedSpan(citation.answer_start, citation.status, citation.confidence_score, citation.text_span, place)
