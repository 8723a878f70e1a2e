"""`models.judgements: offline`: the provider writes, and the rules judge."""

import pytest

from citewell_verify.prompting.judgements import CHECK_STATEMENT, GENERATE_ANSWER, Judgement, Reply
from citewell_verify.prompting.numbered_sources import Sources
from clients.llm.calling.request import read_judgement, read_stream
from clients.llm.factory import make_model
from clients.llm.protocol import ChatModel, ModelReply, ModelRequest
from config.models import ModelSettings
from config.settings import Settings
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import GroqSimulator

SOURCES = Sources.numbered([("terms.md", "Products may be returned within 30 days of delivery.")])
MODEL = "openai/gpt-oss-20b"


def settings(simulator: GroqSimulator, **models: object) -> Settings:
    own = {"provider": "openai_compatible", "base_url": f"{simulator.base_url}/openai/v1", "judgements": "offline"}
    return Settings(models=ModelSettings.model_validate(own | models))


def judgement(task: Judgement[Reply], statement: str) -> ModelRequest:
    fields = {"sources": SOURCES, "statement": statement}
    return ModelRequest(task.name, fields, MODEL, task.max_tokens, timeout_s=30, reply=task.reply)


PROSE = ModelRequest(
    GENERATE_ANSWER.name,
    {"sources": SOURCES, "question": "How long may a product be returned?", "idk": "I don't know.", "style": ""},
    MODEL,
    GENERATE_ANSWER.max_tokens,
    timeout_s=30,
)


@pytest.mark.parametrize(("days", "accurate"), [(30, True), (60, False)])
async def test_judgements_are_made_here_and_cost_nothing(days: int, accurate: bool) -> None:
    asked = judgement(CHECK_STATEMENT, f"Products may be returned within {days} days of delivery.")

    async def judged(model: ChatModel) -> tuple[ModelReply, int]:
        try:
            return await model.complete(asked), model.reserves(asked)
        finally:
            await model.aclose()

    with GroqSimulator(accounts={"": Account("local")}) as simulator:
        reply, reserved = await judged(make_model(settings(simulator)))
        assert simulator.ledger.billed == []
    assert read_judgement(CHECK_STATEMENT.reply, reply).is_accurate is accurate
    assert (reply.model, reserved) == ("offline", 0)


async def test_prose_comes_from_the_provider() -> None:
    async def written(model: ChatModel) -> tuple[str, ModelReply, ModelReply, int]:
        try:
            streamed, whole = await read_stream(model, PROSE, None), await model.complete(PROSE)
            return model.provider, streamed, whole, model.reserves(PROSE)
        finally:
            await model.aclose()

    with GroqSimulator(accounts={"": Account("local")}) as simulator:
        provider, streamed, whole, reserved = await written(make_model(settings(simulator)))
        assert len(simulator.ledger.billed) == 2
    assert provider == "openai_compatible"
    assert "30 days" in streamed.text
    assert "30 days" in whole.text
    assert streamed.model == whole.model == MODEL
    assert reserved > GENERATE_ANSWER.max_tokens


async def test_without_it_the_provider_judges() -> None:
    async def judged(model: ChatModel) -> ModelReply:
        try:
            return await model.complete(judgement(CHECK_STATEMENT, "Products may be returned."))
        finally:
            await model.aclose()

    with GroqSimulator(accounts={"": Account("local")}) as simulator:
        await judged(make_model(settings(simulator, judgements="provider")))
        assert len(simulator.ledger.billed) == 1
