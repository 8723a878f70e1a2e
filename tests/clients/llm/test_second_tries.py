"""What a second try at a judgement says, and when none is needed."""

import asyncio
import json
from typing import Any

import pytest

from citewell_verify.prompting.judgements import CHECK_STATEMENT, GENERATE_ANSWER, StatementCheck
from clients.llm.completions.adaptations import told
from clients.llm.completions.learned_parameters import read_learned
from clients.llm.completions.providers import CompatibleModel
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog, PromptText, Terms
from config.models import ModelSettings
from tests.clients.gateway_play import ALONE, CHECK, WRITE, check, failed, play, write
from tests.clients.groq_questions import STATEMENT
from tests.clients.groq_stage import GroqStage
from tests.clients.llm.test_gateway_kept import Drawer
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.peculiar import NAME, Peculiar, Ways

VERDICT: dict[str, Any] = {
    "evidence": STATEMENT,
    "differences": [],
    "explanation": "It says so.",
    "relation": "supports",
    "is_accurate": True,
    "confidence": 0.9,
}
FENCED = f"Here it is:\n```json\n{json.dumps(VERDICT)}\n```"


def test_a_second_try_says_what_was_wrong_with_the_first(stage: GroqStage, log: CallLog) -> None:
    # Only a prompt with these words gets the verdict.
    told = Fault(kind=FaultKind.SAYING, match="none of the fields evidence, differences", quote=FENCED)
    stage.sim.fail(FaultKind.WRONG_SCHEMA, told, Fault(kind=FaultKind.FORBIDDEN, times=None))
    assert play(stage, check(log), ALONE) == StatementCheck.model_validate(VERDICT)
    first, second = log.records
    assert second.usage.prompt_tokens > first.usage.prompt_tokens
    # A replay finds either under the question.
    assert first.prompt_sha256 == second.prompt_sha256 == PromptText(CHECK_STATEMENT.name, CHECK).sha256


def test_a_second_try_is_kept_as_the_reply_to_the_question(stage: GroqStage) -> None:
    stage.sim.fail(FaultKind.WRONG_SCHEMA)
    first, second = CallLog(terms=Terms("q")), CallLog(terms=Terms("q"))

    async def twice(gateway: ModelGateway) -> tuple[object, object]:
        asked = await check(first)(gateway)
        await first.settled()
        return asked, await check(second)(gateway)

    bought, kept = play(stage, twice, replies=Drawer())
    assert bought == kept
    assert [len(first.records), len(second.records), len(stage.sim.ledger.entries)] == [2, 1, 2]


def test_words_that_a_server_refused_for_their_form_are_read_and_not_bought_again(
    stage: GroqStage, log: CallLog
) -> None:
    stage.sim.fail(Fault(kind=FaultKind.JSON_VALIDATE_FAILED, quote=FENCED))
    assert play(stage, check(log), ALONE) == StatementCheck.model_validate(VERDICT)
    (record,) = log.records
    assert (record.reply_text, record.error) == (FENCED, None)
    assert record.usage.estimated
    assert record.usage.completion_tokens > 0


def test_refused_words_that_say_two_things_are_no_verdict(stage: GroqStage, log: CallLog) -> None:
    both = f"{json.dumps(VERDICT)} or {json.dumps({**VERDICT, 'is_accurate': False})}"
    stage.sim.fail(Fault(kind=FaultKind.JSON_VALIDATE_FAILED, quote=both, times=None))
    assert "several different JSON objects" in failed(play(stage, check(log), ALONE)).reason
    assert len(log.records) == 2


def test_prose_is_asked_for_again_without_words_about_json(stage: GroqStage, log: CallLog) -> None:
    stage.sim.fail(FaultKind.LENGTH, Fault(kind=FaultKind.FORBIDDEN, match="earlier reply"))
    assert not hasattr(play(stage, write(log)), "reason")
    assert [record.prompt_sha256 for record in log.records] == [PromptText(GENERATE_ANSWER.name, WRITE).sha256] * 2


def judged(ways: Ways, redis_url: str | None, times: int = 3) -> tuple[list[bool], str]:
    """Whether each of so many judgements was read, each asked by a process of its own, and what was learned."""

    async def asked(address: str) -> list[bool]:
        readable = list[bool]()
        for _ in range(times):
            model = CompatibleModel("", address, catalogue={}, redis_url=redis_url)
            gateway = ModelGateway(model, ModelSettings(main=NAME, fast=NAME, fallbacks={}), backoff_s=0.01)
            readable.append(isinstance(await gateway.ask(CHECK_STATEMENT, CHECK, log=CallLog()), StatementCheck))
            await model.aclose()
        return readable

    with Peculiar(ways) as server:
        return asyncio.run(asked(server.address)), told(
            read_learned(redis_url or "", server.address, [NAME]).get(NAME, {})
        )


# 37
@pytest.mark.parametrize(
    ("thinks", "readable", "rooms"),
    [
        (700, [True] * 3, [600, 10_400, 8_600, 8_600]),
        (3_500, [True] * 3, [600, 10_400, 8_600, 8_600]),
        (9_000, [True] * 3, [600, *[10_400, 8_600] * 2, 10_400]),
    ],
)
def test_long_thoughts_get_room_once_for_all_processes(
    redis_url: str, thinks: int, readable: list[bool], rooms: list[int]
) -> None:
    ways = Ways(thinks=thinks)
    answered, learned = judged(ways, redis_url)
    assert answered == readable
    assert [body["max_tokens"] for body in ways.asked] == rooms
    assert "more tokens for thoughts" in learned


def test_room_that_a_server_does_not_have_is_given_up(redis_url: str) -> None:  # 37
    ways = Ways(thinks=2_000, takes=4_000)
    answered, learned = judged(ways, redis_url, times=1)
    assert answered == [True]
    assert [body["max_tokens"] for body in ways.asked] == [600, 10_400, 2_400]
    assert learned == ""
