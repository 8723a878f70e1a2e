"""Turns checks into verdicts: a citation is accurate, inaccurate or uncertain (S5.4), and a sentence is in one state
(N4). Computes the three weighted scores of an answer, its overall score, and the issues that follow from them (S1)."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Literal

from citewell_verify.answers.translation import strip_references
from citewell_verify.entities.quantities import latin_letters
from citewell_verify.markers.citable import SourceNames
from citewell_verify.markers.parser import cited_markers
from citewell_verify.markers.stripping import plain_text
from citewell_verify.prompting.judgements import Relation
from citewell_verify.text.words import words
from citewell_verify.verdicts.ruling import Evidence, Ruling, StoredRuling

CONFIDENCE_THRESHOLD = 0.7


ALIGNMENT_ISSUE = "Answer may not be well-supported by retrieved sources"
COVERAGE_ISSUE = "Many sources are not cited in the answer"
FACTS_ISSUE = "Some claims in the answer could not be verified"
FACTS_WHEN_NOT_CHECKED = 0.5
"""Row S1.4: the score if the model failed; the check is still reported as not checked."""
_WORD = re.compile(r"\w+")
_PATTERN_BONUS, _MAX_BONUS = 0.1, 0.3
_PATTERNS = re.compile(
    r"[\[(]\s?(?:source|출처)\s?[:：](?!\s?\d+\s?[\])])[^\[\]()\n]{1,80}[\])]"
    r"|\baccording to\b|\bper the filing\b|\bin the (?:[\w./-]+\s){0,5}filing\b|에 따르면",
    re.IGNORECASE,
)


class Verdict(StrEnum):
    """The verdict on one citation."""

    ACCURATE = "accurate"
    INACCURATE = "inaccurate"
    UNCERTAIN = "uncertain"


class SentenceStatus(StrEnum):
    """Row N4: every sentence is in exactly one of these states."""

    SUPPORTED = "supported"
    PARTIAL = "partial"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"
    NO_CLAIM = "no_claim"
    NOT_CHECKED = "not_checked"


_SUPPORTED = {SentenceStatus.SUPPORTED.value, SentenceStatus.PARTIAL.value}
UNPROVEN = frozenset({SentenceStatus.CONTRADICTED, SentenceStatus.UNSUPPORTED})
"""The states of a checked sentence that no source supports, or that a source denies."""


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
        """The ruling in the form that `from_json` reads. Raises ValueError for a check that was not made."""
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
        """The probability that the source states the sentence, 0..1; None if it was not checked."""
        if self.confidence is None or self.status == "not_checked":
            return None
        return self.confidence if _supports(self) else round(1 - self.confidence, 9)

    def verdict(self, threshold: float = CONFIDENCE_THRESHOLD) -> Verdict:
        """Row S5.4: a judgement counts from confidence `threshold` on; without a judgement the verdict is uncertain.

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
    """Return the probability that the sources state the sentence, 0..1; None if no check was made.

    It is the probability of the best check, because one source is enough, or that of the worst check if a source
    contradicts the sentence.
    """
    supports = [check.support for check in checks if check.support is not None]
    choose = min if any(check.relation == "contradicts" for check in checks) else max
    return choose(supports, default=None)


def is_failing(checks: Sequence[PairVerdict], threshold: float = CONFIDENCE_THRESHOLD) -> bool:
    """Row N5: True if every check of the sentence is a confident no, or finds no part of it, so that it cannot stay as
    it is.
    """
    return bool(checks) and all(
        (check.is_accurate is False and check.relation in ("does_not_mention", "contradicts"))
        or check.verdict(threshold) is Verdict.INACCURATE
        for check in checks
    )


def is_ungrounded(states: Collection[str], after: int) -> bool:
    """Return whether at least `after` of the checked sentences lack support, and none is supported, not even in part
    (N1).

    Unchecked sentences do not count. False if `after` is 0.
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


@dataclass(frozen=True, slots=True)
class Part:
    """One of the three scores; `not_checked` and `fallback` are reported with the score, together with the reason."""

    score: float
    status: Literal["checked", "fallback", "not_checked"] = "checked"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of row S1.5. They need not add up to 1, because they are normalised."""

    alignment: float = 0.4
    coverage: float = 0.3
    facts: float = 0.3


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The thresholds of row S1.5: a score below its threshold is an issue."""

    alignment: float = 0.5
    coverage: float = 0.5
    facts: float = 0.7


def keyword_overlap(answer: str, chunks: Sequence[str]) -> float:
    """Row S1.2's fallback: the share of the answer's words found in a chunk, averaged over the chunks; 0..1."""
    wanted = set(words(plain_text(answer).text))
    if not wanted or not chunks:
        return 0.0
    return _tidy(sum(len(wanted & set(words(chunk))) / len(wanted) for chunk in chunks) / len(chunks))


def citation_coverage(answer: str, sources: Sequence[SourceNames]) -> float:
    """Row S1.3: `min(found/total + min(0.1 * patterns, 0.3), 1)`.

    `total` are the sources that the answer was written from, numbered from 1. A source is found when a marker points to
    it or the answer has one of its identifiers; a list of references at the end cites nothing. Each marker that points
    to a source, each `[Source: AAPL 10-Q 2023]` and each phrase like "according to" is a pattern.
    """
    if not sources:
        return 0.0
    answer = strip_references(answer)
    markers = cited_markers(answer)
    cited = {number for marker in markers for number in marker.numbers}
    is_named = _Named(answer)
    known = range(1, len(sources) + 1)
    cited_sources = sum(number in cited or is_named(source) for number, source in zip(known, sources, strict=True))
    pointing = sum(any(number in known for number in marker.numbers) for marker in markers)
    patterns = pointing + len(_PATTERNS.findall(answer))
    return _tidy(min(cited_sources / len(sources) + min(_PATTERN_BONUS * patterns, _MAX_BONUS), 1.0))


def facts_score(verified: Sequence[bool]) -> float:
    """Row S1.4: verified claims over all claims. The score is 1.0 for an answer without a factual claim, which has no
    wrong one.
    """
    return _tidy(sum(verified) / len(verified)) if verified else 1.0


def overall(alignment: Part, coverage: Part, facts: Part, weights: Weights) -> float:
    """Row S1.5: the weighted mean of the three scores. Raises ValueError when no weight is positive."""
    total = weights.alignment + weights.coverage + weights.facts
    if total <= 0:
        raise ValueError("at least one weight of the verification must be positive")
    weighted = alignment.score * weights.alignment + coverage.score * weights.coverage + facts.score * weights.facts
    return _tidy(weighted / total)


def issues(alignment: Part, coverage: Part, facts: Part, thresholds: Thresholds) -> list[str]:
    """Row S1.5's messages for low scores, then one for each part that was not checked as intended."""
    low = [
        (alignment.score < thresholds.alignment, ALIGNMENT_ISSUE),
        (coverage.score < thresholds.coverage, COVERAGE_ISSUE),
        (facts.score < thresholds.facts, FACTS_ISSUE),
    ]
    parts = {"Alignment": alignment, "Citation coverage": coverage, "Facts": facts}
    unchecked = [
        f"{name}: {part.status.replace('_', ' ')} ({part.reason})"
        for name, part in parts.items()
        if part.status != "checked"
    ]
    return [message for applies, message in low if applies] + unchecked


def _tidy(score: float) -> float:
    """Return a score without the rounding errors of sums of tenths: 0.9892, not 0.9892000000000001."""
    return round(score, 9)


class _Named:
    """Finds the sources that an answer names by one of their identifiers, in upper or lower case."""

    def __init__(self, answer: str) -> None:
        self._answer = _folded(answer)
        self._words = frozenset(_WORD.findall(self._answer))
        self._known: dict[str, bool] = {}

    def __call__(self, source: SourceNames) -> bool:
        # Combinations ("AAPL 10-Q 2023") contain the single parts. A name that is one plain word ("Returns")
        # identifies nothing: answers use such words.
        names = (*source.parts, *(name for name in source.whole if not name.isalpha()))
        for name in names:
            if name not in self._known:
                self._known[name] = self._is_there(_folded(name))
            if self._known[name]:
                return True
        return False

    def _is_there(self, name: str) -> bool:
        """Return whether the answer has a name that has no letter or digit directly beside it."""
        # A name with a word that the answer lacks is not searched for.
        place = self._answer.find(name) if self._words.issuperset(_WORD.findall(name)) else -1
        if place < 0:
            return False
        end = place + len(name)
        if not _WORD.search(f"{self._answer[max(0, place - 1) : place]} {self._answer[end : end + 1]}"):
            return True
        return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)").search(self._answer, place) is not None


def _folded(text: str) -> str:
    return latin_letters(text).lower().replace("ς", "σ")  # the final sigma of a word in small letters
