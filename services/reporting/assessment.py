"""Builds the stored verification of an answer: scores, issues, a state for every sentence (S1.5, S1.8, N4), the single
confidence (V9), and the signal that follows from all of it (V10), which is never stored."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from citewell_verify.answers.statements import Statement
from citewell_verify.correction.corrected_answer import Corrected
from citewell_verify.evidence.passages import Passage
from citewell_verify.question.relevance import question_of
from citewell_verify.verdicts.confidence import UNCALIBRATED, Calibration, confidence
from citewell_verify.verdicts.states import SentenceStatus, accuracy_rate
from citewell_verify.verification.findings import Findings
from citewell_verify.verification.repairs import Repairs
from citewell_verify.verification.sentences import (
    UNCHECKED,
    Judged,
    confidence_of,
    is_grounded,
    judged_sentence,
    state_after_repair,
)
from db.models import Answer, Citation, Query, QueryKind, Verification
from db.queries.runs.results import StoredAnswer, StoredVerification
from domain.quality.signal import Wording, signal_of
from domain.query.answer_checks import AnswerCheck
from domain.query.outcomes import (
    CHECK_ALIGNMENT,
    CHECK_ANSWERABILITY,
    CHECK_CLAIMS,
    CHECK_COVERAGE,
    CHECK_FACTS,
    GENERATE,
    RECHECK_ANSWERABILITY,
    SELECT,
)
from services.core.context import StepContext, left_out_issues
from services.judging.relevance import judges_by_model, model_judgement, with_question_verdict
from services.reporting.rows import (
    as_sentences,
    check_rows,
    cited_span,
    claim_rows,
    claims_check,
    facts_check,
    repair_rows,
    sentence_row,
    with_coverage,
)
from services.verification.checks import notes_issues
from services.verification.round_results import score_answer


@dataclass(frozen=True, slots=True)
class Published:
    """A round's answer before it is stored: its row, its citations, and the changes from the draft."""

    answer: Answer
    citations: list[Citation]
    corrected: Corrected
    repairs: Repairs


def attempted_verification(context: StepContext, findings: Findings) -> StoredVerification:
    """S2.3: return the verification of a round's draft before any repair."""
    passages = context.selected_passages()
    judged = [
        judged_sentence(
            statement,
            findings.states[statement.index],
            findings.checks_of(statement.index),
            [],
            passages,
            context.span_chars,
        )
        for statement in findings.statements
    ]
    verification = _verification(context, context.draft["text"], findings, judged, passages)
    _set_confidence(context, verification, findings, judged)
    verification.issues = [
        *verification.issues,
        *_unchecked_issues(context, findings, [sentence.status for sentence in judged]),
    ]
    rows = [sentence_row(context, sentence) for sentence in judged]
    checks = check_rows(context, passages, findings)
    return as_attempt(StoredVerification(verification, rows, claim_rows(context, judged), checks))


def published_verification(context: StepContext, findings: Findings, published: Published) -> StoredVerification:
    answer, repairs = published.answer, published.repairs
    judged = [_judged_after(context, statement, findings, published) for statement in published.corrected.statements]
    states = [sentence.status for sentence in judged]
    recomputed = with_coverage(context, published.corrected, repairs)
    is_shortened = any(edit.kind == "dropped" for edit in repairs.edits.values())
    text = published.corrected.text
    verification = _verification(recomputed, text, findings, judged, repairs.passages, is_shortened=is_shortened)
    _set_confidence(context, verification, findings, judged)
    if answer.abstained:
        _withdraw(context, verification)
        verification.checks = with_question_verdict(context, answer.text, verification.checks)
    else:
        verification.issues = [*verification.issues, *_unchecked_issues(context, findings, states)]
    verification.issues = [*verification.issues, *_edit_issues(answer, repairs)]
    if answer.abstained:
        sentences, claims = as_sentences(answer.text, SentenceStatus.NO_CLAIM), []
    else:
        sentences = [sentence_row(context, sentence) for sentence in judged]
        claims = claim_rows(context, judged)
    checks = [*check_rows(context, repairs.passages, findings), *repair_rows(context, repairs, findings)]
    return StoredVerification(verification, sentences, claims, checks)


def abstained_verification(context: StepContext, reason: str) -> StoredVerification:
    """Return the verification of a refusal: nothing was claimed, so nothing is scored; the reason is an issue."""
    issues = list(dict.fromkeys([reason, *context.selection["issues"], *left_out_issues(context)]))
    return _unscored(context, context.refusal, SentenceStatus.NO_CLAIM, issues, {"abstained": reason})


def broken_verification(context: StepContext, text: str, reason: str) -> StoredVerification:
    """S1.6: the verification itself failed, so every sentence is `not_checked`."""
    return _unscored(context, text, SentenceStatus.NOT_CHECKED, [reason], {"broken": reason})


def as_attempt(stored: StoredVerification) -> StoredVerification:
    """Mark a verification as that of a round's draft, not of the answer that users see (S2.3)."""
    stored.verification.kind = "attempt"
    return stored


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
        **_history(context),
    )
    return StoredVerification(verification, as_sentences(text, status), [], [])


def _verification(
    context: StepContext,
    text: str,
    findings: Findings,
    judged: Sequence[Judged],
    passages: Sequence[Passage],
    *,
    is_shortened: bool = False,
) -> Verification:
    facts_found, claims_found = facts_check(context, judged, passages), claims_check(context, judged)
    scores = score_answer(context, facts_found)
    facts = facts_found["verdict"]["claims"] if facts_found["verdict"] else []
    checks: dict[str, AnswerCheck | None] = {
        CHECK_ALIGNMENT: context.read(CHECK_ALIGNMENT),
        CHECK_COVERAGE: context.read(CHECK_COVERAGE),
        CHECK_FACTS: facts_found,
        CHECK_CLAIMS: claims_found,
        CHECK_ANSWERABILITY: context.read(CHECK_ANSWERABILITY),
    }
    if again := context.read(RECHECK_ANSWERABILITY):
        checks[RECHECK_ANSWERABILITY] = again
    threshold = context.query.options.citation_confidence
    cited = [verdict for (_, number), verdict in findings.verdicts.items() if number]
    is_checked = any(verdict.status == "checked" for verdict in cited)
    return Verification(
        query_id=context.query.id,
        round=context.round,
        verifier=context.verifier,
        answer=text,
        overall_score=scores.overall,
        answer_source_alignment=scores.alignment,
        citation_coverage=scores.coverage,
        fact_verification_score=scores.facts,
        accuracy_rate=accuracy_rate([verdict.verdict(threshold) for verdict in cited]) if is_checked else None,
        issues=[*scores.issues, *context.selection["issues"], *left_out_issues(context)],
        verified_sources=list(
            dict.fromkeys(source for fact in facts if fact["verified"] for source in fact["supporting_sources"])
        ),
        unverified_claims=[fact["claim"] for fact in facts if not fact["verified"]],
        suggested_corrections=claims_found["verdict"]["corrections"] if claims_found["verdict"] else [],
        checks=with_question_verdict(
            context,
            text,
            {name: _check_json(check) for name, check in checks.items()},
            is_shortened=is_shortened,
        ),
        **_history(context),
    )


def _history(context: StepContext) -> dict[str, Any]:
    """Return the number of attempts, and whether the kept round used passages that the first one lacked (S2.3)."""
    first = (context.rounds.get(0, {}).get((SELECT, "")) or {}).get("selected", [])
    kept = context.selection["selected"]
    used_more = context.round > 0 and not set(kept) <= set(first)
    return {"attempts": max(context.rounds, default=context.round), "additional_context_used": used_more}


def _set_confidence(
    context: StepContext, verification: Verification, findings: Findings, judged: Sequence[Judged]
) -> None:
    """S2.2, S2.4: set the score of the `judged` sentences, after repairs if there are any; V9: set the confidence."""
    states = [] if findings.unasked else [sentence.status for sentence in judged]
    verification.confidence = confidence(states)
    verification.draft_confidence = findings.confidence
    verification.claims_checked = sum(state not in UNCHECKED for state in states)
    verification.claims_supported = states.count(SentenceStatus.SUPPORTED)
    if findings.unasked:
        return
    verification.is_grounded = is_grounded(states)
    set_answer_confidence(context, verification, judged)


def _withdraw(context: StepContext, verification: Verification) -> None:
    """Clear the scores, because "I don't know" claims nothing (V10). What remains of the replaced answer is
    `draft_confidence`, the accuracy of its citations, and whether its checks were made; the history has the rest."""
    verification.overall_score = verification.answer_source_alignment = None
    verification.citation_coverage = verification.fact_verification_score = None
    verification.confidence = verification.confidence_level = verification.calibrated_confidence = None
    verification.calibration = None
    verification.claims_checked = verification.claims_supported = 0
    verification.is_grounded = False
    verification.verified_sources, verification.unverified_claims, verification.suggested_corrections = [], [], []
    verification.issues = [*context.selection["issues"], *left_out_issues(context), *_stopped(context)]
    verification.checks = {
        name: {**made, "claims": []} if "claims" in made else made for name, made in verification.checks.items()
    }


def _judged_after(context: StepContext, statement: Statement, findings: Findings, published: Published) -> Judged:
    repairs, threshold = published.repairs, context.query.options.citation_confidence
    status, checks = state_after_repair(statement, findings, repairs, threshold)
    cited = list(map(cited_span, published.citations))
    return judged_sentence(statement, status, checks, cited, repairs.passages, context.span_chars)


def _unchecked_issues(context: StepContext, findings: Findings, states: Sequence[SentenceStatus]) -> list[str]:
    issues = [*notes_issues(context), *_stopped(context)]
    answerability = context.read(CHECK_ANSWERABILITY)
    if answerability is None or answerability["status"] == "not_checked":
        issues.append("Answerability was not checked.")
    unchecked = 0 if findings.unasked else list(states).count(SentenceStatus.NOT_CHECKED)
    if unchecked:
        issues.append(f"{unchecked} of {len(states)} sentences could not be checked.")
    return issues


def _stopped(context: StepContext) -> list[str]:
    """Return why writing was stopped, if it was; this also applies to an answer that is replaced (N1)."""
    stopped = (context.read(GENERATE) or {}).get("stopped")
    return [stopped] if stopped else []


def _edit_issues(answer: Answer, repairs: Repairs) -> list[str]:
    issues: list[str] = []
    if answer.removed_citations and not answer.abstained:
        numbers = ", ".join(map(str, answer.removed_citations))
        issues.append(f"Citations were removed from the answer: {numbers} (as first numbered).")
    kinds = [edit.kind for edit in repairs.edits.values()]
    for kind in ("reattributed", "rewritten", "dropped"):
        if count := kinds.count(kind):
            issues.append(f"{count} sentence{'s were' if count > 1 else ' was'} {kind} because the check failed.")
    if answer.abstain_reason:
        issues.append(answer.abstain_reason)
    return issues


def _check_json(check: AnswerCheck | None) -> dict[str, Any]:
    """Return a check for the history: from its verdict the reason, whether the answer is supported, and the facts."""
    if check is None:
        return {"status": "not_checked", "reason": "the check left no result"}
    verdict = cast("Mapping[str, Any]", check["verdict"] or {})
    shown = {"shown": check["shown"]} if "shown" in check else {}
    kept = {name: verdict[name] for name in ("claims", "supported") if name in verdict}
    return {"status": check["status"], "reason": check.get("reason") or verdict.get("reason"), **shown, **kept}


def set_answer_confidence(context: StepContext, verification: Verification, judged: Sequence[Judged]) -> None:
    """Set the answer's confidence: a model's verdicts on the statements and on the question are the number; those of
    the offline judges are calibrated."""
    asked = question_of(verification.checks)
    is_question_judged = not context.question.strip() or model_judgement(context) is not None
    calibration = context.calibration
    confidence = confidence_of(
        context.question,
        verification.answer,
        judged,
        asked["probability"] if asked else None,
        calibration,
        is_models_own=judges_by_model(context) and is_question_judged,
    )
    verification.calibrated_confidence, verification.confidence_level = confidence.number, confidence.label
    verification.calibration = _as_stored(calibration, confidence.why_not) if calibration else None


def confidence_json(verification: Verification) -> dict[str, Any]:
    return shown_confidence(verification.calibrated_confidence, verification.confidence_level)


def shown_confidence(number: float | None, word: str | None) -> dict[str, Any]:
    """Return the fields of the confidence from stored columns."""
    return {"confidence": number, "confidence_level": None if number is None else word}


def _as_stored(calibration: Calibration, why_not: str | None) -> dict[str, Any]:
    shown = {"version", "ece", "high", "false_pass", "false_strip", "measured_on"}
    fields = {name: value for name, value in asdict(calibration).items() if name in shown}
    return {**fields, "holds": why_not is None, "reason": why_not}


def stored_signal(query: Query, answer: StoredAnswer | None, judged: StoredVerification | None) -> dict[str, Any]:
    """Return the signal of the answer to a question that succeeded, or of the text that was given for verification."""
    is_given = query.kind == QueryKind.VERIFICATION
    types = {citation.citation_type for citation in answer[1]} if answer else set[str]()
    # A verification that broke says nothing about its sentences (S1.6).
    whole = None if judged is None or "broken" in judged.verification.checks else judged
    return signal_json(
        query,
        abstained=not is_given and answer is not None and answer[0].abstained,
        is_quoted=types == {"direct_quote"},
        states=[sentence.status for sentence in whole.sentences] if whole else None,
        shown=confidence_json(whole.verification) if whole else {"confidence": None, "confidence_level": None},
        question=question_of(whole.verification.checks) if whole else None,
    )


def signal_json(
    query: Query,
    *,
    abstained: bool,
    is_quoted: bool,
    states: Collection[str] | None,
    shown: Mapping[str, Any],
    question: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the signal of an answer from the columns of a list; `shown` is the result of `shown_confidence`."""
    wording: Wording = "quoted" if is_quoted else "copied"
    if query.kind == QueryKind.VERIFICATION or query.provider != "offline":
        wording = "written"
    return signal_of(
        states,
        shown["confidence"],
        question,
        is_asked=bool(query.question.strip()),
        is_measured=shown["confidence_level"] != UNCALIBRATED,
        wording=wording,
        abstained=abstained,
    ).as_json()
