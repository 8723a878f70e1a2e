"""The checks of an answer as a whole, stored as JSON. Each has its verdict, or null if none was given."""

from typing import Literal, NotRequired, TypedDict

from citewell_verify.judging.statement import Check
from citewell_verify.verification.sentences import KeyFact


class Score(TypedDict):
    """A score from 0 to 1."""

    score: float


class CoverageChecked(Check):
    """The check of the citation coverage (S1.3)."""

    verdict: Score | None


class AlignmentVerdict(Score):
    """The model's reply on the alignment of the answer with the question (S1.2, V8). If a comparison of words replaces
    the model, the verdict has only a score and the reason.
    """

    reason: str
    asked: NotRequired[str]
    open_parts: NotRequired[list[str]]
    answers: NotRequired[Literal["yes", "partly", "no"]]


class AlignmentChecked(Check):
    """The check of the alignment of the answer with the question (S1.2, V8)."""

    verdict: AlignmentVerdict | None


class AnswerabilityVerdict(TypedDict):
    """The verdict whether all of the answer is in the passages, and the reason for it (S3.4)."""

    reason: str
    supported: bool


class AnswerabilityChecked(Check):
    """The check whether all of the answer is in the passages (S3.4)."""

    verdict: AnswerabilityVerdict | None


class KeyFacts(TypedDict):
    """The key claims of the answer, with their verdicts (S1.4)."""

    claims: list[KeyFact]


class FactsChecked(Check):
    """The check of the key claims (S1.4). It is derived from the verdicts on the sentences; a step stores it only if
    the request left the check out.
    """

    verdict: KeyFacts | None


class Corrections(TypedDict):
    """The suggested corrections of the answer (S2.1)."""

    corrections: list[str]


class ClaimsChecked(Check):
    """The check of all claims (S2.1), which is derived and stored in the same way as `FactsChecked`."""

    verdict: Corrections | None


AnswerCheck = AlignmentChecked | CoverageChecked | AnswerabilityChecked | FactsChecked | ClaimsChecked
