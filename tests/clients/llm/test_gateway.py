"""The gateway against the simulated provider: retries, fallbacks, deadlines, and books that agree to the token."""

import asyncio

import pytest

from citewell_verify.judging.statement import Failure
from citewell_verify.prompting.judgements import GENERATE_ANSWER, Composition, StatementCheck
from citewell_verify.prompting.prompts import prompt_version
from clients.llm.gateway import ComposedText, ModelGateway
from clients.llm.protocol import CallLog, CallRecord
from tests.clients.gateway_play import (
    ALONE,
    FAST,
    HURRIED,
    MAIN,
    PATIENT,
    WRITE,
    assert_books_agree,
    check,
    failed,
    play,
    write,
)
from tests.clients.groq_questions import ANSWER, ASKED, Task
from tests.clients.groq_stage import GroqStage
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator


@pytest.mark.parametrize(("task", "fields"), ASKED, ids=[task.name for task, _ in ASKED])
def test_every_prompt_gets_a_usable_reply_and_one_record(
    stage: GroqStage, log: CallLog, task: Task, fields: dict[str, object]
) -> None:  # A4
    async def answer(gateway: ModelGateway) -> object:
        if isinstance(task, Composition):
            return await gateway.compose(task, fields, log=log)
        return await gateway.ask(task, fields, log=log, item="7")

    outcome = play(stage, answer)
    (record,) = log.records
    assert isinstance(outcome, ComposedText if isinstance(task, Composition) else task.reply)
    assert (record.provider, record.prompt, record.prompt_version) == ("groq", task.name, prompt_version(task.name))
    assert (record.attempt, record.error, record.finish_reason) == (1, None, "stop")
    assert record.model == (MAIN if task.role == "main" else FAST)
    assert record.item == ("" if isinstance(task, Composition) else "7")
    assert record.request_id == stage.sim.ledger.entries[0].id
    assert record.reply_text
    assert record.duration_ms > 0
    assert_books_agree(log, stage.sim)


# The result of a fault that disappears after one call: recovery, or an immediate failure.
PASSING = {
    FaultKind.RATE_LIMITED,
    FaultKind.CAPACITY,
    FaultKind.CANCELLED,
    FaultKind.UNAVAILABLE,
    FaultKind.SERVER_ERROR,
    FaultKind.ECHO_500,
    FaultKind.BAD_GATEWAY,
    FaultKind.JSON_VALIDATE_FAILED,
    FaultKind.HALLUCINATION,
    FaultKind.HTML,
    FaultKind.HANG,
    FaultKind.RESET,
    FaultKind.CUT,
    FaultKind.BAD_JSON,
    FaultKind.NO_CHOICES,
    FaultKind.STREAM_ERROR,
    FaultKind.ERROR_EVENT,
    FaultKind.LENGTH,
    FaultKind.EMPTY,
    FaultKind.WRONG_SCHEMA,
    FaultKind.NUL,
    FaultKind.HUGE,
    FaultKind.ENDLESS,
}
ENDLESS = {FaultKind.HANG}
REFUSED = {
    FaultKind.OUTPUT_TOO_LARGE,
    FaultKind.TOO_LARGE,
    FaultKind.FORBIDDEN,
    FaultKind.SPEND_CAP,
    FaultKind.NO_CREDIT,
    FaultKind.ECHO,
}
GONE = {FaultKind.MODEL_NOT_FOUND, FaultKind.MODEL_DECOMMISSIONED}


def test_every_fault_is_in_one_of_the_groups() -> None:
    well_formed = {FaultKind.LYING, FaultKind.MIXED_UP, FaultKind.OBEYING, FaultKind.BELIEVING}
    # A reply that drips is waited for.
    well_formed |= {FaultKind.SAYING, FaultKind.TELLING, FaultKind.LOOSE, FaultKind.DRIP}
    assert PASSING | REFUSED | GONE | well_formed == set(FaultKind)


@pytest.mark.parametrize("fault", sorted(PASSING))
def test_a_passing_fault_costs_one_more_call(stage: GroqStage, log: CallLog, fault: FaultKind) -> None:
    stage.sim.fail(fault)
    assert isinstance(play(stage, check(log), HURRIED if fault in ENDLESS else PATIENT), StatementCheck)
    broken, good = log.records
    assert (broken.attempt, good.attempt) == (1, 2)
    assert broken.error
    assert good.error is None
    assert_books_agree(log, stage.sim)


@pytest.mark.parametrize("fault", sorted(PASSING - {FaultKind.WRONG_SCHEMA, FaultKind.NUL}))
def test_a_broken_stream_is_started_again_and_its_text_is_thrown_away(
    stage: GroqStage, log: CallLog, fault: FaultKind
) -> None:
    stage.sim.fail(fault)
    outcome = play(stage, write(log), HURRIED if fault in ENDLESS else PATIENT)
    assert outcome == ComposedText(ANSWER, MAIN, "stop")
    assert len(log.records) == 2
    assert_books_agree(log, stage.sim)


@pytest.mark.parametrize("fault", sorted(REFUSED))
def test_what_no_retry_can_cure_is_not_retried(stage: GroqStage, log: CallLog, fault: FaultKind) -> None:
    stage.sim.fail(Fault(kind=fault, times=None))
    assert failed(play(stage, check(log))).kind == "refused"
    assert len(log.records) == 1
    assert_books_agree(log, stage.sim)


@pytest.mark.parametrize(
    ("fault", "kind", "calls"),
    [
        (FaultKind.UNAVAILABLE, "unavailable", 3),
        (FaultKind.CAPACITY, "unavailable", 3),
        (FaultKind.RESET, "unavailable", 3),
        (FaultKind.BAD_JSON, "invalid_reply", 2),
        (FaultKind.WRONG_SCHEMA, "invalid_reply", 2),
    ],
)
def test_a_lasting_fault_ends_after_the_allowed_tries_with_a_reason(
    stage: GroqStage, log: CallLog, fault: FaultKind, kind: str, calls: int
) -> None:
    stage.sim.fail(Fault(kind=fault, times=None))
    failure = failed(play(stage, check(log), ALONE))
    assert failure.kind == kind
    assert failure.reason.startswith(f"{FAST} gave no usable reply in {calls} tries: ")
    assert [record.attempt for record in log.records] == list(range(1, calls + 1))
    assert_books_agree(log, stage.sim)


def test_a_model_that_is_away_is_stood_in_for_however_few_ask(stage: GroqStage, log: CallLog) -> None:  # A7, S4.1
    stage.sim.fail(Fault(kind=FaultKind.UNAVAILABLE, match=FAST, times=None))
    assert isinstance(play(stage, check(log)), StatementCheck)
    assert [record.model for record in log.records] == [FAST] * 3 + [PATIENT.fallbacks[FAST][0]]


def test_invalid_replies_are_bought_at_most_twice(stage: GroqStage, log: CallLog) -> None:
    stage.sim.fail(Fault(kind=FaultKind.WRONG_SCHEMA, times=None))
    failed(play(stage, check(log), PATIENT.model_copy(update={"attempts": 10})))
    assert len(stage.sim.ledger.billed) == 2
    assert_books_agree(log, stage.sim)


def test_a_reply_of_the_wrong_shape_is_recorded_with_what_is_wrong_and_what_it_cost(
    stage: GroqStage, log: CallLog
) -> None:  # N4
    stage.sim.fail(FaultKind.WRONG_SCHEMA)
    play(stage, check(log))
    record = log.records[0]
    assert record.reply_text == '{"verdict": "fine"}'
    assert "none of the fields evidence, differences" in (record.error or "")
    assert record.usage.completion_tokens == stage.sim.ledger.entries[0].completion_tokens > 0


def test_a_truncated_reply_is_asked_again_with_more_room(stage: GroqStage, log: CallLog) -> None:
    tight = Composition(GENERATE_ANSWER.name, "main", max_tokens=30)  # 24 go into reasoning
    outcome = play(stage, lambda gateway: gateway.compose(tight, WRITE, log=log))
    assert outcome == ComposedText(ANSWER, MAIN, "stop")
    assert len(log.records) == 2


def test_a_wrong_key_is_one_call_and_a_reason_without_the_key(stage: GroqStage, log: CallLog) -> None:  # A8
    failure = failed(play(stage, check(log), key="gsk_wrong_0815"))
    assert failure.kind == "refused"
    assert "GROQ_API_KEY" in failure.reason
    assert "0815" not in failure.reason
    assert len(log.records) == 1


def test_an_unreachable_server_is_tried_again_and_costs_nothing(stage: GroqStage, log: CallLog) -> None:
    with GroqSimulator() as stopped:
        url = stopped.base_url
    failure = failed(play(stage, check(log), ALONE, url=url))
    assert failure.kind == "unavailable"
    assert f"cannot reach {url.removeprefix('http://')}" in failure.reason
    assert [record.usage.prompt_tokens for record in log.records] == [0, 0, 0]


def test_text_arrives_while_it_grows_and_again_from_the_start_after_a_cut(stage: GroqStage, log: CallLog) -> None:
    seen: list[str] = []
    stage.sim.fail(FaultKind.CUT)
    play(stage, lambda gateway: gateway.compose(GENERATE_ANSWER, WRITE, log=log, on_text=seen.append))
    restart = next(i for i in range(1, len(seen)) if len(seen[i]) <= len(seen[i - 1]))
    assert all(ANSWER.startswith(text) for text in seen)
    assert seen[restart - 1] == log.records[0].reply_text != ANSWER
    assert seen[-1] == ANSWER


def test_what_the_listener_raises_is_not_taken_for_a_failure_of_the_model(stage: GroqStage, log: CallLog) -> None:
    def broken(_text: str) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        play(stage, lambda gateway: gateway.compose(GENERATE_ANSWER, WRITE, log=log, on_text=broken))


def test_many_at_once_under_all_kinds_of_faults_end_each_in_a_value_and_the_books_agree(stage: GroqStage) -> None:
    fleeting = sorted(PASSING - ENDLESS - {FaultKind.HTML})
    stage.sim.fail(*(Fault(kind=kind, probability=0.04, times=None) for kind in fleeting))
    logs = [CallLog() for _ in range(80)]

    async def all_at_once(gateway: ModelGateway) -> list[object]:
        calls = (check(log)(gateway) if i % 2 else write(log)(gateway) for i, log in enumerate(logs))
        return await asyncio.gather(*calls)

    outcomes = play(stage, all_at_once)
    assert all(isinstance(outcome, StatementCheck | ComposedText | Failure) for outcome in outcomes)
    records: list[CallRecord] = [record for log in logs for record in log.records]
    assert len(records) == len(stage.sim.ledger.entries)
    told = {record.request_id: record.usage for record in records if not record.usage.estimated}
    billed = [entry for entry in stage.sim.ledger.billed if entry.id in told]
    assert sum(usage.prompt_tokens for usage in told.values()) == sum(entry.prompt_tokens for entry in billed)
    assert sum(usage.completion_tokens for usage in told.values()) == sum(entry.completion_tokens for entry in billed)
    unknown = len(stage.sim.ledger.billed) - len(billed)
    assert unknown == sum(record.usage.estimated for record in records)
