"""One verification of one answer: scores, issues, and a state for every sentence (S1.5, S1.8, S2.2, N4)."""

from collections.abc import Mapping
from typing import Any

from db.models import Answer, Citation, CitationCheck, Verification, VerificationClaim, VerificationSentence
from db.queries.chunks import Passage
from db.queries.results import StoredVerification
from domain.citations import Statement, statements
from domain.confidence import confidence, level
from domain.correction import Corrected
from domain.modes import IDK
from domain.verdicts import PairVerdict, SentenceStatus, Verdict, accuracy_rate, sentence_status
from services.evidence import sentence_evidence
from services.scores import score_answer
from services.step import Outcome, StepContext

Verdicts = Mapping[tuple[int, int | None], PairVerdict]
"""By (statement index, citation number or None), as the model wrote them."""

CHECKS = ("check_alignment", "check_coverage", "check_facts", "check_answerability")


def read_verdicts(context: StepContext, deciding: Mapping[tuple[int, int | None], str]) -> Verdicts:
    """The verdict of every pair that needs one; a check that left no outcome is `not_checked`."""
    return {pair: _verdict(pair[1], context.outcome("check_statements", item)) for pair, item in deciding.items()}


def _verdict(number: int | None, outcome: Outcome | None) -> PairVerdict:
    found = outcome or {"verdict": None, "reason": "the check left no result"}
    if found["verdict"] is None:
        return PairVerdict(number, "not_checked", None, None, None, found.get("reason", ""))
    return PairVerdict(number=number, status="checked", **found["verdict"])


def assess(
    context: StepContext, answer: Answer, corrected: Corrected, citations: list[Citation], verdicts: Verdicts
) -> StoredVerification:
    """The verification of an answer that was written, whether it was published or replaced by "I don't know"."""
    passages = context.selected_passages()
    judged = [_sentence(context, s, citations, passages, verdicts) for s in corrected.statements]
    states = [SentenceStatus(sentence.status) for sentence in judged]
    scores = score_answer(context)
    claims = (_verdict_of(context, "check_facts") or {"claims": []})["claims"]
    share = confidence(states)
    verification = Verification(
        query_id=context.query.id,
        round=context.round,
        answer=corrected.text,
        overall_score=scores.overall,
        answer_source_alignment=scores.alignment,
        citation_coverage=scores.coverage,
        fact_verification_score=scores.facts,
        confidence=share,
        confidence_level=level(share),
        is_grounded=not answer.abstained and _grounded(states),
        claims_checked=sum(s not in (SentenceStatus.NO_CLAIM, SentenceStatus.NOT_CHECKED) for s in states),
        claims_supported=states.count(SentenceStatus.SUPPORTED),
        accuracy_rate=accuracy_rate([_class(v, context) for (_, number), v in verdicts.items() if number]),
        issues=[*scores.issues, *context.selection["issues"], *_further_issues(context, answer, states)],
        verified_sources=list(dict.fromkeys(s for c in claims if c["verified"] for s in c["supporting_sources"])),
        unverified_claims=[claim["claim"] for claim in claims if not claim["verified"]],
        checks={name: _check_json(context, name) for name in CHECKS},
    )
    published = _as_sentences(answer.text, SentenceStatus.NO_CLAIM) if answer.abstained else judged
    checks = _check_rows(context, passages, verdicts)
    return StoredVerification(verification, published, _claim_rows(claims), checks)


def abstained_verification(context: StepContext, reason: str) -> StoredVerification:
    """Nothing was claimed, so nothing is scored; the reason is an issue."""
    issues = list(dict.fromkeys([reason, *context.selection["issues"]]))
    return _unscored(context, IDK, SentenceStatus.NO_CLAIM, issues, {"abstained": reason})


def broken_verification(context: StepContext, answer: Answer, reason: str) -> StoredVerification:
    """S1.6: the verification itself broke; every sentence is `not_checked`."""
    return _unscored(context, answer.text, SentenceStatus.NOT_CHECKED, [reason], {"broken": reason})


def _unscored(
    context: StepContext, text: str, status: SentenceStatus, issues: list[str], checks: dict[str, Any]
) -> StoredVerification:
    verification = Verification(
        query_id=context.query.id,
        round=context.round,
        answer=text,
        claims_checked=0,
        claims_supported=0,
        issues=issues,
        verified_sources=[],
        unverified_claims=[],
        checks=checks,
    )
    return StoredVerification(verification, _as_sentences(text, status), [], [])


def _as_sentences(text: str, status: SentenceStatus) -> list[VerificationSentence]:
    return [_row(statement, status, "", (None, None)) for statement in statements(text)]


def _row(
    statement: Statement, status: SentenceStatus, reason: str, evidence: tuple[str | None, dict[str, Any] | None]
) -> VerificationSentence:
    return VerificationSentence(
        position=statement.index,
        start=statement.start,
        end=statement.end,
        text=statement.text,
        status=status.value,
        reason=reason,
        evidence=evidence[0],
        source=evidence[1],
    )


def _sentence(
    context: StepContext,
    statement: Statement,
    citations: list[Citation],
    passages: list[Passage],
    verdicts: Verdicts,
) -> VerificationSentence:
    checks = [verdict for (index, _), verdict in verdicts.items() if index == statement.index]
    status = sentence_status(statement.claim, checks, context.query.options.citation_confidence)
    reason = "; ".join(dict.fromkeys(check.explanation for check in checks if check.explanation))
    supported = status in (SentenceStatus.SUPPORTED, SentenceStatus.PARTIAL)
    evidence = sentence_evidence(statement, citations, passages, context.query.options) if supported else (None, None)
    return _row(statement, status, reason, evidence)


def _grounded(states: list[SentenceStatus]) -> bool:
    claims = [state for state in states if state is not SentenceStatus.NO_CLAIM]
    return bool(claims) and all(state is SentenceStatus.SUPPORTED for state in claims)


def _class(verdict: PairVerdict, context: StepContext) -> Verdict:
    return verdict.verdict(context.query.options.citation_confidence)


def _verdict_of(context: StepContext, step: str) -> dict[str, Any] | None:
    return (context.outcome(step) or {}).get("verdict")


def _further_issues(context: StepContext, answer: Answer, states: list[SentenceStatus]) -> list[str]:
    found: list[str] = []
    if (context.outcome("check_answerability") or {}).get("status", "not_checked") == "not_checked":
        found.append("Answerability was not checked.")
    if unchecked := states.count(SentenceStatus.NOT_CHECKED):
        found.append(f"{unchecked} of {len(states)} sentences could not be checked.")
    if answer.removed_citations:
        numbers = ", ".join(map(str, answer.removed_citations))
        found.append(f"Citations were removed from the answer: {numbers} (as first numbered).")
    if answer.abstain_reason:
        found.append(answer.abstain_reason)
    return found


def _check_json(context: StepContext, name: str) -> dict[str, Any]:
    outcome = context.outcome(name) or {"status": "not_checked", "reason": "the check left no result"}
    verdict: dict[str, Any] = outcome.get("verdict") or {}
    return {"status": outcome["status"], "reason": outcome.get("reason") or verdict.get("reason")}


def _claim_rows(claims: list[dict[str, Any]]) -> list[VerificationClaim]:
    return [VerificationClaim(position=place, **claim) for place, claim in enumerate(claims)]


def _check_rows(context: StepContext, passages: list[Passage], verdicts: Verdicts) -> list[CitationCheck]:
    texts = {statement.index: statement.text for statement in statements(context.draft["text"])}
    return [
        _check_row(f"s{index}:c{number or 0}", texts[index], verdict, passages, _class(verdict, context))
        for (index, number), verdict in verdicts.items()
    ]


def _check_row(
    item: str, statement: str, verdict: PairVerdict, passages: list[Passage], found: Verdict
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
        status=found.value if verdict.status == "checked" else "not_checked",
    )
