"""One confidence per answer (V9): the probability that its sources support all of it and that it answers its question.

An answer is as well supported as its weakest statement. The product over all statements would be right if a verifier's
errors were independent, but its errors about one text go together. On seven collections of answers with several
sentences the minimum is off by 0.13 from the share that is right, the product by 0.19, the mean by 0.17 (ECE).
"""

from collections.abc import Sequence
from typing import Final

from citewell_verify.text.languages import language_of, name_of
from citewell_verify.verdicts.calibration import Calibration
from citewell_verify.verdicts.confidence import level

UNKNOWN_SUPPORT: Final = 0.5
"""The support of an unchecked statement: nothing speaks for it and nothing against it (N4)."""

UNCALIBRATED: Final = "Uncalibrated"
"""The label of a number without a measured calibration."""


def answer_confidence(supports: Sequence[float | None], relevance: float = 1.0) -> float | None:
    """Return the probability, 0..1 in hundredths, that all of the answer is supported and answers the question.

    `supports` has the calibrated support of every sentence that claims something, None for one that was not checked.
    `relevance` is the probability that the answer, if it is true, answers the question; 1 when nothing was asked.
    None when nothing was claimed or nothing was checked: then there is nothing to be confident about (S2.6, N4).
    """
    if all(support is None for support in supports):
        return None
    weakest = min(UNKNOWN_SUPPORT if support is None else support for support in supports)
    # Every interface shows hundredths: the same answer must not be 0.90 in one place and 89 % in another.
    return round(min(max(weakest * relevance, 0.0), 1.0), 2)


def confidence_label(
    confidence: float | None,
    calibration: Calibration | None,
    why_not: str | None = None,
    *,
    is_models_own: bool = False,
) -> str | None:
    """Return the label of a confidence, one of S2.2's levels or `UNCALIBRATED`; None without one.

    With a calibration, High only where at least 9 of 10 answers were right on data that it had not seen; Uncalibrated
    where it does not apply because of `why_not` (`why_uncalibrated`). Without one, the level of a number that
    `is_models_own`: a model judged the statements and the question, and says how sure it is.
    """
    if confidence is None:
        return None
    if calibration is None and is_models_own:
        return level(confidence)
    if calibration is None or why_not:
        return UNCALIBRATED
    is_high = calibration.high is not None and confidence >= calibration.high
    return level(confidence if is_high else min(confidence, _BELOW_HIGH))


def why_uncalibrated(
    answer: str, calibration: Calibration, question: str = "", asked_in: Sequence[str] = ()
) -> str | None:
    """Return, as a sentence, why the calibration does not apply to this answer; None where it does.

    `asked_in` are the languages of the questions that the relevance was measured on: support may be known in a language
    in which nobody has measured how well an answer fits its question.
    """
    if calibration.languages and (language := language_of(answer, question)) not in calibration.languages:
        measured = " and ".join(map(name_of, calibration.languages))
        return f"The calibration was measured on texts in {measured}; this answer is in {name_of(language)}."
    if question.strip() and asked_in and (language := language_of(question, answer)) not in asked_in:
        measured = " and ".join(map(name_of, asked_in))
        return (
            f"How well an answer fits its question was measured on questions in {measured}; this one is in "
            f"{name_of(language)}."
        )
    return None


_BELOW_HIGH = 0.89
