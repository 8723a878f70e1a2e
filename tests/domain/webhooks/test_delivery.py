"""Webhooks: filters, the meaning of a result, and when the next attempt is due (A6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.settings import WebhookSettings
from domain.errors.requests import EventTypeUnknown
from domain.webhooks.delivery import EventType, Outcome, checked_filters, matches, next_delay_s, outcome
from verify_material.rows import for_all_rows

DAY_S = 86_400
SCHEDULE_S = WebhookSettings().schedule_s
shares = st.floats(0, 1)
attempts = st.integers(0, len(SCHEDULE_S) - 1)


def delay_s(attempt: int, *, jitter: float = 0.1, random01: float = 0.0, asked: float | None = None) -> float | None:
    return next_delay_s(attempt, SCHEDULE_S, jitter=jitter, random01=random01, retry_after_s=asked)


# A6
def test_the_schedule_is_the_example_of_the_standard() -> None:
    """Ten attempts, the last one 75 hours, 35 minutes and 5 seconds after the first."""
    assert [delay_s(n, jitter=0) for n in range(10)] == [
        *(0, 5, 5 * 60, 30 * 60, 2 * 3600),
        *(5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600),
    ]
    assert sum(SCHEDULE_S) == 75 * 3600 + 35 * 60 + 5
    assert delay_s(10) is None
    assert delay_s(11, asked=3) is None


@for_all_rows(
    ("status", "attempt", "expected"),
    [
        (200, 1, Outcome.DELIVERED),
        (204, 10, Outcome.DELIVERED),
        (299, 11, Outcome.DELIVERED),
        (None, 1, Outcome.RETRY),
        (101, 1, Outcome.RETRY),
        (199, 1, Outcome.RETRY),
        (300, 1, Outcome.RETRY),
        (301, 1, Outcome.RETRY),
        (307, 9, Outcome.RETRY),
        (400, 9, Outcome.RETRY),
        (404, 1, Outcome.RETRY),
        (429, 1, Outcome.RETRY),
        (500, 9, Outcome.RETRY),
        (None, 10, Outcome.FAILED),
        (302, 10, Outcome.FAILED),
        (503, 10, Outcome.FAILED),
        (503, 11, Outcome.FAILED),
        (410, 1, Outcome.GONE),
        (410, 10, Outcome.GONE),
    ],
)
def test_what_a_result_means(status: int | None, attempt: int, expected: Outcome) -> None:
    assert outcome(status, attempt, SCHEDULE_S) is expected


def test_a_schedule_of_ones_own_says_how_many_attempts_there_are() -> None:
    assert outcome(500, 1, [0, 1]) is Outcome.RETRY
    assert outcome(500, 2, [0, 1]) is Outcome.FAILED
    assert next_delay_s(1, [0, 1], jitter=0) == 1
    assert next_delay_s(2, [0, 1], jitter=0) is None


@given(st.integers(0, 599) | st.none(), st.integers(1, 12))
def test_there_is_another_attempt_when_and_only_when_the_result_says_retry(status: int | None, attempt: int) -> None:
    if outcome(status, attempt, SCHEDULE_S) is Outcome.RETRY:
        assert delay_s(attempt) is not None
    elif outcome(status, attempt, SCHEDULE_S) is Outcome.FAILED:
        assert delay_s(attempt) is None


# A6
@given(attempts, shares, shares)
def test_jitter_only_adds_its_share(attempt: int, jitter: float, random01: float) -> None:
    delay = delay_s(attempt, jitter=jitter, random01=random01)
    assert delay is not None
    assert SCHEDULE_S[attempt] <= delay <= SCHEDULE_S[attempt] * (1 + jitter)


def test_jitter_spreads() -> None:
    assert delay_s(1, jitter=0.1, random01=0.5) == pytest.approx(5.25)
    assert delay_s(4, jitter=0.1, random01=1.0) == pytest.approx(7920)


# A6
@given(attempts, shares, st.floats(min_value=-DAY_S, allow_nan=False))
def test_what_the_receiver_asks_for_is_obeyed_up_to_a_day(attempt: int, random01: float, asked: float) -> None:
    delay = delay_s(attempt, random01=random01, asked=asked)
    plain = delay_s(attempt, random01=random01)
    assert delay is not None
    assert plain is not None
    assert delay >= min(asked, DAY_S)
    assert plain <= delay <= DAY_S * 1.1


def test_what_the_receiver_asks_for_never_shortens_the_wait() -> None:
    assert delay_s(1, jitter=0, asked=120) == 120
    assert delay_s(2, jitter=0, asked=120) == 300
    assert delay_s(1, jitter=0, asked=1e9) == DAY_S


def test_those_sent_away_together_do_not_return_together() -> None:
    early, late = (delay_s(1, random01=share, asked=100) for share in (0.0, 1.0))
    assert (early, late) == (100, pytest.approx(110))


@for_all_rows(
    ("pattern", "event", "expected"),
    [
        ("*", "query.succeeded", True),
        ("query.*", "query.succeeded", True),
        ("query.*", "query.failed", True),
        ("query.*", "document.failed", False),
        ("query.*", "queryx.failed", False),
        ("query.succeeded", "query.succeeded", True),
        ("query.succeeded", "query.failed", False),
        ("query", "query.failed", False),
        ("que*", "query.failed", False),
        ("*.failed", "query.failed", False),
        ("", "query.failed", False),
    ],
)
def test_filters(pattern: str, event: str, expected: bool) -> None:
    assert matches(pattern, event) is expected


@given(st.sampled_from(EventType), st.sampled_from(EventType))
def test_the_name_of_a_type_is_a_filter_for_it_alone(asked: EventType, event: EventType) -> None:
    assert matches(asked, event) is (asked is event)


def test_filters_are_kept_in_order_and_once() -> None:
    assert checked_filters(["query.*", "batch.completed", "query.*"]) == ("query.*", "batch.completed")
    assert checked_filters(["*"]) == ("*",)
    assert checked_filters([*EventType]) == tuple(EventType)


@for_all_rows("pattern", ["query.suceeded", "queries.*", "*.failed", "", "**", ".*", "QUERY.*", "query."])
def test_a_filter_that_no_event_passes_is_refused_with_what_there_is(pattern: str) -> None:
    with pytest.raises(EventTypeUnknown) as refusal:
        checked_filters(["query.failed", pattern])
    assert repr(pattern) in refusal.value.message
    assert all(known in refusal.value.message for known in [*EventType, "query.*", "batch.*"])
    assert refusal.value.status == 422


def test_no_filter_at_all_is_refused() -> None:
    with pytest.raises(EventTypeUnknown, match=r"at least one.*query\.succeeded"):
        checked_filters([])
