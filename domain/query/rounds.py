"""Decides when an answer gets another corrective round, which searches it makes, and which attempt is kept (S2.3)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from citewell_verify.text.words import words

Draft = Literal["complete", "unconfirmed", "unanswerable", "abstained", "failed", "none"]
"""The result of a round's writing: an answer, one whose answerability was not checked, one that the sources do not
support as a whole (S3.4), "I don't know", or nothing."""

WRITTEN: frozenset[Draft] = frozenset({"complete", "unconfirmed", "unanswerable"})
"""The results with an answer to judge."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One round. `confidence` is that of its answer, None without claims; `gaps` the number of claims without
    support."""

    round: int
    draft: Draft
    confidence: float | None
    gaps: int


def needs_correction(attempt: Attempt, threshold: float, max_attempts: int) -> bool:
    """Row S2.3: an answer below the `threshold` with unsupported claims, while rounds are left.

    Without such claims there is nothing to search for: a low score then comes from checks that were not made.
    """
    if attempt.draft not in WRITTEN or attempt.round >= max_attempts or not attempt.gaps:
        return False
    return attempt.confidence is not None and round(attempt.confidence, 9) < threshold


def best_round(attempts: Sequence[Attempt]) -> int:
    """Row S2.3: the round to publish; the earlier of equals.

    An answer with some support beats "I don't know" and what would become it, which beats an answer with unchecked
    answerability (a failed check is no yes), which beats one with no support, and anything beats a failure; then
    confidence counts.
    Raises ValueError without attempts.
    """
    return max(attempts, key=lambda attempt: (*_worth(attempt), -attempt.round)).round


_WORTH: dict[Draft, int] = {"complete": 4, "unanswerable": 3, "abstained": 3, "none": 3, "unconfirmed": 2, "failed": 0}
_WORTHLESS = 1


def _worth(attempt: Attempt) -> tuple[int, float]:
    worth, confidence = _WORTH[attempt.draft], attempt.confidence
    if attempt.draft in ("complete", "unconfirmed") and confidence == 0:
        return _WORTHLESS, 0.0
    return worth, 0.0 if confidence is None else confidence


_LONGEST_QUERY = 300


def usable_queries(texts: Iterable[str], most: int | None = None) -> list[str]:
    """Return at most `most` of `texts` as searches: on one line, not too long, each once, none without a word."""
    plain = (" ".join(text.replace("\x00", "").split())[:_LONGEST_QUERY] for text in texts)
    return list(dict.fromkeys(text for text in plain if any(map(str.isalnum, text))))[:most]


def new_queries(texts: Iterable[str], known: Iterable[str], most: int) -> list[str]:
    """Return `usable_queries` without the `known` ones; case and punctuation make no difference."""
    seen = {_same(text) for text in known}
    queries: list[str] = []
    for text in usable_queries(texts):
        if (key := _same(text)) not in seen:
            seen.add(key)
            queries.append(text)
    return queries[:most]


def _same(text: str) -> str:
    return " ".join(words(text))
