"""The circuit breaker on a controlled clock."""

import pytest

from clients.llm.calling.outages import PROBE_S, WINDOW_S, Breaker, CircuitOpen, Pass
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


def test_it_opens_when_half_of_at_least_ten_calls_failed(breaker: Breaker) -> None:
    end(breaker, GOOD, 5)
    end(breaker, DOWN, 4)
    assert breaker.is_closed
    end(breaker, DOWN)
    assert not breaker.is_closed
    with pytest.raises(CircuitOpen, match="HTTP 500: down") as caught:
        breaker.enter()
    assert caught.value.wait_s == LIMITS.open_s


def test_fewer_calls_or_fewer_failures_do_not_open_it(breaker: Breaker) -> None:
    end(breaker, GOOD, 6)
    end(breaker, DOWN, 5)
    assert breaker.is_closed
    assert breaker.enter() == Pass()


def test_failures_of_long_ago_do_not_count(breaker: Breaker, clock: Clock) -> None:
    end(breaker, DOWN, 9)
    clock.now += WINDOW_S + 1
    end(breaker, DOWN, 9)
    assert breaker.is_closed


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
