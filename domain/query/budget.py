"""The budget of a query: time, corrective rounds, and calls for many items together.

| time   | left out                                                                                     |
|--------|----------------------------------------------------------------------------------------------|
| 50 %   | waiting for models that fail, by steps that the query can do without                         |
| 70 %   | further corrective rounds                                                                    |
| 85 %   | repairs that ask a model: failing citations are removed, failing sentences keep their state   |
| 90 %   | waiting for models that fail, by the step that writes the answer: the rest is left for it     |
| 100 %  | every model call: what was not checked is `not_checked`; without an answer the query fails    |
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from citewell_verify.text.words import words

T = TypeVar("T")


MOST_MESSAGES = 16
"""Messages that the statements of one query are spread over; each reads the whole answer and all earlier results."""


def items_per_message(count: int, size: int) -> int:
    return max(size, -(-count // MOST_MESSAGES))


def batches(items: Sequence[T], size: int) -> list[list[T]]:
    """Split `items` into as few lists of at most `size` as possible, as even as possible, in order."""
    if not items:
        return []
    count = -(-len(items) // size)
    return [list(items[len(items) * number // count : len(items) * (number + 1) // count]) for number in range(count)]


def growing_batches(items: Sequence[T], size: int) -> list[list[T]]:
    """Split `items` into lists of 1, 2, 4 … and at most `size` items, for an early first verdict and still few
    tasks.
    """
    result: list[list[T]] = []
    first, width = 0, 1
    while first < len(items):
        result.append(list(items[first : first + width]))
        first, width = first + width, min(width * 2, size)
    return result


Draft = Literal["complete", "unconfirmed", "unanswerable", "abstained", "failed", "none"]
"""The result of a round's writing: an answer, one whose answerability was not checked, one that the sources do not
support as a whole (S3.4), "I don't know", or nothing."""

WRITTEN: frozenset[Draft] = frozenset({"complete", "unconfirmed", "unanswerable"})
"""The results with an answer to judge."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One round. `confidence` is that of its answer, None without claims; `gaps` is the number of claims without
    support."""

    round: int
    draft: Draft
    confidence: float | None
    gaps: int


def needs_correction(attempt: Attempt, threshold: float, max_attempts: int) -> bool:
    """Row S2.3: True if an answer below the `threshold` has unsupported claims and rounds are left.

    Without unsupported claims there is nothing to search for: a low score then comes from checks that were not made.
    """
    if attempt.draft not in WRITTEN or attempt.round >= max_attempts or not attempt.gaps:
        return False
    return attempt.confidence is not None and round(attempt.confidence, 9) < threshold


def best_round(attempts: Sequence[Attempt]) -> int:
    """Row S2.3: the number of the round to publish; of equal rounds, the earlier one.

    In order, these are preferred: an answer with some support; "I don't know", or an answer that would be replaced by
    it; an answer with unchecked answerability, because a failed check is no yes; an answer with no support; a failure.
    Within each of these, confidence counts. Raises ValueError without attempts.
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
    """Return at most `most` of `texts` as search queries: each on one line, not too long, once, and with a word."""
    plain = (" ".join(text.replace("\x00", "").split())[:_LONGEST_QUERY] for text in texts)
    return list(dict.fromkeys(text for text in plain if any(map(str.isalnum, text))))[:most]


def new_queries(texts: Iterable[str], known: Iterable[str], most: int) -> list[str]:
    """Return `usable_queries` of `texts` without the `known` ones; case and punctuation make no difference."""
    seen = {_same(text) for text in known}
    queries: list[str] = []
    for text in usable_queries(texts):
        if (key := _same(text)) not in seen:
            seen.add(key)
            queries.append(text)
    return queries[:most]


def _same(text: str) -> str:
    return " ".join(words(text))


NO_OPTIONAL_WAIT = 0.50
NO_ROUND = 0.70
NO_REPAIR = 0.85
NO_WAIT = 0.90
NO_CALL = 1.0

DEADLINE, CEILING = "deadline_exceeded", "cost_ceiling"
CODES = frozenset({DEADLINE, CEILING})


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds since acceptance and US dollars spent, with their limits; None means no limit."""

    used_s: float = 0.0
    deadline_s: float | None = None
    spent_usd: float = 0.0
    max_cost_usd: float | None = None

    @property
    def left_s(self) -> float | None:
        """Seconds until the deadline, negative after it; None without one."""
        return None if self.deadline_s is None else self.deadline_s - self.used_s

    def until_s(self, share: float) -> float | None:
        """Seconds until this share of the time is used, negative after it; None without a deadline."""
        return None if self.deadline_s is None else share * self.deadline_s - self.used_s

    @property
    def time_share(self) -> float:
        """The share of the time used; above 1 after the deadline."""
        return self.used_s / self.deadline_s if self.deadline_s else 0.0

    @property
    def cost_share(self) -> float:
        return self.spent_usd / self.max_cost_usd if self.max_cost_usd else 0.0

    def has_used(self, share: float) -> bool:
        return max(self.time_share, self.cost_share) >= share

    @property
    def code(self) -> str:
        return DEADLINE if self.time_share >= self.cost_share else CEILING

    @property
    def reason(self) -> str:
        if self.code == DEADLINE:
            if self.time_share >= NO_CALL:
                return "the query's deadline passed"
            return f"{self.time_share:.0%} of the query's time was used"
        if self.cost_share >= NO_CALL:
            return "the query's cost ceiling was reached"
        return f"{self.cost_share:.0%} of the query's cost ceiling was spent"
