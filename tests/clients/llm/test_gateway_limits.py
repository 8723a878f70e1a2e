"""Rate limits, waiting and deadlines: the time that a question may take, and what it does not spend on waiting."""

import time
from collections.abc import Awaitable, Callable

import pytest

from citewell_verify.prompting.judgements import StatementCheck
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog
from config.models import ModelSettings
from tests.clients.gateway_play import PATIENT, assert_books_agree, check, failed, play, write
from tests.clients.groq_stage import GroqStage
from tests.simulators.groq.faults import Fault, FaultKind


def test_a_rate_limit_uses_up_no_attempt(stage: GroqStage, log: CallLog) -> None:
    stage.sim.fail(Fault(kind=FaultKind.RATE_LIMITED, times=6, retry_after=0.01))
    settings = PATIENT.model_copy(update={"attempts": 1})
    assert isinstance(play(stage, check(log), settings), StatementCheck)
    assert [record.status for record in log.records] == [429] * 6 + [None]
    assert_books_agree(log, stage.sim)


def test_retry_after_is_waited_for(stage: GroqStage, log: CallLog) -> None:
    stage.sim.fail(Fault(kind=FaultKind.RATE_LIMITED, retry_after=0.4))
    started = time.monotonic()
    assert isinstance(play(stage, check(log)), StatementCheck)
    assert time.monotonic() - started >= 0.4


def test_a_retry_after_beyond_the_deadline_fails_at_once(stage: GroqStage, log: CallLog) -> None:
    stage.sim.fail(Fault(kind=FaultKind.RATE_LIMITED, retry_after=60))
    started = time.monotonic()
    assert failed(play(stage, check(log))).kind == "rate_limited"
    # The server asked for 60.
    assert time.monotonic() - started < 40
    assert len(log.records) == 1


@pytest.mark.slow
def test_a_storm_of_rate_limits_ends_with_the_deadline(stage: GroqStage, log: CallLog) -> None:
    stage.sim.fail(Fault(kind=FaultKind.RATE_LIMITED, times=None, retry_after=0.05))
    started = time.monotonic()
    failure = failed(play(stage, check(log), ModelSettings(deadline_s=2.0)))
    # Without a deadline of its own it would have gone on for 90.
    assert time.monotonic() - started < 40
    assert failure.kind in {"rate_limited", "deadline"}
    assert {record.status for record in log.records[:-1]} == {429}
    # The last call may be stopped before the provider has read it.
    seen = len(stage.sim.ledger.entries)
    assert len(log.records) - seen <= 1
    assert_books_agree(CallLog(log.records[:seen]), stage.sim)


@pytest.mark.parametrize("ask", [check, write])
def test_the_deadline_covers_all_tries(
    stage: GroqStage, log: CallLog, ask: Callable[[CallLog], Callable[[ModelGateway], Awaitable[object]]]
) -> None:
    # Long enough for the second try to begin on a busy machine.
    stage.sim.fail(Fault(kind=FaultKind.RATE_LIMITED, retry_after=0.05), Fault(kind=FaultKind.HANG, times=None))
    settings = ModelSettings(call_timeout_s=30, deadline_s=2.0, attempts=10)
    started = time.monotonic()
    failure = failed(play(stage, ask(log), settings))
    # Each try alone may take 30.
    assert time.monotonic() - started < 25
    assert failure.kind == "deadline"
    assert [record.usage.estimated for record in log.records] == [False, True]
