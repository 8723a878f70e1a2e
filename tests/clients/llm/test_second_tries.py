"""What a second try at a judgement says, and when none is needed."""

import json
from typing import Any

from citewell_verify.prompting.judgements import CHECK_STATEMENT, GENERATE_ANSWER, StatementCheck
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog, PromptText, Terms
from tests.clients.gateway_play import ALONE, CHECK, WRITE, check, failed, play, write
from tests.clients.groq_questions import STATEMENT
from tests.clients.groq_stage import GroqStage
from tests.clients.llm.test_gateway_kept import Drawer
from tests.simulators.groq.faults import Fault, FaultKind

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
