"""The Groq client's reports on the allowance: what the server stated, and what a call will take of it (A7)."""

from collections.abc import Generator

import pytest

from citewell_verify.prompting.judgements import CHECK_STATEMENT, GENERATE_ANSWER, StatementCheck
from citewell_verify.prompting.numbered_sources import Sources
from clients.llm.completions.prompt_sizes import PromptSizes
from clients.llm.completions.providers import GroqModel
from clients.llm.completions.wire_format import read_allowance
from clients.llm.offline import OfflineModel
from clients.llm.protocol import Allowance, ModelError, ModelRateLimited, ModelRefused, ModelReply, ModelRequest
from domain.query.workspace_rules import PLAIN
from tests.clients.groq_questions import IDK, QUESTION, SOURCES, STATEMENT
from tests.clients.groq_stage import GroqStage
from tests.simulators.groq.faults import FaultKind
from tests.simulators.groq.limits import Limits
from tests.simulators.groq.provider import Account
from verify_material.rows import for_all_rows

FAST = "openai/gpt-oss-20b"
KOREAN = Sources.numbered(
    [("정책.pdf", "환불은 반품일로부터 14일 이내에 지급됩니다. 모든 환불에는 영수증이 필요합니다. " * 20)]
)


@pytest.fixture(scope="module", params=["lean", "sdk"])
def kept(request: pytest.FixtureRequest) -> Generator[GroqStage]:
    """One simulator for the whole file, and both clients: every test holds for either."""
    with GroqStage(client=request.param) as stage:
        yield stage


def check(sources: Sources = SOURCES, max_tokens: int = 600) -> ModelRequest:
    fields = {"sources": sources, "statement": STATEMENT}
    return ModelRequest(CHECK_STATEMENT.name, fields, FAST, max_tokens, 10.0, reply=StatementCheck)


async def failure(model: GroqModel, request: ModelRequest) -> ModelError:
    """The error that the call must raise."""
    with pytest.raises(ModelError) as caught:
        await model.complete(request)
    return caught.value


# A7
def test_a_reply_tells_the_allowance(stage: GroqStage) -> None:
    reply = stage.run(lambda model: model.complete(check()))
    taken = reply.usage.prompt_tokens + 600
    assert reply.allowance == Allowance(250_000, 250_000 - taken, 500_000, 499_999)


# A7
def test_a_stream_tells_the_allowance(stage: GroqStage) -> None:
    fields = {"sources": SOURCES, "question": QUESTION, "idk": IDK, "style": PLAIN}
    request = ModelRequest(GENERATE_ANSWER.name, fields, FAST, 2_000, 10.0)

    async def last(model: GroqModel) -> ModelReply | None:
        return [part async for part in model.stream(request)][-1].reply

    reply = stage.run(last)
    assert reply is not None
    assert reply.allowance is not None
    assert reply.allowance.limit_tokens == 250_000


# A7
def test_a_broken_reply_tells_the_allowance(stage: GroqStage) -> None:
    stage.sim.fail(FaultKind.EMPTY)
    error = stage.run(lambda model: failure(model, check()))
    assert error.allowance is not None
    assert error.allowance.limit_requests == 500_000


# A7
@pytest.mark.parametrize(("over", "kind"), [(-10, ModelRateLimited), (10, ModelRefused)], ids=["429", "413"])
def test_a_refusal_tells_the_allowance(stage: GroqStage, over: int, kind: type[ModelError]) -> None:
    limit, key = 2_000, f"gsk_{kind.__name__}"
    account = Account(f"org_{kind.__name__}", Limits(tpm=limit, rpm=None, rpd=None))
    stage.sim.provider.accounts = {**stage.sim.provider.accounts, key: account}

    async def refused(model: GroqModel) -> ModelError:
        first = await model.complete(check())
        return await failure(model, check(max_tokens=limit + over - first.usage.prompt_tokens))

    error = stage.run(refused, key=key)
    assert isinstance(error, kind)
    assert error.allowance is not None
    assert error.allowance.limit_tokens == limit


# A7
@for_all_rows("value", ["", "-1", "1e3", "many", "²", "9" * 40])
def test_headers_that_are_no_numbers_are_not_believed(value: str) -> None:
    assert read_allowance({"x-ratelimit-limit-tokens": value}) is None


# A7
@pytest.mark.parametrize("sources", [SOURCES, KOREAN], ids=["english", "korean"])
def test_a_call_reserves_what_it_will_take(stage: GroqStage, sources: Sources) -> None:
    async def scene(model: GroqModel) -> None:
        first = await model.complete(check(sources))
        for _ in range(5):
            await model.complete(check(sources))
        reserved = model.reserves(check(sources)) - 600
        assert first.usage.prompt_tokens <= reserved <= first.usage.prompt_tokens * 1.05

    stage.run(scene)


# A7
def test_the_first_guess_is_not_too_low(stage: GroqStage) -> None:
    async def scene(model: GroqModel) -> None:
        guess = model.reserves(check()) - 600
        prompt = (await model.complete(check())).usage.prompt_tokens
        assert 0.95 * prompt <= guess <= 1.3 * prompt

    stage.run(scene, new=True)


# A7
def test_sizes_are_learned_for_each_prompt_and_model() -> None:
    sizes = PromptSizes()
    for _ in range(30):
        sizes.learn("m", "dense", 1_000, 500)
        sizes.learn("m", "thin", 1_000, 200)
    assert sizes.tokens("m", "dense", 2_000) == pytest.approx(1_000, rel=0.01)
    assert sizes.tokens("m", "thin", 2_000) == pytest.approx(400, rel=0.01)
    assert sizes.tokens("other", "dense", 2_000) == 541


# A7
def test_what_runs_here_takes_nothing() -> None:
    assert OfflineModel().reserves(check()) == 0
