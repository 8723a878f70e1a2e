"""The single confidence of a stored answer (V9), and the signal that follows (V10), which is never stored."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from citewell_verify.question.relevance import question_of
from citewell_verify.verdicts.confidence import UNCALIBRATED, Calibration
from citewell_verify.verification.claims import confidence_of
from citewell_verify.verification.sentences import Judged
from db.models import Query, QueryKind, Verification
from db.queries.runs.results import StoredAnswer, StoredVerification
from domain.quality.signal import Wording, signal_of
from services.core.context import StepContext
from services.judging.relevance import judges_by_model, model_judgement


def set_answer_confidence(context: StepContext, verification: Verification, judged: Sequence[Judged]) -> None:
    """A model's verdicts on the statements and on the question are the number; the offline ones are fitted."""
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
    """Return the same fields from stored columns."""
    return {"confidence": number, "confidence_level": None if number is None else word}


def _as_stored(calibration: Calibration, why_not: str | None) -> dict[str, Any]:
    shown = {"version", "ece", "high", "false_pass", "false_strip", "measured_on"}
    fields = {name: value for name, value in asdict(calibration).items() if name in shown}
    return {**fields, "holds": why_not is None, "reason": why_not}


def stored_signal(query: Query, answer: StoredAnswer | None, judged: StoredVerification | None) -> dict[str, Any]:
    """The signal of the answer of a question that succeeded, or of the text that was given for verification."""
    is_given = query.kind == QueryKind.VERIFICATION
    types = {citation.citation_type for citation in answer[1]} if answer else set[str]()
    # A verification that broke says nothing of its sentences (S1.6).
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
    """The signal of an answer from columns of a list; `shown` is what `shown_confidence` returns."""
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
