"""The gateway's requests and reports to the limiter, and calls that are deferred."""

import asyncio
import time

import pytest

from citewell_verify.prompting.judgements import CHECK_STATEMENT, GENERATE_ANSWER, StatementCheck
from clients.limiter import Priority
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallDeferred, CallLog, ModelRateLimited, ModelReply, ModelReplyInvalid, Terms
from tests.clients.gateway_play import FAST, PATIENT, WRITE, check, failed, play, write
from tests.clients.groq_stage import GroqStage
from tests.clients.limiting import Doorkeeper
from tests.simulators.groq.faults import Fault, FaultKind


def test_every_attempt_is_let_in_and_settled_with_what_came_of_it(stage: GroqStage, log: CallLog) -> None:  # A7
    stage.sim.fail(Fault(kind=FaultKind.RATE_LIMITED, retry_after=0.01), FaultKind.WRONG_SCHEMA)
    door, log.terms = Doorkeeper(), Terms(is_batch=True, since=7.0)
    assert isinstance(play(stage, check(log), limiter=door), StatementCheck)
    assert [type(outcome) for outcome in door.settled] == [ModelRateLimited, ModelReplyInvalid, ModelReply]
    assert door.held == []
    assert {asked[0] for asked in door.asked} == {FAST}
    assert {asked[2] for asked in door.asked} == {Priority(is_batch=True, since=7.0)}


def test_a_call_reserves_what_it_may_cost_at_most(stage: GroqStage, log: CallLog) -> None:  # A7
    door = Doorkeeper()
    play(stage, check(log), limiter=door)
    play(stage, write(log), limiter=door)
    for (_, tokens, _, _), entry, task in zip(
        door.asked, stage.sim.ledger.entries, (CHECK_STATEMENT, GENERATE_ANSWER), strict=True
    ):
        # The provider may count the schema too.
        assert 0.7 < (tokens - task.max_tokens) / entry.prompt_tokens < 1.2
        assert tokens >= entry.prompt_tokens + entry.completion_tokens


def test_who_names_its_patience_is_sent_away_without_a_call(stage: GroqStage, log: CallLog) -> None:  # A7
    log.terms = Terms(patience_s=1.0)
    with pytest.raises(CallDeferred) as deferred:
        play(stage, check(log), limiter=Doorkeeper(5.0))
    assert deferred.value.wait_s == 5.0
    assert (log.records, stage.sim.ledger.entries) == ([], [])


def test_who_is_patient_waits_within_the_deadline_and_fails_with_a_reason(stage: GroqStage, log: CallLog) -> None:
    door = Doorkeeper(PATIENT.deadline_s + 1)
    failure = failed(play(stage, check(log), limiter=door))
    assert failure.kind == "rate_limited"
    assert f"{FAST} is full" in failure.reason
    assert PATIENT.deadline_s / 2 < door.asked[0][3] <= PATIENT.deadline_s


def test_a_429_longer_than_the_patience_defers_and_its_attempt_is_in_the_books(
    stage: GroqStage, log: CallLog
) -> None:  # A7
    stage.sim.fail(Fault(kind=FaultKind.RATE_LIMITED, retry_after=30))
    log.terms = Terms(patience_s=0.5)
    with pytest.raises(CallDeferred) as deferred:
        play(stage, check(log))
    assert 25 < deferred.value.wait_s <= 30
    assert [record.status for record in log.records] == [429]


def test_waiting_for_a_place_uses_up_no_attempt(stage: GroqStage, log: CallLog) -> None:  # A7
    async def three_times(gateway: ModelGateway) -> object:
        for _ in range(2):
            with pytest.raises(CallDeferred):
                await check(log)(gateway)
        return await check(log)(gateway)

    log.terms = Terms(patience_s=0.1)
    settings = PATIENT.model_copy(update={"attempts": 1})
    assert isinstance(play(stage, three_times, settings, limiter=Doorkeeper(1, 1)), StatementCheck)
    assert [record.attempt for record in log.records] == [1]


def test_an_end_that_has_passed_is_a_failure_without_a_call(stage: GroqStage, log: CallLog) -> None:
    log.terms = Terms(ends_at=time.monotonic() - 1)
    assert failed(play(stage, check(log))).kind == "deadline"
    assert stage.sim.ledger.entries == []


@pytest.mark.parametrize("wait", [1.0, 50.0])
def test_nobody_is_told_to_come_again_after_the_end(stage: GroqStage, log: CallLog, wait: float) -> None:
    log.terms = Terms(patience_s=0.1, ends_at=time.monotonic() + 30)
    door = Doorkeeper(wait)
    if wait < 30:
        with pytest.raises(CallDeferred):
            play(stage, check(log), limiter=door)
    else:
        assert failed(play(stage, check(log), limiter=door)).kind == "deadline"


def test_the_end_bounds_a_call_that_hangs(stage: GroqStage, log: CallLog) -> None:
    stage.sim.fail(Fault(kind=FaultKind.HANG, times=None))
    started = time.monotonic()
    log.terms = Terms(ends_at=started + 0.3)
    assert failed(play(stage, check(log))).kind == "deadline"
    # The call alone may take 10.
    assert time.monotonic() - started < 8


def test_a_call_that_is_stopped_gives_its_place_back_and_is_recorded(stage: GroqStage, log: CallLog) -> None:  # A4
    stage.sim.fail(Fault(kind=FaultKind.HANG, times=None))
    door = Doorkeeper()

    async def stopped(gateway: ModelGateway) -> None:
        asking = asyncio.ensure_future(check(log)(gateway))
        while not stage.sim.ledger.entries:
            await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await log.settled()

    play(stage, stopped, limiter=door)
    assert (door.held, door.settled) == ([], [None])
    (record,) = log.records
    assert record.error == "stopped before its end"
    assert record.usage.estimated
    assert record.usage.prompt_tokens > 100


def test_what_a_listener_breaks_gives_its_place_back(stage: GroqStage, log: CallLog) -> None:
    def broken(_text: str) -> None:
        raise ZeroDivisionError

    door = Doorkeeper()
    with pytest.raises(ZeroDivisionError):
        play(stage, lambda gateway: gateway.compose(GENERATE_ANSWER, WRITE, log=log, on_text=broken), limiter=door)
    assert door.held == []


def test_after_a_429_others_of_the_process_wait_too(stage: GroqStage, log: CallLog) -> None:  # A7
    stage.sim.fail(Fault(kind=FaultKind.RATE_LIMITED, retry_after=0.3))

    async def one_after_another(gateway: ModelGateway) -> float:
        started = time.monotonic()  # before the 429, and not when it has been heard of
        first = asyncio.ensure_future(check(log)(gateway))
        while not log.records:
            await asyncio.sleep(0.005)
        await check(CallLog())(gateway)
        waited = time.monotonic() - started
        await first
        return waited

    assert play(stage, one_after_another) >= 0.3
    assert [entry.status for entry in stage.sim.ledger.entries] == [429, 200, 200]


@pytest.mark.slow
def test_who_waits_for_a_slot_has_no_tokens_and_does_not_time_out(stage: GroqStage) -> None:
    stage.sim.fail(Fault(kind=FaultKind.HANG, times=3))
    settings = PATIENT.model_copy(update={"call_timeout_s": 1.0, "concurrency": 1, "attempts": 1, "fallbacks": {}})
    door, logs = Doorkeeper(), [CallLog() for _ in range(4)]
    held: list[int] = []

    async def crowd(gateway: ModelGateway) -> list[object]:
        asked = [asyncio.ensure_future(check(log)(gateway)) for log in logs]
        while not all(call.done() for call in asked):
            held.append(len(door.held))
            await asyncio.sleep(0.05)
        return [call.result() for call in asked]

    *hanging, last = play(stage, crowd, settings, limiter=door)
    assert [failed(call).kind for call in hanging] == ["unavailable"] * 3
    assert isinstance(last, StatementCheck)  # having waited for three times the timeout of its call
    assert max(held) == 1
    assert [len(log.records) for log in logs] == [1] * 4
    assert all(log.records[0].duration_ms < 2_500 for log in logs)
