"""The report on a verified answer as plain values: no row of a database, no setting, no connection."""

from dataclasses import dataclass

from citewell_verify.verdicts.states import SentenceStatus


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """The words of a source: `text` is at `start:end`, in code points, of source number `source` (from 1)."""

    source: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class ReportedSentence:
    """The sentence at `start:end` of the answer as it was given; `text` lacks its citation markers.

    `reason` says why the sentence has its status. `support` is the probability that the sources say it, 0..1; None if
    nothing was checked. `evidence` has the words that support or contradict it.
    """

    start: int
    end: int
    text: str
    status: SentenceStatus
    reason: str
    support: float | None
    evidence: SourceSpan | None


@dataclass(frozen=True, slots=True)
class Report:
    """The result of the verification of an answer.

    `repaired` is the answer with failing sentences rewritten or dropped and wrong citations removed: equal to `answer`
    if nothing had to change, and a refusal if no claim could be kept. `is_grounded` and `confidence` (V9, with its
    level) are about the answer as it was given, `repaired_is_grounded` is about the repaired one. `issues` are remarks
    on the whole answer.
    """

    answer: str
    sentences: tuple[ReportedSentence, ...]
    repaired: str
    is_grounded: bool | None
    repaired_is_grounded: bool | None
    confidence: float | None
    confidence_level: str | None
    issues: tuple[str, ...]

    @property
    def supported_share(self) -> float | None:
        """The share, 0..1, of the claims that the sources support; None if no sentence claims anything."""
        claims = [sentence for sentence in self.sentences if sentence.status is not SentenceStatus.NO_CLAIM]
        supported = sum(sentence.status is SentenceStatus.SUPPORTED for sentence in claims)
        return supported / len(claims) if claims else None
