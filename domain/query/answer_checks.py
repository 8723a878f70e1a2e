"""The checks of an answer as a whole, each with its verdict; null where none was given. Stored as JSON."""

from typing import Literal, NotRequired, TypedDict

from citewell_verify.judging.statement import Check
from citewell_verify.verification.sentences import KeyFact


class Score(TypedDict):
    """0..1."""

    score: float


class CoverageChecked(Check):
    """S1.3."""

    verdict: Score | None


class AlignmentVerdict(Score):
    """S1.2 and V8: the model's reply; where words replace the model, a score and the reason alone."""

    reason: str
    asked: NotRequired[str]
    open_parts: NotRequired[list[str]]
    answers: NotRequired[Literal["yes", "partly", "no"]]


class AlignmentChecked(Check):
    """S1.2 and V8."""

    verdict: AlignmentVerdict | None


class AnswerabilityVerdict(TypedDict):
    """S3.4: whether all of the answer is in the passages, and why."""

    reason: str
    supported: bool


class AnswerabilityChecked(Check):
    """S3.4."""

    verdict: AnswerabilityVerdict | None


class KeyFacts(TypedDict):
    """S1.4."""

    claims: list[KeyFact]


class FactsChecked(Check):
    """S1.4: derived from the verdicts on the sentences; a step stores one only if the request left the check out."""

    verdict: KeyFacts | None


class Corrections(TypedDict):
    """S2.1."""

    corrections: list[str]


class ClaimsChecked(Check):
    """S2.1: derived and stored as `FactsChecked`."""

    verdict: Corrections | None


AnswerCheck = AlignmentChecked | CoverageChecked | AnswerabilityChecked | FactsChecked | ClaimsChecked
