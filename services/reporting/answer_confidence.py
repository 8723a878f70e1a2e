"""The single confidence of an answer (V9), stored with its verification and read back in one way."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from citewell_verify.question.verdict import question_of
from citewell_verify.verdicts.calibration import Calibration
from citewell_verify.verification.confidence import confidence_of
from citewell_verify.verification.sentences import Judged
from db.models import Verification
from services.core.context import StepContext
from services.judging.question_answered import judges_by_model, model_judgement


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
