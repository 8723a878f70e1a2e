"""Models that are gone, and their replacements."""

import pytest

from citewell_verify.prompting.judgements import CHECK_STATEMENT, GENERATE_ANSWER, StatementCheck
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog
from tests.clients.gateway_play import CHECK, FAST, MAIN, PATIENT, WRITE, assert_books_agree, check, failed, play
from tests.clients.groq_stage import GroqStage
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator


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


def test_a_model_that_was_gone_is_tried_again_later(
    stage: GroqStage, log: CallLog, monkeypatch: pytest.MonkeyPatch
) -> None:  # S4.1
    monkeypatch.setattr("clients.llm.gateway.GONE_FOR_S", 0.0)

    async def twice(gateway: ModelGateway) -> list[object]:
        return [await gateway.ask(CHECK_STATEMENT, CHECK, log=log) for _ in range(2)]

    with GroqSimulator(gone=[FAST]) as sim:
        play(stage, twice, url=sim.base_url)
    assert [record.model for record in log.records] == [FAST, MAIN, FAST, MAIN]
