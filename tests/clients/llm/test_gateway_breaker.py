"""A failing provider is left alone, and replaced, until it is back."""

import asyncio
import time
from itertools import chain

import pytest
from structlog.testing import capture_logs

from citewell_verify.prompting.judgements import StatementCheck
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallDeferred, CallLog, Terms
from config.models import BreakerSettings
from tests.clients.gateway_play import FAST, MAIN, PATIENT, check, failed, play
from tests.clients.groq_stage import GroqStage
from tests.simulators.groq.faults import Fault, FaultKind

BRISK = BreakerSettings(calls=4, open_s=0.3, longest_s=0.6)
# Longer than any test: once it is open it stays so, however slow the machine is.
LASTING = BreakerSettings(calls=4, open_s=60, longest_s=60)
SETTINGS = PATIENT.model_copy(update={"breaker": BRISK})
ALONE = SETTINGS.model_copy(update={"fallbacks": {}})


async def ask(gateway: ModelGateway, times: int, terms: Terms | None = None) -> list[object]:
    return [await check(CallLog(terms=terms or Terms()))(gateway) for _ in range(times)]


def test_while_a_model_fails_its_fallback_answers(stage: GroqStage) -> None:  # S4.1
    stage.sim.fail(Fault(kind=FaultKind.SERVER_ERROR, match=FAST, times=None))

    async def scenario(gateway: ModelGateway) -> list[object]:
        return await ask(gateway, 4)

    with capture_logs() as said:
        outcomes = play(stage, scenario, SETTINGS.model_copy(update={"breaker": LASTING}))
    assert all(isinstance(outcome, StatementCheck) for outcome in outcomes)
    models = [entry.model for entry in stage.sim.ledger.entries]
    assert models == [FAST] * 3 + [MAIN] + [FAST] + [MAIN] * 3
    assert [(line["event"], line["model"]) for line in said] == [("circuit_opened", FAST)]


def test_one_probe_finds_out_that_a_model_is_back(stage: GroqStage) -> None:
    stage.sim.fail(Fault(kind=FaultKind.SERVER_ERROR, match=FAST, times=4))

    async def scenario(gateway: ModelGateway) -> None:
        await ask(gateway, 2)
        await asyncio.sleep(BRISK.open_s)
        await asyncio.gather(*(ask(gateway, 1) for _ in range(3)))
        await ask(gateway, 1)

    play(stage, scenario, SETTINGS)
    models = [entry.model for entry in stage.sim.ledger.entries]
    assert models[:6] == [FAST] * 3 + [MAIN, FAST, MAIN]
    assert sorted(models[6:9]) == [MAIN, MAIN, FAST]
    assert models[9:] == [FAST]


def test_who_is_in_no_hurry_waits_until_one_may_try_again(stage: GroqStage) -> None:
    stage.sim.fail(Fault(kind=FaultKind.SERVER_ERROR, times=4))

    async def scenario(gateway: ModelGateway) -> object:
        started = time.monotonic()  # before it opens, and not when that has been heard of
        await ask(gateway, 1)
        (outcome,) = await ask(gateway, 1)
        assert time.monotonic() - started >= BRISK.open_s
        return outcome

    assert isinstance(play(stage, scenario, ALONE), StatementCheck)
    assert [entry.status for entry in stage.sim.ledger.entries] == [500] * 4 + [200]


def test_who_names_its_patience_is_sent_away_while_no_model_answers(stage: GroqStage) -> None:  # A7
    stage.sim.fail(Fault(kind=FaultKind.SERVER_ERROR, times=None))

    async def scenario(gateway: ModelGateway) -> None:
        await ask(gateway, 1)
        with pytest.raises(CallDeferred, match="HTTP 500") as caught:
            await ask(gateway, 1, Terms(patience_s=0.05))
        assert 0 < caught.value.wait_s <= LASTING.open_s

    play(stage, scenario, ALONE.model_copy(update={"breaker": LASTING}))
    assert len(stage.sim.ledger.entries) == 4


def test_an_outage_longer_than_the_deadline_ends_in_a_reason_with_the_models_name(stage: GroqStage) -> None:  # N4
    stage.sim.fail(Fault(kind=FaultKind.SERVER_ERROR, times=None))
    # One pause of a second fits, and its double does not: two calls, unless they alone take two seconds.
    settings = ALONE.model_copy(update={"deadline_s": 3.0, "breaker": BreakerSettings(calls=1, open_s=1)})
    (failure,) = play(stage, lambda gateway: ask(gateway, 1), settings)
    assert failed(failure).kind == "unavailable"
    assert FAST in failed(failure).reason
    assert "HTTP 500" in failed(failure).reason
    assert len(stage.sim.ledger.entries) == 2


@pytest.mark.parametrize("fault", [FaultKind.RATE_LIMITED, FaultKind.WRONG_SCHEMA, FaultKind.FORBIDDEN])
def test_limits_refusals_and_nonsense_open_nothing(stage: GroqStage, fault: FaultKind) -> None:
    stage.sim.fail(Fault(kind=fault, match=FAST, times=12, retry_after=0.001))
    play(stage, lambda gateway: ask(gateway, 13), SETTINGS)
    assert {entry.model for entry in stage.sim.ledger.entries} == {FAST}


def test_a_deadline_of_our_own_says_nothing_of_the_model(stage: GroqStage) -> None:
    stage.sim.fail(Fault(kind=FaultKind.HANG, times=None))

    async def scenario(gateway: ModelGateway) -> list[object]:
        hurried = [await ask(gateway, 1, Terms(ends_at=time.monotonic() + 0.2)) for _ in range(6)]
        stage.sim.faults.faults.clear()
        return [*chain(*hurried), *await ask(gateway, 1)]

    outcomes = play(stage, scenario, ALONE.model_copy(update={"breaker": LASTING}))
    assert [isinstance(outcome, StatementCheck) for outcome in outcomes] == [False] * 6 + [True]
