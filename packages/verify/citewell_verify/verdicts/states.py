"""Turns checks into verdicts: a citation is accurate, inaccurate or uncertain (S5.4), a sentence in one state (N4)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Literal

from citewell_verify.prompting.judgements import Relation
from citewell_verify.verdicts.ruling import Evidence, Ruling, StoredRuling

CONFIDENCE_THRESHOLD = 0.7


class Verdict(StrEnum):
    """The verdict on one citation."""

    ACCURATE = "accurate"
    INACCURATE = "inaccurate"
    UNCERTAIN = "uncertain"


class SentenceStatus(StrEnum):
    """Row N4: every sentence is in exactly one of these."""

    SUPPORTED = "supported"
    PARTIAL = "partial"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"
    NO_CLAIM = "no_claim"
    NOT_CHECKED = "not_checked"


_SUPPORTED = {SentenceStatus.SUPPORTED.value, SentenceStatus.PARTIAL.value}
UNPROVEN = frozenset({SentenceStatus.CONTRADICTED, SentenceStatus.UNSUPPORTED})
"""The states of a checked sentence that no source carries, or that one denies."""


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """The check of one statement against source `number`, or against all sources for None.

    A check that was not made has status `not_checked`, no judgement, and the reason as its explanation.
    """

    number: int | None
    status: Literal["checked", "not_checked"]
    is_accurate: bool | None
    relation: Relation | None
    confidence: float | None
    explanation: str
    evidence: Evidence | None = None
    decided_by: Literal["model", "evidence"] | None = None
    differences: tuple[str, ...] = ()
    """The differences between statement and source, and additions of the statement, in a few words each."""
    second_look: Mapping[str, Any] | None = None
    """`citewell_verify.verdicts.ruling.SecondLook` as JSON, if the rules doubted the first answer."""

    @classmethod
    def not_checked(cls, number: int | None, reason: str) -> "PairVerdict":
        return cls(number, "not_checked", None, None, None, reason)

    @classmethod
    def from_ruling(cls, number: int, ruling: Ruling, differences: Sequence[str]) -> "PairVerdict":
        return cls.from_json(number, ruling.as_json(differences))

    @classmethod
    def from_json(cls, number: int | None, ruling: StoredRuling) -> "PairVerdict":
        evidence = ruling.get("evidence")
        return cls(
            number=number,
            status="checked",
            is_accurate=ruling["is_accurate"],
            relation=ruling["relation"],
            confidence=ruling["confidence"],
            explanation=ruling["explanation"],
            evidence=Evidence(**evidence) if evidence else None,
            decided_by=ruling.get("decided_by"),
            differences=tuple(ruling.get("differences", ())),
            second_look=ruling.get("second_look"),
        )

    def as_json(self) -> StoredRuling:
        """The ruling that `from_json` reads. Raises ValueError for a check that was not made, which has none."""
        if self.is_accurate is None or self.relation is None or self.confidence is None or self.decided_by is None:
            raise ValueError("A check that was not made has no ruling.")
        return StoredRuling(
            is_accurate=self.is_accurate,
            relation=self.relation,
            confidence=self.confidence,
            explanation=self.explanation,
            decided_by=self.decided_by,
            evidence=asdict(self.evidence) if self.evidence else None,
            second_look=dict(self.second_look) if self.second_look else None,
            differences=list(self.differences),
        )

    def status_at(self, threshold: float) -> str:
        """The published state of the check: its verdict, or `not_checked`."""
        return self.verdict(threshold).value if self.status == "checked" else "not_checked"

    @property
    def support(self) -> float | None:
        """The probability that the source says it, 0..1; None if it was not checked."""
        if self.confidence is None or self.status == "not_checked":
            return None
        return self.confidence if _supports(self) else round(1 - self.confidence, 9)

    def verdict(self, threshold: float = CONFIDENCE_THRESHOLD) -> Verdict:
        """Row S5.4: a judgement counts from confidence `threshold` on; without one the verdict is uncertain.

        A reply whose two fields disagree, such as "accurate" and "contradicts", is uncertain too.
        """
        if self.is_accurate is not None and self.is_accurate != (self.relation == "supports"):
            return Verdict.UNCERTAIN
        return classify(self.is_accurate, self.confidence, threshold)


def classify(is_accurate: bool | None, confidence: float | None, threshold: float = CONFIDENCE_THRESHOLD) -> Verdict:
    """Row S5.4: accurate or inaccurate at confidence >= `threshold`, otherwise uncertain."""
    if is_accurate is None or confidence is None or confidence < threshold:
        return Verdict.UNCERTAIN
    return Verdict.ACCURATE if is_accurate else Verdict.INACCURATE


def sentence_status(
    claim: bool, checks: Sequence[PairVerdict], threshold: float = CONFIDENCE_THRESHOLD
) -> SentenceStatus:
    """Row N4, the first line that applies:

    | the sentence                                           | is           |
    |--------------------------------------------------------|--------------|
    | claims nothing                                         | no_claim     |
    | is confidently contradicted by a source                | contradicted |
    | is confidently supported, and contradicted by none     | supported    |
    | has no check, or one that did not happen               | not_checked  |
    | is partly or not confidently supported, or in dispute  | partial      |
    | is none of these                                       | unsupported  |
    """
    if not claim:
        return SentenceStatus.NO_CLAIM
    contradictions = [check for check in checks if check.relation == "contradicts"]
    if any(_is_confident(check, threshold) for check in contradictions):
        return SentenceStatus.CONTRADICTED
    if any(_supports(check) and _is_confident(check, threshold) for check in checks) and not contradictions:
        return SentenceStatus.SUPPORTED
    if not checks or any(check.status == "not_checked" for check in checks):
        return SentenceStatus.NOT_CHECKED
    if any(_supports(check) or check.relation == "partially_supports" for check in checks):
        return SentenceStatus.PARTIAL
    return SentenceStatus.UNSUPPORTED


def sentence_support(checks: Sequence[PairVerdict]) -> float | None:
    """Return the probability that the sources say the sentence, 0..1; None if no check was made.

    That of its best check, because one source is enough; that of its worst if a source contradicts it.
    """
    supports = [check.support for check in checks if check.support is not None]
    choose = min if any(check.relation == "contradicts" for check in checks) else max
    return choose(supports, default=None)


def is_failing(checks: Sequence[PairVerdict], threshold: float = CONFIDENCE_THRESHOLD) -> bool:
    """Row N5: every check of the sentence is a confident no, or none finds any of it, so it cannot stay as it is."""
    return bool(checks) and all(
        (check.is_accurate is False and check.relation in ("does_not_mention", "contradicts"))
        or check.verdict(threshold) is Verdict.INACCURATE
        for check in checks
    )


def is_ungrounded(states: Collection[str], after: int) -> bool:
    """Say whether at least `after` of the checked sentences lack support, and none has any, even in part (N1).

    Unchecked sentences do not count. Never with `after` 0.
    """
    refused = sum(state in UNPROVEN for state in states)
    return 0 < after <= refused and not any(state in _SUPPORTED for state in states)


def accuracy_rate(verdicts: Sequence[Verdict]) -> float | None:
    """Row S5.6: accurate citations over all citations; None when there is none."""
    return round(verdicts.count(Verdict.ACCURATE) / len(verdicts), 9) if verdicts else None


def _is_confident(check: PairVerdict, threshold: float) -> bool:
    return check.status == "checked" and check.confidence is not None and check.confidence >= threshold


def _supports(check: PairVerdict) -> bool:
    """Return whether a reply supports: its two fields may disagree ("accurate", yet "does not mention")."""
    return check.is_accurate is True and check.relation == "supports"
