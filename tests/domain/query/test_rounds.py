"""Corrective rounds: when there is another one, and which attempt is kept (S2.3)."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.query.budget import Attempt, Draft, best_round, needs_correction
from verify_material.rows import for_all_rows

DRAFTS: tuple[Draft, ...] = get_args(Draft)
hundredths = st.integers(0, 100).map(lambda n: n / 100)
attempts = st.builds(
    Attempt, st.integers(0, 5), st.sampled_from(DRAFTS), st.none() | hundredths, st.sampled_from([0, 0, 1, 8])
)


def attempt(confidence: float | None, *, gaps: int = 1, round_: int = 0, draft: Draft = "complete") -> Attempt:
    return Attempt(round_, draft, confidence, gaps)


def history(*drafts: tuple[Draft, float | None]) -> list[Attempt]:
    return [Attempt(number, draft, confidence, 1) for number, (draft, confidence) in enumerate(drafts)]


def with_round(tried: list[Attempt]) -> list[Attempt]:
    return [Attempt(number, earlier.draft, earlier.confidence, earlier.gaps) for number, earlier in enumerate(tried)]


@for_all_rows(
    ("last", "most", "expected"),
    [
        (attempt(0.69), 2, True),
        (attempt(0.7), 2, False),
        (attempt(0.8 - 0.1), 2, False),  # 0.7000000000000001 and
        (attempt(0.1 + 0.2 + 0.4), 2, False),  # 0.7000000000000001 by another way
        (attempt(1 - 0.3), 2, False),
        (attempt(0.9 - 0.1 - 0.1), 2, False),  # 0.7000000000000001 or 0.69999…: a rounding error is no lack
        (attempt(0.0), 2, True),
        (attempt(0.0, gaps=0), 2, False),
        (attempt(None), 2, False),
        (attempt(0.0, round_=1), 2, True),
        (attempt(0.0, round_=2), 2, False),
        (attempt(0.0), 0, False),
        (attempt(0.0, draft="unanswerable"), 2, True),
        (attempt(0.0, draft="abstained"), 2, False),
        (attempt(0.0, draft="failed"), 2, False),
        (attempt(0.0, draft="none"), 2, False),
    ],
)
def test_a_round_follows_below_the_threshold_with_gaps_while_there_are_some(
    last: Attempt, most: int, expected: bool
) -> None:  # S2.3
    assert needs_correction(last, 0.7, most) is expected


@given(attempts, hundredths, st.integers(0, 5))
def test_a_round_follows_exactly_then(last: Attempt, threshold: float, most: int) -> None:  # S2.3
    written = last.draft in ("complete", "unconfirmed", "unanswerable")
    lacking = last.confidence is not None and last.confidence < threshold
    expected = written and lacking and last.gaps > 0 and last.round < most
    assert needs_correction(last, threshold, most) is expected


@given(st.floats(0, 1), st.integers(0, 3))
def test_a_threshold_of_zero_or_no_gaps_never_ask_for_a_round(confidence: float, most: int) -> None:  # S2.3
    assert not needs_correction(attempt(confidence), 0.0, most)
    assert not needs_correction(attempt(confidence, gaps=0), 1.0, most)


@for_all_rows(
    ("drafts", "kept"),
    [
        ([("complete", 0.4)], 0),
        ([("complete", 0.4), ("complete", 0.8)], 1),
        ([("complete", 0.4), ("complete", 0.8), ("complete", 0.6)], 1),
        ([("complete", 0.6), ("complete", 0.4)], 0),
        ([("complete", 0.5), ("complete", 0.5), ("complete", 0.5)], 0),
        ([("complete", 0.1), ("failed", None)], 0),
        ([("complete", 0.0), ("failed", None)], 0),
        ([("complete", 0.1), ("abstained", None)], 0),
        ([("complete", 0.1), ("none", None)], 0),
        ([("complete", 0.0), ("abstained", None)], 1),
        ([("complete", 0.0), ("none", None)], 1),
        ([("unanswerable", 0.9), ("complete", 0.1)], 1),
        ([("unanswerable", 0.9), ("complete", 0.0)], 0),
        ([("unanswerable", 0.1), ("unanswerable", 0.9)], 1),
        ([("unanswerable", 0.1), ("unconfirmed", 0.9)], 0),
        ([("unconfirmed", 0.1), ("complete", 0.1)], 1),
        ([("complete", 0.0), ("unconfirmed", 0.1)], 1),
        ([("unanswerable", 0.9), ("failed", None)], 0),
        ([("complete", 0.4), ("complete", None)], 0),
    ],
)
def test_the_kept_attempt_is_the_one_with_most_support(
    drafts: list[tuple[Draft, float | None]], kept: int
) -> None:  # S2.3
    assert best_round(history(*drafts)) == kept


@given(st.lists(hundredths, min_size=1, max_size=6))
def test_of_answers_the_most_confident_is_kept_and_the_earlier_of_equals(confidences: list[float]) -> None:  # S2.3
    tried = [attempt(confidence, round_=number) for number, confidence in enumerate(confidences)]
    assert best_round(tried) == confidences.index(max(confidences))


@given(st.lists(attempts, min_size=1, max_size=6).map(with_round))
def test_a_failure_is_kept_only_when_there_is_nothing_else(tried: list[Attempt]) -> None:  # S2.3
    kept = tried[best_round(tried)]
    assert kept.draft != "failed" or {attempted.draft for attempted in tried} == {"failed"}


@given(st.lists(attempts, min_size=1, max_size=6).map(with_round))
def test_which_is_kept_depends_on_the_rounds_not_on_their_order(tried: list[Attempt]) -> None:  # S2.3
    assert best_round(list(reversed(tried))) == best_round(tried)


@given(st.lists(attempts, min_size=2, max_size=6).map(with_round))
def test_another_round_never_takes_a_better_attempt_away(tried: list[Attempt]) -> None:  # S2.3
    before, after = best_round(tried[:-1]), best_round(tried)
    assert after in (before, tried[-1].round)


def test_without_an_attempt_there_is_nothing_to_keep() -> None:
    with pytest.raises(ValueError, match="empty"):
        best_round([])
