"""A late judgement is sent a second time: rarely, and only when there is capacity."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from citewell_verify.prompting.judgements import CHECK_STATEMENT, GENERATE_ANSWER, Judgement, StatementCheck
from clients.llm.calling import attempt
from clients.llm.calling.hedging import Hedges
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog
from config.models import ModelSettings
from tests.clients.gateway_play import CHECK, FAST, WRITE, check, failed, play, write
from tests.clients.groq_stage import GroqStage
from tests.clients.limiting import Doorkeeper
from tests.simulators.groq.faults import Fault, FaultKind

SETTINGS = ModelSettings(call_timeout_s=10, deadline_s=20)
LATE_S = 0.15
SLOW = Fault(kind=FaultKind.HANG)


@pytest.fixture(autouse=True)
def _soon_late(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] - pytest finds it
    monkeypatch.setattr(attempt, "HEDGE_MIN_S", LATE_S)


async def warmed(gateway: ModelGateway) -> None:
    """Make 25 calls: then their times are known, and an extra call is earned."""
    # All at once they take so long on a busy machine that nothing is late for a while. When the last ten begin the
    # times of fifteen are known, too few for one of these to be late.
    for calls in (5, 5, 5, 10):
        await asyncio.gather(*(check(CallLog())(gateway) for _ in range(calls)))


def late(stage: GroqStage, log: CallLog, settings: ModelSettings = SETTINGS, **parts: Any) -> object:
    """Ask once, after others, with a call that never returns."""

    async def scenario(gateway: ModelGateway) -> object:
        await warmed(gateway)
        stage.sim.fail(SLOW.model_copy())
        return await check(log)(gateway)

    return play(stage, scenario, settings, **parts)


def test_the_second_call_answers_and_both_are_recorded(stage: GroqStage, log: CallLog) -> None:  # A4
    door = Doorkeeper()
    assert isinstance(late(stage, log, limiter=door), StatementCheck)
    extra, first = sorted(log.records, key=lambda record: not record.hedged)
    assert (extra.hedged, extra.attempt, extra.error) == (True, 1, None)
    assert (first.hedged, first.attempt, first.error) == (False, 1, "stopped before its end")
    assert first.usage.estimated
    assert first.usage.prompt_tokens > 0
    assert door.asked[-1][3] == 0.0  # no patience
    assert door.held == []
    assert len(stage.sim.ledger.entries) == 27


async def left_hanging(
    stage: GroqStage, log: CallLog, asking: Coroutine[Any, Any, object], is_late: Callable[[], bool] = lambda: True
) -> list[bool]:
    """Ask with a call that never comes back, give up long after it is late; which calls were second ones."""
    seen = len(stage.sim.ledger.entries)
    stage.sim.fail(SLOW.model_copy(update={"times": None}))
    task = asyncio.ensure_future(asking)
    while len(stage.sim.ledger.entries) == seen or not is_late():
        await asyncio.sleep(0.01)
    await asyncio.sleep(3 * LATE_S)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    stage.sim.faults.faults.clear()
    return [record.hedged for record in log.records]


def test_a_second_call_needs_a_place_at_once(stage: GroqStage, log: CallLog) -> None:  # A7
    door = Doorkeeper(*[0.0] * 26, 0.01)

    async def scenario(gateway: ModelGateway) -> list[bool]:
        await warmed(gateway)
        asking = gateway.ask(CHECK_STATEMENT, CHECK, log=log)
        return await left_hanging(stage, log, asking, lambda: len(door.asked) == 27)

    assert play(stage, scenario, SETTINGS, limiter=door) == [False]


def test_without_a_share_nothing_is_sent_twice(stage: GroqStage, log: CallLog) -> None:
    async def scenario(gateway: ModelGateway) -> list[bool]:
        await warmed(gateway)
        return await left_hanging(stage, log, gateway.ask(CHECK_STATEMENT, CHECK, log=log))

    assert play(stage, scenario, SETTINGS.model_copy(update={"hedge_share": 0.0})) == [False]


@pytest.mark.slow
def test_when_both_calls_fail_the_attempt_has_failed(stage: GroqStage, log: CallLog) -> None:
    async def scenario(gateway: ModelGateway) -> object:
        await warmed(gateway)
        stage.sim.fail(SLOW.model_copy(), FaultKind.SERVER_ERROR)
        return await check(log)(gateway)

    hurried = SETTINGS.model_copy(update={"call_timeout_s": 3, "attempts": 1, "fallbacks": {}})
    assert failed(play(stage, scenario, hurried)).kind == "unavailable"
    assert [(record.attempt, record.hedged) for record in log.records] == [(1, True), (1, False)]


def test_a_step_that_is_stopped_stops_both(stage: GroqStage, log: CallLog) -> None:
    async def scenario(gateway: ModelGateway) -> None:
        await warmed(gateway)
        stage.sim.fail(SLOW.model_copy(update={"times": None}))
        asking = asyncio.ensure_future(check(log)(gateway))
        while len(stage.sim.ledger.entries) < 27:
            await asyncio.sleep(0.01)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

    play(stage, scenario, SETTINGS)
    assert [record.error for record in log.records] == ["stopped before its end"] * 2


def test_prose_and_what_the_main_model_judges_are_sent_once(stage: GroqStage, log: CallLog) -> None:
    by_main = Judgement(CHECK_STATEMENT.name, "main", StatementCheck, max_tokens=600)

    async def scenario(gateway: ModelGateway) -> list[bool]:
        await asyncio.gather(*(gateway.ask(by_main, CHECK, log=CallLog()) for _ in range(25)))
        await asyncio.gather(*(write(CallLog())(gateway) for _ in range(25)))
        await warmed(gateway)
        await left_hanging(stage, log, gateway.ask(by_main, CHECK, log=log))
        return await left_hanging(stage, log, gateway.compose(GENERATE_ANSWER, WRITE, log=log))

    assert play(stage, scenario, SETTINGS) == [False, False]


KIND = (FAST, "check_statement")


def test_nothing_is_late_before_enough_is_known() -> None:
    hedges = Hedges(share=0.05, min_s=0.0)
    for _ in range(19):
        hedges.note(KIND, 1.0)
    assert hedges.delay_s(KIND) is None
    hedges.note(KIND, 1.0)
    assert hedges.delay_s(KIND) is not None
    assert hedges.delay_s((FAST, "rerank_chunk")) is None


@pytest.mark.parametrize(("least", "delay"), [(0.0, 0.95), (2.0, 2.0)])
def test_late_is_later_than_nineteen_of_twenty(least: float, delay: float) -> None:
    hedges = Hedges(share=1.0, min_s=least)
    for hundredths in range(100):
        hedges.note(KIND, hundredths / 100)
    for _ in range(10):
        hedges.delay_s(KIND)
    assert hedges.delay_s(KIND) == delay


def test_the_emptier_the_budget_the_later_is_late() -> None:
    hedges = Hedges(share=1.0, min_s=0.0)
    for _ in range(20):
        hedges.note(KIND, 1.0)
    delays = [hedges.delay_s(KIND) for _ in range(12)]
    assert delays == pytest.approx([1.45, 1.4, 1.35, 1.3, 1.25, 1.2, 1.15, 1.1, 1.05, 1.0, 1.0, 1.0])
    assert all(hedges.take() for _ in range(6))
    assert hedges.delay_s(KIND) == pytest.approx(1.25)


def test_extra_calls_are_a_twentieth_of_all_and_savings_are_limited() -> None:
    hedges = Hedges(share=0.05, min_s=0.0)
    for _ in range(10_000):
        hedges.delay_s(KIND)
    assert sum(hedges.take() for _ in range(50)) == 10
    for _ in range(39):
        hedges.delay_s(KIND)
    assert [hedges.take() for _ in range(2)] == [True, False]
