"""Quality metrics over many answers: the seeds' metrics, computed from stored records (S2.7, S3.7).

A metric whose denominator is 0 has no value, and neither meets nor misses its target.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any, Literal

from citewell_verify.verdicts.states import CONFIDENCE_THRESHOLD, UNPROVEN, SentenceStatus, Verdict


@dataclass(frozen=True, slots=True)
class Target:
    """A target for a metric. A value meets it only if it is strictly above or below (`wanted`) the `limit`: 5 % is not
    below 5 %.
    """

    wanted: Literal["below", "above"]
    limit: float

    def met_by(self, value: float) -> bool:
        return value < self.limit if self.wanted == "below" else value > self.limit


HALLUCINATION_TARGET = Target("below", 0.05)
CONFIDENCE_TARGET = Target("above", 0.8)
TRIGGER_TARGET = Target("below", 0.2)
SUCCESS_TARGET = Target("above", 0.7)
"""Row S2.7's four targets."""


@dataclass(frozen=True, slots=True)
class Metric:
    """`value` (None: nothing to divide by) over `count` cases, and whether it meets its target (None: undecided).

    Shares are 0..1; a score gain is -1..1. `copied` of the cases are answers that were copied without a model.
    """

    value: float | None
    count: int
    target: Target | None = None
    met: bool | None = None
    copied: int = 0

    def with_copies(self, copied: int) -> "Metric":
        """The metric with the number of copied answers. If all cases are copies, the target is neither met nor missed,
        because a copy invents nothing.
        """
        return replace(self, copied=copied, met=None if copied == self.count else self.met)

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"value": None if self.value is None else round(self.value, 9)}


@dataclass(frozen=True, slots=True)
class Reranking:
    """One query: the rerank scores 0..1 of the retrieved and of the selected passages, None if unreadable."""

    retrieved: tuple[float | None, ...]
    selected: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class AnswerabilityCheck:
    """One answer: whether the check found it `supported` (None: not checked), and whether it really is (None: no
    label).
    """

    supported: bool | None
    truly_supported: bool | None = None


@dataclass(frozen=True, slots=True)
class RatedAnswer:
    """One answer: its `confidence` (None: it makes no claim), and whether people find it grounded."""

    confidence: float | None
    truly_grounded: bool


@dataclass(frozen=True, slots=True)
class Correction:
    """One verified query: the number of its corrective `rounds`, and the confidence of its first and kept attempts."""

    rounds: int
    first: float | None
    kept: float | None


def score_gain(queries: Iterable[Reranking]) -> Metric:
    """Row S3.7: the mean score of the selected passages minus that of the retrieved, averaged over the queries.

    Unreadable scores are left out, and so is a query without a readable score on either side.
    """
    readable = ((_readable(query.retrieved), _readable(query.selected)) for query in queries)
    gains = [_mean(selected) - _mean(retrieved) for retrieved, selected in readable if retrieved and selected]
    return Metric(_mean(gains) if gains else None, len(gains))


def selection_rate(queries: Sequence[Reranking]) -> Metric:
    """Row S3.7: passages selected over passages retrieved, of all queries together."""
    return _rate(sum(len(query.selected) for query in queries), sum(len(query.retrieved) for query in queries))


def rejection_rate(checks: Iterable[AnswerabilityCheck]) -> Metric:
    """Row S3.7: answers rejected by the answerability check over all answers checked."""
    return _share(not check.supported for check in checks if check.supported is not None)


def false_positive_rate(checks: Iterable[AnswerabilityCheck]) -> Metric:
    """Row S3.7: answers let through over all checked ones that are labelled unsupported."""
    return _share(check.supported for check in checks if check.supported is not None and check.truly_supported is False)


def false_negative_rate(checks: Iterable[AnswerabilityCheck]) -> Metric:
    """Row S3.7: answers rejected over all checked ones that are labelled supported."""
    return _share(not check.supported for check in checks if check.supported is not None and check.truly_supported)


def citation_accuracy(verdicts: Iterable[Verdict | None]) -> Metric:
    """Row S3.7: accurate citations over checked ones; None is a check that was not made."""
    return _share(verdict is Verdict.ACCURATE for verdict in verdicts if verdict is not None)


def cited_claims(cited: Iterable[bool]) -> Metric:
    """Row S3.7's citation coverage: claims with at least one citation over all claims."""
    return _share(cited)


def hallucination_rate(answers: Iterable[Sequence[SentenceStatus]]) -> Metric:
    """Row S2.7: answers with an unsupported or contradicted claim over all answers; below 5 %.

    The seed reviews whole responses, and one invention spoils an answer of any length, so answers are counted, not
    claims. An answer without claims is not counted, nor one without such a claim that has unchecked ones, because its
    state is unknown (N4).
    """
    judged = (_is_hallucinated(states) for states in answers)
    return _share((state for state in judged if state is not None), HALLUCINATION_TARGET)


def unsupported_claim_rate(answers: Iterable[Sequence[SentenceStatus]]) -> Metric:
    """Row S2.7 in detail: unsupported and contradicted claims over all that were checked; no target of its own."""
    states = (state for state in chain.from_iterable(answers) if state is not SentenceStatus.NO_CLAIM)
    return _share(state in UNPROVEN for state in states if state is not SentenceStatus.NOT_CHECKED)


def mean_confidence(answers: Iterable[float | None]) -> Metric:
    known = [confidence for confidence in answers if confidence is not None]
    return Metric(_mean(known) if known else None, len(known))


def confidence_accuracy(answers: Iterable[RatedAnswer], threshold: float = CONFIDENCE_THRESHOLD) -> Metric:
    """Row S2.7: answers whose confidence reaches `threshold` exactly if people find them grounded; above 80 %."""
    rated = (
        (answer.confidence >= threshold) == answer.truly_grounded for answer in answers if answer.confidence is not None
    )
    return _share(rated, CONFIDENCE_TARGET)


def trigger_rate(queries: Iterable[Correction]) -> Metric:
    """Row S2.7: queries with a corrective round over all verified ones; below 20 %."""
    return _share((query.rounds > 0 for query in queries), TRIGGER_TARGET)


def success_rate(queries: Iterable[Correction]) -> Metric:
    """Row S2.7: queries whose kept attempt is more confident than the first, over those with a round; above 70 %.

    An attempt without confidence is no improvement and cannot be improved on.
    """
    improved = (
        query.first is not None and query.kept is not None and query.kept > query.first
        for query in queries
        if query.rounds > 0
    )
    return _share(improved, SUCCESS_TARGET)


def _is_hallucinated(states: Sequence[SentenceStatus]) -> bool | None:
    if any(state in UNPROVEN for state in states):
        return True
    claims = [state for state in states if state is not SentenceStatus.NO_CLAIM]
    return False if claims and SentenceStatus.NOT_CHECKED not in claims else None


def _readable(scores: Iterable[float | None]) -> list[float]:
    return [score for score in scores if score is not None]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _share(cases: Iterable[bool | None], target: Target | None = None) -> Metric:
    known = list(cases)
    return _rate(sum(map(bool, known)), len(known), target)


def _rate(part: int, whole: int, target: Target | None = None) -> Metric:
    value = part / whole if whole else None
    return Metric(value, whole, target, target.met_by(value) if target and value is not None else None)
