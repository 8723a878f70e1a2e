"""Weighted verification (S1): three scores, one overall score, and the issues that follow from them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from citewell_verify.answers.references import strip_references
from citewell_verify.entities.quantities import latin_letters
from citewell_verify.markers.citable import SourceNames
from citewell_verify.markers.parser import cited_markers
from citewell_verify.markers.stripping import plain_text
from citewell_verify.text.words import words

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


@dataclass(frozen=True, slots=True)
class Part:
    """One of the three scores; `not_checked` and `fallback` are reported with it, together with the reason."""

    score: float
    status: Literal["checked", "fallback", "not_checked"] = "checked"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Weights:
    """Row S1.5; need not add up to 1, because they are normalised."""

    alignment: float = 0.4
    coverage: float = 0.3
    facts: float = 0.3


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Row S1.5: a score below its threshold is an issue."""

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
    """Row S1.4: verified claims over all claims. An answer without a factual claim has no wrong one: 1.0."""
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
    """Tells which sources an answer names by one of their identifiers, in any case."""

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
        """Return whether the answer has a name without a letter or digit beside it."""
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
