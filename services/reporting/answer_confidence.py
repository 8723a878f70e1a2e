"""The single confidence of an answer (V9), stored with its verification and read back in one way."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from db.models import Verification
from domain.question import answer_relevance, question_of
from domain.question.relevance import measured_languages
from domain.verdicts.answer_confidence import answer_confidence, confidence_label, why_uncalibrated
from domain.verdicts.calibration import Calibration
from domain.verdicts.states import SentenceStatus
from services.core.context import StepContext
from services.judging.question_answered import judges_by_model, model_judgement
from services.reporting.rows import Judged, calibrated_support


def set_answer_confidence(context: StepContext, verification: Verification, judged: Sequence[Judged]) -> None:
    """A model's verdicts on the statements and on the question are the number; the offline ones are fitted."""
    supports = [calibrated_support(context, each) for each in judged if each.status is not SentenceStatus.NO_CLAIM]
    asked = question_of(verification.checks)
    relevance = asked["probability"] if asked else answer_relevance(context.question, verification.answer)
    is_relevance_judged = not context.question.strip() or model_judgement(context) is not None
    is_models_own = judges_by_model(context) and is_relevance_judged
    calibration = context.calibration
    measured = () if is_models_own else measured_languages()
    why_not = why_uncalibrated(verification.answer, calibration, context.question, measured) if calibration else None
    number = answer_confidence(supports, relevance)
    verification.calibrated_confidence = number
    verification.confidence_level = confidence_label(number, calibration, why_not, is_models_own=is_models_own)
    verification.calibration = _as_stored(calibration, why_not) if calibration else None


def confidence_json(verification: Verification) -> dict[str, Any]:
    return shown_confidence(verification.calibrated_confidence, verification.confidence_level)


def shown_confidence(number: float | None, word: str | None) -> dict[str, Any]:
    """Return the same fields from stored columns."""
    return {"confidence": number, "confidence_level": None if number is None else word}


def _as_stored(calibration: Calibration, why_not: str | None) -> dict[str, Any]:
    shown = {"version", "ece", "high", "false_pass", "false_strip", "measured_on"}
    fields = {name: value for name, value in asdict(calibration).items() if name in shown}
    return {**fields, "holds": why_not is None, "reason": why_not}
