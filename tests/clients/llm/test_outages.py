"""When a waiting question is forgotten, and when it is itself what its model cannot answer."""

import math

import pytest

from citewell_verify.judging.statement import Failure
from clients.llm.calling.outages import Breaker, Outage, Outages
from clients.llm.protocol import CallDeferred, ModelUnavailable, Terms
from config.models import BreakerSettings

KEY = ("query", "prompt", "hash")
AWAY = Outage(Failure("HTTP 503", "unavailable"))


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def put_off(
    outages: Outages, *, outage_s: float = math.inf, answered_at: float = -math.inf, outage: Outage = AWAY
) -> float | Failure:
    """The wait, or the failure that ends it."""
    terms = Terms(scope="query", patience_s=0.0, outage_s=outage_s)
    try:
        return outages.put_off(KEY, outage, terms, failing_s=0.0, answered_at=answered_at)
    except CallDeferred as deferred:
        return deferred.wait_s


def test_a_question_that_comes_late_begins_with_short_waits_again(clock: Clock) -> None:  # A7
    outages = Outages(clock)
    for _ in range(3):
        clock.now += float(str(put_off(outages, outage_s=60)))
    assert outages.has_waited(KEY)
    # Another process answered it, and asks something of the same text much later.
    clock.now += 70
    assert not outages.has_waited(KEY)
    wait_s = put_off(outages, outage_s=60)
    assert isinstance(wait_s, float)
    assert wait_s < 2


@pytest.mark.parametrize("outage", [AWAY, Outage(AWAY.failure, answered=True)])
def test_a_question_that_fails_while_its_model_answers_ends(clock: Clock, outage: Outage) -> None:  # A7
    outages, waits = Outages(clock), 0
    while True:
        answered_at = clock.now - 0.5 if waits and not outage.answered else -math.inf
        wait_s = put_off(outages, answered_at=answered_at, outage=outage)
        if not isinstance(wait_s, float):
            break
        clock.now, waits = clock.now + wait_s, waits + 1
        assert waits < 20
    assert waits == 5
    assert isinstance(wait_s, Failure)
    assert "tried again for" in wait_s.reason


def test_a_question_waits_on_while_its_model_answers_nothing(clock: Clock) -> None:  # A7
    outages, answered_at = Outages(clock), clock.now - 1
    for _ in range(30):
        wait_s = put_off(outages, answered_at=answered_at)
        assert isinstance(wait_s, float)
        clock.now += wait_s


def test_two_failures_far_apart_are_no_long_outage(clock: Clock) -> None:  # N4
    breaker = Breaker("m", BreakerSettings(), clock)
    for wait_s in (0, 110, 0.5, 0.5):
        clock.now += wait_s
        breaker.leave(breaker.enter(), ModelUnavailable("HTTP 503"))
    assert breaker.failing_s < 2
    for _ in range(7):
        clock.now += 20
        breaker.leave(breaker.enter(), ModelUnavailable("HTTP 503"))
    assert breaker.failing_s > 140
