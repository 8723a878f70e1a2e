"""Measures how well scores agree with labels: rates, ranking, calibration, and how early a ranking finds its target.

A label is 1 (supported) or 0. A score is P(supported), 0..1, or None if the check failed: a failed check counts as an
error, on the wrong side of 0.5, but never as supported. An undefined measure, for example with only one label, is None.
"""

from collections.abc import Collection, Hashable, Iterable, Sequence

THRESHOLD = 0.5
BINS = 10

_JUST_BELOW = THRESHOLD - 1e-6

Score = float | None


def support_score(*, supported: bool, confidence: float) -> float:
    """Return P(supported) of a verdict; a confidence below 0.5 does not move the score across 0.5."""
    return max(confidence, THRESHOLD) if supported else min(1 - confidence, _JUST_BELOW)


def counted(label: int, score: Score) -> float:
    """Return the score, within 0..1, or for a failed check the wrong score nearest to 0.5."""
    if score is None:
        return _JUST_BELOW if label else THRESHOLD
    return min(1.0, max(0.0, score))


def balanced_accuracy(labels: Sequence[int], scores: Sequence[Score]) -> float | None:
    """Return the mean of the shares of supported and of unsupported pairs on the right side of 0.5."""
    right = [(counted(label, score) >= THRESHOLD) == bool(label) for label, score in zip(labels, scores, strict=True)]
    supported = mean(hit for hit, label in zip(right, labels, strict=True) if label)
    others = mean(hit for hit, label in zip(right, labels, strict=True) if not label)
    return None if supported is None or others is None else (supported + others) / 2


def roc_auc(labels: Sequence[int], scores: Sequence[Score]) -> float | None:
    """Return the probability that a supported pair scores above an unsupported one; equal scores count half."""
    positives = sum(map(bool, labels))
    pairs = positives * (len(labels) - positives)
    if not pairs:
        return None
    values = [counted(label, score) for label, score in zip(labels, scores, strict=True)]
    ranks = sum(rank for rank, label in zip(_ranks(values), labels, strict=True) if label)
    return (ranks - positives * (positives + 1) / 2) / pairs


def ece(labels: Sequence[int], scores: Sequence[Score], bins: int = BINS) -> float | None:
    """Return the expected calibration error: |mean score - share supported|, averaged over bins of equal width.

    A bin's weight is its number of pairs (Naeini, Cooper and Hauskrecht, AAAI 2015).
    """
    gaps = [0.0] * bins
    for label, score in zip(labels, scores, strict=True):
        value = counted(label, score)
        gaps[min(int(value * bins), bins - 1)] += value - bool(label)
    return sum(map(abs, gaps)) / len(labels) if labels else None


def false_pass(labels: Sequence[int], scores: Sequence[Score]) -> float | None:
    """Return the share of unsupported pairs judged supported; a failed check lets nothing pass."""
    return mean(
        score is not None and score >= THRESHOLD for label, score in zip(labels, scores, strict=True) if not label
    )


def false_strip(labels: Sequence[int], scores: Sequence[Score]) -> float | None:
    """Return the share of supported pairs judged unsupported; a failed check strips nothing."""
    return mean(score is not None and score < THRESHOLD for label, score in zip(labels, scores, strict=True) if label)


def found(sought: Collection[Hashable], ranked: Sequence[Hashable], k: int) -> bool:
    """Return whether any of `sought` is among the first `k` of `ranked`; recall@k is the mean of this."""
    return any(key in sought for key in ranked[:k])


def reciprocal_rank(sought: Collection[Hashable], ranked: Sequence[Hashable]) -> float:
    """Return 1 / the place (from 1) of the first of `sought`, 0 when none is ranked."""
    return next((1 / place for place, key in enumerate(ranked, start=1) if key in sought), 0.0)


def mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the ranks from 1, smallest value first; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    first = 0
    for place, index in enumerate(order):
        if place + 1 == len(order) or values[order[place + 1]] != values[index]:
            for equal in order[first : place + 1]:
                ranks[equal] = (first + place) / 2 + 1
            first = place + 1
    return ranks
