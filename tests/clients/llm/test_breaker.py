"""The circuit breaker on a controlled clock."""

import pytest

from clients.llm.calling.outages import PROBE_S, Breaker, CircuitOpen, Pass
from clients.llm.protocol import (
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelReply,
    ModelReplyInvalid,
    ModelUnavailable,
    Usage,
)
from config.models import BreakerSettings

GOOD = ModelReply("{}", "m", Usage(), "stop")
DOWN = ModelUnavailable("HTTP 500: down")
LIMITS = BreakerSettings()


class Clock:
    """Stops unless it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker("m", LIMITS, clock)


def end(breaker: Breaker, outcome: ModelReply | ModelError, times: int = 1) -> None:
    """`times` calls begin and end with this outcome."""
    for permission in [breaker.enter() for _ in range(times)]:
        breaker.leave(permission, outcome)


# 37
@pytest.mark.parametrize(
    "outcomes", [[DOWN] * 4, [GOOD] * 9 + [DOWN] * 4, [DOWN, DOWN, GOOD, *[DOWN, DOWN, DOWN, GOOD] * 2]]
)
def test_it_opens_after_four_failures_in_a_row_and_when_three_of_four_calls_fail(
    breaker: Breaker, outcomes: list[ModelReply | ModelError]
) -> None:
    *before, last = outcomes if outcomes[-1] is DOWN else outcomes[:-1]
    for outcome in before:
        assert breaker.is_closed
        end(breaker, outcome)
    end(breaker, last)
    with pytest.raises(CircuitOpen, match="HTTP 500: down") as caught:
        breaker.enter()
    assert caught.value.wait_s == LIMITS.open_s
    assert not caught.value.rejects


def test_a_model_that_fails_every_second_time_is_asked_on(breaker: Breaker) -> None:  # 37
    for _ in range(30):
        end(breaker, DOWN)
        end(breaker, GOOD)
    assert breaker.enter() == Pass()


def test_failures_of_long_ago_do_not_count(breaker: Breaker, clock: Clock) -> None:
    for _ in range(4):
        end(breaker, DOWN, 3)
        clock.now += 31
    assert breaker.is_closed


def test_rejections_count_once_for_calls_made_at_once_and_open_it_if_they_go_on(
    breaker: Breaker, clock: Clock
) -> None:  # 37
    for _ in range(12):
        assert breaker.is_closed
        end(breaker, ModelRateLimited("HTTP 429: slow down", retry_after_s=0), 50)
        clock.now += 1.0
    with pytest.raises(CircuitOpen, match="slow down") as caught:
        breaker.enter()
    assert caught.value.rejects
    clock.now += LIMITS.open_s
    breaker.leave(breaker.enter(), ModelRateLimited("HTTP 429: slow down"))
    assert breaker.failing_s == 0  # a server that rejects is up
    clock.now += 2 * LIMITS.open_s
    breaker.leave(breaker.enter(), GOOD)
    assert breaker.is_closed
    assert breaker.failing_s == 0


@pytest.mark.parametrize("outcome", [ModelRateLimited("429"), ModelReplyInvalid("not JSON"), ModelRefused("no"), GOOD])
def test_a_model_that_answers_is_there(breaker: Breaker, outcome: ModelReply | ModelError) -> None:
    end(breaker, outcome, 50)
    assert breaker.is_closed


def test_one_probe_goes_at_a_time_and_its_success_closes_the_circuit(breaker: Breaker, clock: Clock) -> None:
    end(breaker, DOWN, 10)
    clock.now += LIMITS.open_s
    probe = breaker.enter()
    assert probe.is_probe
    with pytest.raises(CircuitOpen) as caught:
        breaker.enter()
    assert caught.value.wait_s == PROBE_S
    breaker.leave(probe, GOOD)
    assert breaker.is_closed


def test_a_probe_that_hangs_is_followed_by_another(breaker: Breaker, clock: Clock) -> None:
    end(breaker, DOWN, 10)
    clock.now += LIMITS.open_s
    breaker.enter()
    clock.now += PROBE_S
    assert breaker.enter().is_probe


def test_each_probe_that_fails_doubles_the_pause_up_to_the_longest(breaker: Breaker, clock: Clock) -> None:
    end(breaker, DOWN, 10)
    waits: list[float] = []
    for _ in range(5):
        with pytest.raises(CircuitOpen) as caught:
            breaker.enter()
        waits.append(caught.value.wait_s)
        clock.now += caught.value.wait_s
        breaker.leave(breaker.enter(), DOWN)
    assert waits == [2.0, 4.0, 8.0, 10.0, 10.0]


def test_calls_that_began_before_it_opened_decide_nothing(breaker: Breaker) -> None:
    early = [breaker.enter() for _ in range(30)]
    for permission in early[:29]:
        breaker.leave(permission, DOWN)
    breaker.leave(early[29], GOOD)
    with pytest.raises(CircuitOpen) as caught:
        breaker.enter()
    assert caught.value.wait_s == LIMITS.open_s
