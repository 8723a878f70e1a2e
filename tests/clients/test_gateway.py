"""The gateway against the simulated provider: retries, fallbacks, deadlines, and books that agree to the token."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator
from typing import TypeVar

import pytest

from clients.llm.gateway import ComposedText, Failure, ModelGateway
from clients.llm.protocol import CallLog, CallRecord
from config.models import ModelSettings
from domain.judgements import CHECK_STATEMENT, GENERATE_ANSWER, Composition, StatementCheck
from domain.prompts import prompt_version
from tests.clients.groq_questions import ANSWER, ASKED, IDK, QUESTION, SOURCES, STATEMENT, Task
from tests.clients.groq_stage import GroqStage
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import KEY, GroqSimulator

T = TypeVar("T")
MAIN, FAST = "openai/gpt-oss-120b", "openai/gpt-oss-20b"
CHECK = {"sources": SOURCES, "statement": STATEMENT}
WRITE = {"sources": SOURCES, "question": QUESTION, "idk": IDK}
PATIENT = ModelSettings(call_timeout_s=10, deadline_s=20)
HURRIED = ModelSettings(call_timeout_s=0.7, deadline_s=20)


def play(
    stage: GroqStage,
    scenario: Callable[[ModelGateway], Awaitable[T]],
    settings: ModelSettings = PATIENT,
    *,
    url: str | None = None,
    key: str = KEY,
) -> T:
    """Play a scenario with a new gateway in front of the client."""
    return stage.run(lambda model: scenario(ModelGateway(model, settings, backoff_s=0.01)), url=url, key=key)


@pytest.fixture(scope="module")
def kept() -> Generator[GroqStage]:
    """One simulator and one client for the whole file."""
    with GroqStage() as stage:
        yield stage


@pytest.fixture
def stage(kept: GroqStage) -> GroqStage:
    """The stage with empty books."""
    kept.sim.reset()
    return kept


@pytest.fixture
def log() -> CallLog:
    """Where the attempts are recorded."""
    return CallLog()


def check(log: CallLog) -> Callable[[ModelGateway], Awaitable[StatementCheck | Failure]]:
    """Ask for a statement check."""
    return lambda gateway: gateway.ask(CHECK_STATEMENT, CHECK, log=log, item="s1")


def write(log: CallLog) -> Callable[[ModelGateway], Awaitable[ComposedText | Failure]]:
    """Ask for an answer."""
    return lambda gateway: gateway.compose(GENERATE_ANSWER, WRITE, log=log)


def assert_books_agree(log: CallLog, sim: GroqSimulator) -> None:
    """One record per call that the provider saw, in its order; equal to the token wherever the provider told them."""
    for record, entry in zip(log.records, sim.ledger.entries, strict=True):
        usage = record.usage
        ours = (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens, usage.reasoning_tokens)
        theirs = (entry.prompt_tokens, entry.completion_tokens, entry.cached_tokens, entry.reasoning_tokens)
        assert ours == theirs or usage.estimated
        assert record.model == entry.model
        assert record.status in (None, entry.status)
        assert record.request_id in (None, entry.id)


def failed(outcome: object) -> Failure:
    """The outcome, which must be a failure."""
    assert isinstance(outcome, Failure)
    return outcome


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


# What a fault that goes away after one call leads to: recovery, or a failure at once.
PASSING = {
    FaultKind.RATE_LIMITED,
    FaultKind.CAPACITY,
    FaultKind.CANCELLED,
    FaultKind.UNAVAILABLE,
    FaultKind.SERVER_ERROR,
    FaultKind.BAD_GATEWAY,
    FaultKind.JSON_VALIDATE_FAILED,
    FaultKind.HALLUCINATION,
    FaultKind.HTML,
    FaultKind.HANG,
    FaultKind.DRIP,
    FaultKind.RESET,
    FaultKind.CUT,
    FaultKind.BAD_JSON,
    FaultKind.NO_CHOICES,
    FaultKind.STREAM_ERROR,
    FaultKind.ERROR_EVENT,
    FaultKind.LENGTH,
    FaultKind.EMPTY,
    FaultKind.WRONG_SCHEMA,
    FaultKind.LOOSE,
    FaultKind.NUL,
}
ENDLESS = {FaultKind.HANG, FaultKind.DRIP}
REFUSED = {FaultKind.OUTPUT_TOO_LARGE, FaultKind.TOO_LARGE, FaultKind.FORBIDDEN, FaultKind.SPEND_CAP}
GONE = {FaultKind.MODEL_NOT_FOUND, FaultKind.MODEL_DECOMMISSIONED}


def test_every_fault_is_in_one_of_the_groups() -> None:
    assert PASSING | REFUSED | GONE | {FaultKind.LYING, FaultKind.OBEYING, FaultKind.BELIEVING} == set(FaultKind)


@pytest.mark.parametrize("fault", sorted(PASSING))
def test_a_passing_fault_costs_one_more_call(stage: GroqStage, log: CallLog, fault: FaultKind) -> None:
    stage.sim.fail(fault)
    assert isinstance(play(stage, check(log), HURRIED if fault in ENDLESS else PATIENT), StatementCheck)
    broken, good = log.records
    assert (broken.attempt, good.attempt) == (1, 2)
    assert broken.error
    assert good.error is None
    assert_books_agree(log, stage.sim)


@pytest.mark.parametrize("fault", sorted(PASSING - {FaultKind.WRONG_SCHEMA, FaultKind.LOOSE, FaultKind.NUL}))
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
        (FaultKind.BAD_JSON, "invalid_reply", 3),
        (FaultKind.WRONG_SCHEMA, "invalid_reply", 3),
    ],
)
def test_a_lasting_fault_ends_after_the_allowed_tries_with_a_reason(
    stage: GroqStage, log: CallLog, fault: FaultKind, kind: str, calls: int
) -> None:
    stage.sim.fail(Fault(kind=fault, times=None))
    failure = failed(play(stage, check(log)))
    assert failure.kind == kind
    assert failure.reason.startswith(f"{FAST} gave no usable reply in {calls} tries: ")
    assert [record.attempt for record in log.records] == list(range(1, calls + 1))
    assert_books_agree(log, stage.sim)


def test_invalid_replies_are_bought_at_most_three_times(stage: GroqStage, log: CallLog) -> None:
    stage.sim.fail(Fault(kind=FaultKind.WRONG_SCHEMA, times=None))
    failed(play(stage, check(log), PATIENT.model_copy(update={"attempts": 10})))
    assert len(stage.sim.ledger.billed) == 3
    assert_books_agree(log, stage.sim)


def test_a_reply_of_the_wrong_shape_is_recorded_with_what_is_wrong_and_what_it_cost(
    stage: GroqStage, log: CallLog
) -> None:  # N4
    stage.sim.fail(FaultKind.WRONG_SCHEMA)
    play(stage, check(log))
    record = log.records[0]
    assert record.reply_text == '{"verdict": "fine"}'
    assert "is_accurate: Field required" in (record.error or "")
    assert record.usage.completion_tokens == stage.sim.ledger.entries[0].completion_tokens > 0


def test_a_truncated_reply_is_asked_again_with_more_room(stage: GroqStage, log: CallLog) -> None:
    tight = Composition(GENERATE_ANSWER.name, "main", max_tokens=30)  # 24 go into reasoning
    outcome = play(stage, lambda gateway: gateway.compose(tight, WRITE, log=log))
    assert outcome == ComposedText(ANSWER, MAIN, "stop")
    assert len(log.records) == 2


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
    assert time.monotonic() - started < 5
    assert len(log.records) == 1


def test_a_storm_of_rate_limits_ends_with_the_deadline(stage: GroqStage, log: CallLog) -> None:
    stage.sim.fail(Fault(kind=FaultKind.RATE_LIMITED, times=None, retry_after=0.05))
    started = time.monotonic()
    failure = failed(play(stage, check(log), ModelSettings(deadline_s=0.5)))
    assert time.monotonic() - started < 1.5
    assert failure.kind in {"rate_limited", "deadline"}
    assert {record.status for record in log.records[:-1]} == {429}
    assert_books_agree(log, stage.sim)


@pytest.mark.parametrize("ask", [check, write])
def test_the_deadline_covers_all_tries(
    stage: GroqStage, log: CallLog, ask: Callable[[CallLog], Callable[[ModelGateway], Awaitable[object]]]
) -> None:
    stage.sim.fail(Fault(kind=FaultKind.RATE_LIMITED, retry_after=0.2), Fault(kind=FaultKind.HANG, times=None))
    settings = ModelSettings(call_timeout_s=30, deadline_s=0.7, attempts=10)
    started = time.monotonic()
    failure = failed(play(stage, ask(log), settings))
    assert time.monotonic() - started < settings.deadline_s + 1
    assert failure.kind == "deadline"
    assert [record.usage.estimated for record in log.records] == [False, True]


def test_a_wrong_key_is_one_call_and_a_reason_without_the_key(stage: GroqStage, log: CallLog) -> None:  # A8
    failure = failed(play(stage, check(log), key="gsk_wrong_0815"))
    assert failure.kind == "refused"
    assert "GROQ_API_KEY" in failure.reason
    assert "0815" not in failure.reason
    assert len(log.records) == 1


def test_an_unreachable_server_is_tried_again_and_costs_nothing(stage: GroqStage, log: CallLog) -> None:
    with GroqSimulator() as stopped:
        url = stopped.base_url
    failure = failed(play(stage, check(log), url=url))
    assert failure.kind == "unavailable"
    assert f"cannot reach {url.removeprefix('http://')}" in failure.reason
    assert [record.usage.prompt_tokens for record in log.records] == [0, 0, 0]


def test_a_model_that_is_gone_is_replaced_and_never_called_again(stage: GroqStage, log: CallLog) -> None:  # S4.1
    async def twice(gateway: ModelGateway) -> list[object]:
        return [await gateway.ask(CHECK_STATEMENT, CHECK, log=log) for _ in range(2)]

    with GroqSimulator(gone=[FAST]) as sim:
        outcomes = play(stage, twice, url=sim.base_url)
        assert_books_agree(log, sim)
    assert all(isinstance(outcome, StatementCheck) for outcome in outcomes)
    assert [(record.model, record.status) for record in log.records] == [(FAST, 404), (MAIN, None), (MAIN, None)]


def test_when_all_models_are_gone_the_reason_names_each(stage: GroqStage, log: CallLog) -> None:
    async def twice(gateway: ModelGateway) -> list[object]:
        return [await gateway.compose(GENERATE_ANSWER, WRITE, log=log) for _ in range(2)]

    with GroqSimulator(gone=[MAIN, FAST]) as sim:
        first, second = (failed(outcome) for outcome in play(stage, twice, url=sim.base_url))
    assert first == second
    assert first.kind == "gone"
    assert MAIN in first.reason
    assert FAST in first.reason
    assert len(log.records) == 2


def test_a_fallback_does_not_get_new_attempts(stage: GroqStage, log: CallLog) -> None:
    stage.sim.fail(FaultKind.UNAVAILABLE, FaultKind.MODEL_NOT_FOUND, Fault(kind=FaultKind.UNAVAILABLE, times=None))
    assert failed(play(stage, check(log))).kind == "unavailable"
    assert [record.model for record in log.records] == [FAST, FAST, MAIN, MAIN]


def test_a_request_may_choose_its_model(stage: GroqStage, log: CallLog) -> None:  # S2.5
    play(stage, lambda gateway: gateway.compose(GENERATE_ANSWER, WRITE, log=log, model="qwen/qwen3.6-27b"))
    assert [record.model for record in log.records] == ["qwen/qwen3.6-27b"]


def test_s4s_fast_model_falls_back_to_its_successor(stage: GroqStage, log: CallLog) -> None:  # S4.1
    settings = PATIENT.model_copy(update={"fast": "llama-3.1-8b-instant"})
    assert isinstance(play(stage, check(log), settings), StatementCheck)
    assert [record.model for record in log.records] == ["llama-3.1-8b-instant", FAST]


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


def test_a_model_that_was_gone_is_tried_again_later(
    stage: GroqStage, log: CallLog, monkeypatch: pytest.MonkeyPatch
) -> None:  # S4.1
    monkeypatch.setattr("clients.llm.gateway.GONE_FOR_S", 0.0)

    async def twice(gateway: ModelGateway) -> list[object]:
        return [await gateway.ask(CHECK_STATEMENT, CHECK, log=log) for _ in range(2)]

    with GroqSimulator(gone=[FAST]) as sim:
        play(stage, twice, url=sim.base_url)
    assert [record.model for record in log.records] == [FAST, MAIN, FAST, MAIN]
