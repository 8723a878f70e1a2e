"""Questions whose callers can wait are put off while models fail, rarely tried meanwhile, and end with a reason."""

import math
import time
from dataclasses import dataclass

import pytest

from citewell_verify.judging.statement import Failure
from citewell_verify.prompting.judgements import StatementCheck
from clients.llm.calling.attempt import REJECTIONS_MAX
from clients.llm.calling.outages import Outage, Outages
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallDeferred, CallLog, Terms
from config.models import BreakerSettings, ModelSettings
from tests.clients.gateway_play import ALONE, FAST, MAIN, PATIENT, check, failed, play
from tests.clients.groq_stage import GroqStage
from tests.simulators.groq.faults import Fault, FaultKind

PASSING = [
    FaultKind.UNAVAILABLE,
    FaultKind.SERVER_ERROR,
    FaultKind.BAD_GATEWAY,
    FaultKind.CAPACITY,
    FaultKind.RESET,
    FaultKind.CUT,
]
LASTING = [
    FaultKind.FORBIDDEN,
    FaultKind.SPEND_CAP,
    FaultKind.NO_CREDIT,
    FaultKind.TOO_LARGE,
    FaultKind.MODEL_NOT_FOUND,
]


def terms(left_s: float = 60.0, *, outage_s: float = math.inf) -> Terms:
    until = time.monotonic() + left_s
    return Terms(scope="q", ends_at=until + 60, patience_s=0.0, last_try_at=until, outage_s=outage_s)


async def waits(gateway: ModelGateway, rounds: int, given: Terms) -> list[float]:
    """Ask again and again as soon as it is put off; the waits that were asked for."""
    seconds = list[float]()
    for _ in range(rounds):
        with pytest.raises(CallDeferred) as caught:
            await check(CallLog(terms=given))(gateway)
        seconds.append(caught.value.wait_s)
    return seconds


@pytest.mark.parametrize("kind", PASSING)
def test_what_fails_for_now_is_put_off_and_answered_later(stage: GroqStage, kind: FaultKind) -> None:  # A7
    stage.sim.fail(Fault(kind=kind, times=None))

    async def scenario(gateway: ModelGateway) -> object:
        await waits(gateway, 2, terms())
        stage.sim.faults.faults.clear()
        return await check(CallLog(terms=terms()))(gateway)

    assert isinstance(play(stage, scenario, _without_breaker(ALONE)), StatementCheck)


def test_a_server_that_refuses_connections_is_waited_for(stage: GroqStage) -> None:  # A7
    async def scenario(gateway: ModelGateway) -> list[float]:
        return await waits(gateway, 3, terms())

    assert len(play(stage, scenario, ALONE, url="http://127.0.0.1:9")) == 3


@pytest.mark.parametrize("kind", LASTING)
def test_what_no_waiting_can_cure_is_not_put_off(stage: GroqStage, kind: FaultKind) -> None:
    stage.sim.fail(Fault(kind=kind, times=None))
    assert failed(play(stage, check(CallLog(terms=terms())), ALONE)).kind in ("refused", "gone")
    assert len(stage.sim.ledger.entries) == 1


def test_waits_double_up_to_a_longest_and_each_of_them_costs_one_call(stage: GroqStage) -> None:
    stage.sim.fail(Fault(kind=FaultKind.UNAVAILABLE, times=None))
    settings = _without_breaker(ALONE)

    async def scenario(gateway: ModelGateway) -> list[float]:
        return await waits(gateway, 7, terms())

    waited = play(stage, scenario, settings)
    for wait_s, middle in zip(waited, (1, 2, 4, 8, 15, 15, 15), strict=True):
        assert 0.75 * middle <= wait_s <= 1.25 * middle
    assert len(stage.sim.ledger.entries) == ALONE.attempts + 6


def test_after_calls_that_may_have_cost_something_waits_grow_further(stage: GroqStage) -> None:
    stage.sim.fail(Fault(kind=FaultKind.RESET, times=None))

    async def scenario(gateway: ModelGateway) -> list[float]:
        return await waits(gateway, 8, terms(600))

    assert play(stage, scenario, _without_breaker(ALONE))[-1] >= 0.75 * 60


def test_an_open_circuit_is_waited_for_and_no_call_is_made(stage: GroqStage) -> None:
    stage.sim.fail(Fault(kind=FaultKind.UNAVAILABLE, times=None))
    breaker = ALONE.breaker.model_copy(update={"calls": 3, "open_s": 40})

    async def scenario(gateway: ModelGateway) -> list[float]:
        return await waits(gateway, 5, terms())

    waited = play(stage, scenario, ALONE.model_copy(update={"breaker": breaker}))
    assert all(wait_s > 30 for wait_s in waited[1:])
    assert len(stage.sim.ledger.entries) == ALONE.attempts


def test_without_time_for_another_try_the_last_failure_is_the_reason(stage: GroqStage) -> None:  # N4
    stage.sim.fail(Fault(kind=FaultKind.UNAVAILABLE, times=None))

    async def scenario(gateway: ModelGateway) -> StatementCheck | Failure:
        await waits(gateway, 1, terms())
        return await check(CallLog(terms=terms(1.0)))(gateway)

    failure = failed(play(stage, scenario, ALONE))
    assert failure.kind == "unavailable"
    assert "HTTP 503: Service Unavailable (tried again for 0 s)" in failure.reason


def test_what_can_be_left_out_waits_for_a_short_outage_only_however_many_ask(stage: GroqStage) -> None:  # N4
    stage.sim.fail(Fault(kind=FaultKind.UNAVAILABLE, times=None))

    async def scenario(gateway: ModelGateway) -> StatementCheck | Failure:
        await waits(gateway, 1, terms(outage_s=0.2))
        time.sleep(0.3)
        # Another query: the models have failed for longer than it may wait.
        return await check(CallLog(terms=Terms(scope="other", patience_s=0.0, outage_s=0.2)))(gateway)

    assert failed(play(stage, scenario, ALONE)).kind == "unavailable"


def test_a_fallback_that_refuses_does_not_end_the_wait_for_the_model_that_is_away(stage: GroqStage) -> None:
    stage.sim.fail(
        Fault(kind=FaultKind.UNAVAILABLE, match=FAST, times=None),
        Fault(kind=FaultKind.FORBIDDEN, match=MAIN, times=None),
    )

    async def scenario(gateway: ModelGateway) -> list[float]:
        return await waits(gateway, 2, terms())

    assert len(play(stage, scenario, PATIENT)) == 2


def _without_breaker(settings: ModelSettings) -> ModelSettings:
    return settings.model_copy(update={"breaker": BreakerSettings(open_s=1e-6, longest_s=1e-6)})


@pytest.mark.slow
def test_a_server_that_rejects_without_end_and_names_no_wait_is_asked_a_few_times_only(stage: GroqStage) -> None:
    stage.sim.fail(Fault(kind=FaultKind.RATE_LIMITED, retry_after=0, times=None))

    async def scenario(gateway: ModelGateway) -> list[float]:
        return await waits(gateway, 5, terms())

    assert len(play(stage, scenario, ALONE)) == 5
    assert len(stage.sim.ledger.entries) <= REJECTIONS_MAX + 4 * 2


def test_an_address_that_nobody_ever_answered_at_is_given_up_before_the_deadline() -> None:
    clock = _Clock()
    outage = Outage(Failure("m failed: cannot reach nowhere", "unavailable"), unreached=True)
    outages, given = Outages(clock), Terms(scope="q", patience_s=0.0)
    while True:
        try:
            failure = outages.put_off(("q", "p", ""), outage, given, failing_s=clock.now)
        except CallDeferred as deferred:
            clock.now += deferred.wait_s
        else:
            break
    assert "cannot reach nowhere" in failure.reason
    assert 60 <= clock.now < 100


@dataclass
class _Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now
