"""The single confidence of a verified answer (V9): how surely its sources support it and it answers its question."""

from collections.abc import Sequence
from dataclasses import dataclass

from citewell_verify.question.relevance import answer_relevance, measured_languages
from citewell_verify.verdicts.answer_confidence import answer_confidence, confidence_label, why_uncalibrated
from citewell_verify.verdicts.calibration import Calibration
from citewell_verify.verdicts.states import SentenceStatus
from citewell_verify.verification.sentences import Judged, calibrated_support


@dataclass(frozen=True, slots=True)
class AnswerConfidence:
    """`number` is a probability, 0..1 in hundredths; None where nothing was claimed or checked. `label` is its level.

    `why_not` says why the calibration of the judge does not apply to this answer, if it does not.
    """

    number: float | None
    label: str | None
    why_not: str | None


def confidence_of(
    question: str,
    answer: str,
    judged: Sequence[Judged],
    probability: float | None,
    calibration: Calibration | None,
    *,
    is_models_own: bool,
) -> AnswerConfidence:
    """Return the confidence of `answer` from its `judged` sentences and the `probability` that it answers `question`.

    None for the probability: it is computed from the words of both. `is_models_own`: a language model judged the
    statements and the question, so its verdicts are the number; those of the rules are fitted.
    """
    supports = [
        calibrated_support(sentence, calibration)
        for sentence in judged
        if sentence.status is not SentenceStatus.NO_CLAIM
    ]
    relevance = answer_relevance(question, answer) if probability is None else probability
    measured = () if is_models_own else measured_languages()
    why_not = why_uncalibrated(answer, calibration, question, measured) if calibration else None
    number = answer_confidence(supports, relevance)
    return AnswerConfidence(
        number, confidence_label(number, calibration, why_not, is_models_own=is_models_own), why_not
    )
