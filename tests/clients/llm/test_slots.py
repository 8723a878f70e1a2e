"""How many calls are in flight at once: each model has its own slots, and fewer where its server serves fewer."""

import asyncio
import math
import time
from collections.abc import Sequence

import pytest

from citewell_verify.prompting.judgements import CHECK_STATEMENT, StatementCheck
from clients.llm.calling.slots import Slots
from clients.llm.completions.providers import CompatibleModel
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog, ModelReply, ModelTimedOut, NoFreeSlot, Usage
from config.models import ModelSettings
from tests.clients.gateway_play import CHECK, PATIENT, check, play
from tests.clients.groq_stage import GroqStage
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.latency import LatencyModel
from tests.simulators.groq.server import GroqSimulator
from tests.simulators.peculiar import NAME, Peculiar, Ways

REPLY = ModelReply("", "m", Usage(), "stop")


def test_never_more_calls_in_flight_than_allowed_and_as_many_when_needed(stage: GroqStage) -> None:
    settings = ModelSettings(concurrency=3, fallbacks={})
    latency = LatencyModel(network_s=0.15, queue_s=0, tail=0)

    async def twelve(gateway: ModelGateway) -> Sequence[object]:
        return await asyncio.gather(*(check(CallLog())(gateway) for _ in range(12)))

    with GroqSimulator(time_scale=1, latency=latency) as sim:
        play(stage, twelve, settings, url=sim.base_url)
        assert sim.provider.peak_in_flight == 3


@pytest.mark.slow
def test_calls_of_a_slow_model_do_not_hold_up_those_of_another(stage: GroqStage) -> None:
    stage.sim.fail(Fault(kind=FaultKind.HANG, times=2))
    settings = PATIENT.model_copy(update={"call_timeout_s": 3.0, "concurrency": 2, "attempts": 1, "fallbacks": {}})

    async def both(gateway: ModelGateway) -> tuple[bool, object]:
        slow = [asyncio.ensure_future(check(log)(gateway)) for log in (CallLog(), CallLog())]
        while stage.sim.provider.peak_in_flight < 2:
            await asyncio.sleep(0.01)
        quick = await gateway.ask(CHECK_STATEMENT, CHECK, log=CallLog(), model=settings.main)
        are_waiting = not any(call.done() for call in slow)
        await asyncio.gather(*slow)
        return are_waiting, quick

    are_waiting, quick = play(stage, both, settings)
    assert are_waiting
    assert isinstance(quick, StatementCheck)


@pytest.mark.slow
def test_a_server_that_serves_one_call_at_a_time_is_found_out() -> None:
    settings = ModelSettings(call_timeout_s=3.0, deadline_s=60.0, fallbacks={}, hedge_share=0)
    ways = Ways(seconds=0.6, slots=1)

    async def asked() -> Sequence[object]:
        model = CompatibleModel("", server.address, catalogue={})
        gateway = ModelGateway(model, settings, backoff_s=0.01)
        calls = (gateway.ask(CHECK_STATEMENT, CHECK, log=CallLog(), model=NAME) for _ in range(8))
        replies = await asyncio.gather(*calls)
        await model.aclose()
        return replies

    with Peculiar(ways) as server:
        replies = asyncio.run(asked())
    assert [reply for reply in replies if not isinstance(reply, StatementCheck)] == []
    assert len(ways.asked) <= 8 + 5  # those that timed out, once more each


def test_the_limit_is_what_a_server_served_in_half_of_the_time_and_grows_with_quick_replies() -> None:
    slots = Slots(100)
    for _ in range(10):
        slots.note(REPLY, 3.0, 30.0, 0)
    for _ in range(90):
        slots.note(ModelTimedOut("silent"), 30.0, 30.0, 0)
    assert slots.limit == 5
    slots.note(REPLY, 15.0, 30.0, 0)
    assert slots.limit == 5
    for _ in range(200):
        slots.note(REPLY, 1.0, 30.0, 0)
    assert slots.limit == 100


def test_a_smaller_limit_holds_for_those_that_come_and_those_that_wait() -> None:
    async def taken() -> tuple[list[bool], bool]:
        slots, are_full = Slots(10), list[bool]()
        for _ in range(3):
            await slots.take(math.inf)
        slots.note(ModelTimedOut("silent"), 30.0, 30.0, 0)
        waiting = asyncio.ensure_future(slots.take(math.inf))
        await asyncio.sleep(0)
        for _ in range(3):
            are_full.append(slots.is_full())
            slots.give_back()
        await waiting
        return are_full, slots.is_full()

    assert asyncio.run(taken()) == ([True, True, True], True)


def test_who_gives_up_waiting_leaves_no_slot_taken() -> None:
    async def left() -> bool:
        slots = Slots(1)
        await slots.take(math.inf)
        with pytest.raises(NoFreeSlot):
            await slots.take(time.monotonic())
        waiting = asyncio.ensure_future(slots.take(math.inf))
        await asyncio.sleep(0)
        slots.give_back()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await slots.take(time.monotonic())
        waiting = asyncio.ensure_future(slots.take(math.inf))
        await asyncio.sleep(0)
        waiting.cancel()
        slots.give_back()
        await asyncio.gather(waiting, return_exceptions=True)
        return slots.is_full()

    assert not asyncio.run(left())
