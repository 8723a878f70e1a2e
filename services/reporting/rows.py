"""The rows of a verification: sentences, citation checks and claims with their evidence, after a round's repairs
(N3-N5, S1.4).
"""

from collections.abc import Sequence

from citewell_verify.answers.statements import Statement, statements
from citewell_verify.correction.corrected_answer import Corrected
from citewell_verify.evidence.passages import Passage
from citewell_verify.judging.statement import names_of_passage
from citewell_verify.verdicts.confidence import claim_status
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, citation_coverage
from citewell_verify.verification import repairs as repairing
from citewell_verify.verification.findings import Findings
from citewell_verify.verification.repairs import Repaired, Repairs, repair_item, repairs_of
from citewell_verify.verification.sentences import (
    CitedSpan,
    Judged,
    Quoted,
    calibrated_support,
    check_evidence,
    key_facts,
    key_sentences,
    suggested_corrections,
)
from db.base import row_json
from db.models import Citation, CitationCheck, VerificationClaim, VerificationSentence
from domain.query.answer_checks import ClaimsChecked, Corrections, FactsChecked, KeyFacts, Score
from domain.query.outcomes import ASSESS, CHECK_CLAIMS, CHECK_COVERAGE, CHECK_FACTS, REPAIR_STATEMENTS
from services.core.context import StepContext

_LEFT_NO_RESULT = "the check left no result"


def facts_check(context: StepContext, judged: Sequence[Judged], passages: Sequence[Passage]) -> FactsChecked:
    """S1.4: return one to five key claims. There is no score when one of them could not be checked, because a score
    over some of the facts would mean something else. Verdict number N of `judged` is about the passage at place N-1."""
    if (asked := context.read(CHECK_FACTS)) and asked["status"] == "skipped":
        return asked
    sentences = _claiming(judged)
    if unchecked := [
        sentence for sentence in key_sentences(sentences) if sentence.status is SentenceStatus.NOT_CHECKED
    ]:
        return FactsChecked(status="not_checked", verdict=None, reason=_why_not(unchecked[0]))
    facts = key_facts(sentences, [passage.chunk_id for passage in passages])
    return FactsChecked(status="checked", verdict=KeyFacts(claims=facts))


def claims_check(context: StepContext, judged: Sequence[Judged]) -> ClaimsChecked:
    """S2.1: return suggested corrections; `claim_rows` are the claims. Not checked only if no sentence was (N4)."""
    if (asked := context.read(CHECK_CLAIMS)) and asked["status"] == "skipped":
        return asked
    sentences = _claiming(judged)
    if sentences and all(sentence.status is SentenceStatus.NOT_CHECKED for sentence in sentences):
        return ClaimsChecked(status="not_checked", verdict=None, reason=_why_not(sentences[0]))
    return ClaimsChecked(status="checked", verdict=Corrections(corrections=suggested_corrections(sentences)))


def claim_rows(context: StepContext, judged: Sequence[Judged]) -> list[VerificationClaim]:
    """S2.1: return one claim for each checked sentence that makes one, with that sentence's state and evidence."""
    if (asked := context.read(CHECK_CLAIMS)) and asked["status"] == "skipped":
        return []
    claims = [(sentence, status) for sentence in judged if (status := claim_status(sentence.status))]
    return [
        VerificationClaim(
            position=place,
            claim=sentence.words,
            status=status.name,
            evidence=sentence.evidence[0],
            source=sentence.evidence[1],
            reasoning=sentence.reason,
        )
        for place, (sentence, status) in enumerate(claims)
    ]


def _claiming(judged: Sequence[Judged]) -> list[Judged]:
    return [sentence for sentence in judged if sentence.status is not SentenceStatus.NO_CLAIM]


def _why_not(sentence: Judged) -> str:
    reasons = (check.explanation for check in sentence.checks if check.status == "not_checked")
    return next(reasons, _LEFT_NO_RESULT)


def read_repairs(context: StepContext) -> Repairs:
    done = _done(context)
    keys = context.selection["selected"]
    added = list(dict.fromkeys(key for repaired in done.values() for key in repaired["keys"] if key not in keys))
    return repairs_of(done, [*context.selected_passages(), *context.passages(added)])


def corrected_draft(context: StepContext, findings: Findings, repairs: Repairs) -> Corrected:
    """Return the draft with repairs and without its wrong citations (S5.4); a given answer (N2) keeps its numbers."""
    threshold, renumber = context.query.options.citation_confidence, not context.query.is_external
    return repairing.corrected_draft(findings, repairs, context.citable, threshold, renumber=renumber)


def passages_to_conclude(context: StepContext) -> list[int]:
    repaired = (key for repair in _done(context).values() for key in repair["keys"])
    return [*context.selection["selected"], *context.selection["ranked"], *repaired]


def _done(context: StepContext) -> dict[int, Repaired]:
    failing = assessed["failing"] if (assessed := context.read(ASSESS)) else []
    outcomes = {index: context.read(REPAIR_STATEMENTS, repair_item(index)) for index in failing}
    return {index: repaired for index, repaired in outcomes.items() if repaired}


def with_coverage(context: StepContext, corrected: Corrected, repairs: Repairs) -> StepContext:
    """Return the context with the coverage of the corrected answer; a check that was not made stays unmade.

    Otherwise a result would count citations that were removed. The alignment stays that of the original answer, because
    asking a model again would cost a call.
    """
    check = context.read(CHECK_COVERAGE)
    if not (repairs.edits or corrected.removed) or not check or not check["verdict"]:
        return context
    score = Score(score=_coverage(context, corrected, repairs))
    return context.with_outcomes(CHECK_COVERAGE, {"": {**check, "verdict": score}})


def _coverage(context: StepContext, corrected: Corrected, repairs: Repairs) -> float:
    """Return the coverage of the passages that the answer was written from and those that a repair added, cited ones
    first (S1.3)."""
    cited = [old for old, _ in sorted(corrected.mapping.items(), key=lambda pair: pair[1])]
    others = [number for number in range(1, len(context.selection["selected"]) + 1) if number not in cited]
    shown = [repairs.passages[number - 1] for number in (*cited, *others)]
    return citation_coverage(corrected.text, list(map(names_of_passage, shown)))


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
    place = row_json(citation, "document_id document_name chunk_id page_number section source_start source_end")
    return CitedSpan(citation.answer_start, citation.status, citation.confidence_score, citation.text_span, place)
