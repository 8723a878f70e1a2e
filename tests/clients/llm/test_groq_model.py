"""Both clients over HTTP against the simulated provider: the result of every reply and every fault."""

import asyncio
from collections.abc import Awaitable, Generator

import groq
import httpx
import pytest

from citewell_verify.prompting.judgements import CHECK_STATEMENT, GENERATE_ANSWER, StatementCheck
from citewell_verify.prompting.prompts import PromptFieldMismatch
from clients.llm.completions.errors import model_error
from clients.llm.completions.providers import GroqModel
from clients.llm.completions.usage import Bounds
from clients.llm.completions.wire_format import Exchange
from clients.llm.protocol import (
    ModelError,
    ModelGone,
    ModelRateLimited,
    ModelRefused,
    ModelReply,
    ModelReplyInvalid,
    ModelRequest,
    ModelTimedOut,
    ModelUnavailable,
    Usage,
)
from domain.query.workspace_rules import PLAIN
from tests.clients.groq_questions import ANSWER, IDK, QUESTION, SOURCES, STATEMENT
from tests.clients.groq_stage import GroqStage
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.ledger import Entry
from tests.simulators.groq.server import GroqSimulator

ENOUGH_S = 10.0
SHORT_S = 1.0  # enough for a request to arrive on a busy machine
ENDLESS = (FaultKind.HANG, FaultKind.DRIP)
CHECK_FIELDS = {"sources": SOURCES, "statement": STATEMENT}


@pytest.fixture(scope="module", params=["lean", "sdk"])
def kept(request: pytest.FixtureRequest) -> Generator[GroqStage]:
    """One simulator for the whole file, and both clients: every test holds for either."""
    with GroqStage(client=request.param) as stage:
        yield stage


def check(model: str = "openai/gpt-oss-20b", timeout_s: float = ENOUGH_S) -> ModelRequest:
    return ModelRequest(CHECK_STATEMENT.name, CHECK_FIELDS, model, 600, timeout_s, reply=StatementCheck)


def compose(timeout_s: float = ENOUGH_S) -> ModelRequest:
    """A question answered in prose."""
    fields = {"sources": SOURCES, "question": QUESTION, "idk": IDK, "style": PLAIN}
    return ModelRequest(GENERATE_ANSWER.name, fields, "openai/gpt-oss-120b", 2000, timeout_s)


async def streamed(model: GroqModel, request: ModelRequest) -> tuple[list[str], ModelReply | None]:
    """The pieces of text and the last part's reply."""
    parts = [part async for part in model.stream(request)]
    assert all(part.reply is None for part in parts[:-1])
    return [part.text for part in parts[:-1]], parts[-1].reply


async def failure(call: Awaitable[object]) -> ModelError:
    """The error that a call must raise."""
    with pytest.raises(ModelError) as caught:
        await call
    return caught.value


def billed(entry: Entry) -> Usage:
    """The usage of a call in the provider's ledger."""
    return Usage(entry.prompt_tokens, entry.completion_tokens, entry.cached_tokens, entry.reasoning_tokens)


def test_a_structured_reply_is_json_text_with_the_usage_and_id_of_the_ledger(stage: GroqStage) -> None:
    reply = stage.run(lambda model: model.complete(check()))
    (entry,) = stage.sim.ledger.entries
    assert StatementCheck.model_validate_json(reply.text).relation == "supports"
    assert (reply.usage, reply.request_id, reply.model) == (billed(entry), entry.id, entry.model)
    assert reply.usage.reasoning_tokens > 0


def test_a_stream_gives_its_pieces_and_then_the_same_text_whole(stage: GroqStage) -> None:
    pieces, reply = stage.run(lambda model: streamed(model, compose()))
    assert reply is not None
    assert len(pieces) > 3
    assert "".join(pieces) == reply.text == ANSWER
    assert reply.usage == billed(stage.sim.ledger.entries[0])


def test_a_stream_asks_for_its_usage_where_it_is_not_told_unasked(stage: GroqStage) -> None:
    with GroqSimulator(usage_in_x_groq=False) as sim:
        _, reply = stage.run(lambda model: streamed(model, compose()), url=sim.base_url)
        assert reply is not None
        assert reply.usage == billed(sim.ledger.entries[0])


@pytest.mark.parametrize("where", ["usage", "x_groq", "nowhere"])
def test_a_usage_that_is_not_told_is_estimated(where: str) -> None:
    exchange = Exchange("m", "prompt", streamed=True, deadline=0, bounds=Bounds(6, 100), sent=True)
    usage = {"prompt_tokens": 7, "completion_tokens": 2}
    told = {"usage": {"usage": usage}, "x_groq": {"x_groq": {"usage": usage}}, "nowhere": {}}[where]
    choice = {"delta": {"content": "Yes."}, "finish_reason": "stop"}
    exchange.take({"choices": [choice], **told})
    assert exchange.reply().usage == (Usage(2, 1, estimated=True) if where == "nowhere" else Usage(7, 2))


def test_cached_tokens_are_read_from_both_kinds_of_reply(stage: GroqStage) -> None:
    async def twice(model: GroqModel) -> list[int]:
        replies = [await model.complete(check()) for _ in range(2)]
        streams = [(await streamed(model, compose()))[1] for _ in range(2)]
        return [reply.usage.cached_tokens for reply in (*replies, *streams) if reply]

    with GroqSimulator(cached_tokens=True) as sim:
        cached = stage.run(twice, url=sim.base_url)
        assert cached == [entry.cached_tokens for entry in sim.ledger.entries]
    assert (cached[0], cached[2]) == (0, 0)
    assert min(cached[1], cached[3]) >= 128


def test_a_model_without_strict_schema_is_asked_for_a_json_object_and_gets_no_reasoning_effort(
    stage: GroqStage,
) -> None:
    with GroqSimulator(gone=()) as sim:  # which refuses both of a model that does not know them
        reply = stage.run(lambda model: model.complete(check("llama-3.1-8b-instant")), url=sim.base_url)
    assert StatementCheck.model_validate_json(reply.text).is_accurate


# What each fault becomes: for a structured call, and for a stream; `estimated` means that only the server knows the
# bill, `told` that it said it, `free` that nothing was sent or nothing is owed.
FAULTS: dict[FaultKind, tuple[type[ModelError], str]] = {
    FaultKind.RATE_LIMITED: (ModelRateLimited, "free"),
    FaultKind.OUTPUT_TOO_LARGE: (ModelRefused, "free"),
    FaultKind.TOO_LARGE: (ModelRefused, "free"),
    FaultKind.CAPACITY: (ModelUnavailable, "free"),
    FaultKind.CANCELLED: (ModelUnavailable, "free"),
    FaultKind.UNAVAILABLE: (ModelUnavailable, "free"),
    FaultKind.SERVER_ERROR: (ModelUnavailable, "free"),
    FaultKind.BAD_GATEWAY: (ModelUnavailable, "free"),
    FaultKind.JSON_VALIDATE_FAILED: (ModelReplyInvalid, "free"),
    FaultKind.HALLUCINATION: (ModelReplyInvalid, "free"),
    FaultKind.MODEL_NOT_FOUND: (ModelGone, "free"),
    FaultKind.MODEL_DECOMMISSIONED: (ModelGone, "free"),
    FaultKind.FORBIDDEN: (ModelRefused, "free"),
    FaultKind.ECHO: (ModelRefused, "free"),
    FaultKind.ECHO_500: (ModelUnavailable, "free"),
    FaultKind.SPEND_CAP: (ModelRefused, "free"),
    FaultKind.NO_CREDIT: (ModelRefused, "free"),
    FaultKind.HTML: (ModelReplyInvalid, "estimated"),
    FaultKind.HANG: (ModelTimedOut, "estimated"),
    FaultKind.DRIP: (ModelTimedOut, "estimated"),
    FaultKind.RESET: (ModelUnavailable, "estimated"),
    FaultKind.CUT: (ModelUnavailable, "estimated"),
    FaultKind.BAD_JSON: (ModelReplyInvalid, "estimated"),
    FaultKind.LENGTH: (ModelReplyInvalid, "told"),
    FaultKind.EMPTY: (ModelReplyInvalid, "told"),
}
IN_THE_MIDDLE: dict[FaultKind, tuple[tuple[type[ModelError], str], tuple[type[ModelError], str]]] = {
    FaultKind.NO_CHOICES: ((ModelReplyInvalid, "told"), (ModelUnavailable, "estimated")),
    FaultKind.STREAM_ERROR: ((ModelUnavailable, "told"), (ModelUnavailable, "estimated")),
    FaultKind.ERROR_EVENT: ((ModelUnavailable, "told"), (ModelUnavailable, "estimated")),
}
COMPLETE = FAULTS | {kind: outcomes[0] for kind, outcomes in IN_THE_MIDDLE.items()}
STREAM = FAULTS | {kind: outcomes[1] for kind, outcomes in IN_THE_MIDDLE.items()}
WELL_FORMED = {
    FaultKind.WRONG_SCHEMA,
    FaultKind.LOOSE,
    FaultKind.NUL,
    FaultKind.LYING,
    FaultKind.MIXED_UP,
    FaultKind.OBEYING,
    FaultKind.BELIEVING,
    FaultKind.SAYING,
    FaultKind.TELLING,
}  # transport cannot know; see test_gateway
TOO_LONG = {FaultKind.HUGE, FaultKind.ENDLESS}  # see test_told_by_servers


@pytest.mark.parametrize("fault", sorted(TOO_LONG))
def test_a_reply_that_is_too_long_is_no_reply(stage: GroqStage, fault: FaultKind) -> None:  # F5
    stage.sim.fail(fault)
    assert isinstance(stage.run(lambda model: failure(model.complete(check()))), ModelReplyInvalid)


def bill(usage: Usage | None, entry: Entry) -> str:
    """How the cost of a failed call is reported, checked against the ledger."""
    if usage is None:
        assert not entry.billed
        return "free"
    assert usage.estimated or usage == billed(entry)
    return "estimated" if usage.estimated else "told"


def test_every_fault_has_its_expected_outcome_here() -> None:
    assert COMPLETE.keys() == STREAM.keys() == set(FaultKind) - WELL_FORMED - TOO_LONG


@pytest.mark.parametrize(("fault", "outcome"), [case for case in COMPLETE.items() if case[0] not in ENDLESS])
def test_a_fault_in_a_structured_call_is_the_right_error_after_one_request(
    stage: GroqStage, fault: FaultKind, outcome: tuple[type[ModelError], str]
) -> None:
    stage.sim.fail(fault)
    error = stage.run(lambda model: failure(model.complete(check())))
    (entry,) = stage.sim.ledger.entries
    assert (type(error), bill(error.usage, entry)) == outcome


@pytest.mark.parametrize(("fault", "outcome"), [case for case in STREAM.items() if case[0] not in ENDLESS])
def test_a_fault_in_a_stream_is_the_right_error_after_one_request(
    stage: GroqStage, fault: FaultKind, outcome: tuple[type[ModelError], str]
) -> None:
    stage.sim.fail(fault)
    error = stage.run(lambda model: failure(streamed(model, compose())))
    (entry,) = stage.sim.ledger.entries
    assert (type(error), bill(error.usage, entry)) == outcome


def test_a_nul_character_never_leaves_the_client(stage: GroqStage) -> None:
    stage.sim.fail(FaultKind.NUL)
    pieces, reply = stage.run(lambda model: streamed(model, compose()))
    assert reply is not None
    assert reply.text == "".join(pieces) == ANSWER


def test_an_estimate_counts_the_prompt_and_what_arrived(stage: GroqStage) -> None:
    stage.sim.fail(FaultKind.CUT)
    error = stage.run(lambda model: failure(streamed(model, compose())))
    (entry,) = stage.sim.ledger.entries
    assert error.usage is not None
    assert 0.7 < error.usage.prompt_tokens / entry.prompt_tokens < 1
    assert error.text is not None
    assert ANSWER.startswith(error.text)
    assert -(-len(error.text.encode()) // 4) < error.usage.completion_tokens <= entry.completion_tokens  # with thoughts


@pytest.mark.parametrize("fault", ENDLESS)
@pytest.mark.parametrize("outcomes", [COMPLETE, STREAM], ids=["structured", "stream"])
def test_the_time_limit_is_for_the_whole_call(
    stage: GroqStage, fault: FaultKind, outcomes: dict[FaultKind, tuple[type[ModelError], str]]
) -> None:
    async def timed(model: GroqModel) -> tuple[float, ModelError]:
        started = asyncio.get_running_loop().time()
        call = model.complete(check(timeout_s=SHORT_S)) if outcomes is COMPLETE else streamed(model, compose(SHORT_S))
        error = await failure(call)
        return asyncio.get_running_loop().time() - started, error

    stage.sim.fail(fault)
    seconds, error = stage.run(timed)
    (entry,) = stage.sim.ledger.entries
    assert SHORT_S <= seconds < ENOUGH_S
    assert (type(error), bill(error.usage, entry)) == outcomes[fault]


def test_a_slow_reader_of_a_stream_is_never_cancelled_and_gets_what_has_arrived(stage: GroqStage) -> None:
    limit_s = 2 * SHORT_S  # until then the whole stream has arrived

    async def slow_reader(model: GroqModel) -> str:
        text, is_first = "", True
        async for part in model.stream(compose(limit_s)):
            await asyncio.sleep(1.25 * limit_s if is_first else 0.01)
            text, is_first = text + part.text, False
        return text

    assert stage.run(slow_reader) == ANSWER


def test_retry_after_is_told_in_seconds(stage: GroqStage) -> None:
    async def three(model: GroqModel) -> list[float | None]:
        errors = [await failure(model.complete(check())) for _ in range(2)]
        return [error.retry_after_s for error in errors if isinstance(error, ModelRateLimited)]

    stage.sim.fail(Fault(kind=FaultKind.RATE_LIMITED, retry_after=2.5), FaultKind.RATE_LIMITED)
    assert stage.run(three) == [2.5, None]


def test_a_wrong_key_is_refused_with_advice(stage: GroqStage) -> None:
    error = stage.run(lambda model: failure(model.complete(check())), key="gsk_wrong")
    assert isinstance(error, ModelRefused)
    assert error.status == 401
    assert "GROQ_API_KEY" in str(error)


def test_what_a_server_says_is_shown_on_one_line_and_without_the_key() -> None:
    request = httpx.Request("POST", "http://x/", headers={"authorization": "Bearer gsk_secret"})
    body = {"error": {"message": "Incorrect API key\nprovided:\0 gsk_secret." + "!" * 999}}
    status = groq.AuthenticationError("401", response=httpx.Response(401, request=request), body=body)
    error = model_error(status, Exchange("m", "", streamed=False, deadline=0, bounds=Bounds(0, 1)))
    assert str(error).startswith("HTTP 401: Incorrect API key provided: ***.!!!")
    assert len(str(error)) < 350


def test_an_unreachable_server_is_unavailable_names_the_address_and_costs_nothing(stage: GroqStage) -> None:
    with GroqSimulator() as gone:
        url = gone.base_url
    error = stage.run(lambda model: failure(model.complete(check())), url=url)
    assert isinstance(error, ModelUnavailable)
    assert url.removeprefix("http://") in str(error)
    assert error.usage is None


def test_a_base_url_may_end_like_that_of_other_clients(stage: GroqStage) -> None:
    reply = stage.run(lambda model: model.complete(check()), url=f"{stage.sim.base_url}/openai/v1/")
    assert reply.finish_reason == "stop"


def test_a_wrong_path_is_refused_and_does_not_mean_that_the_model_is_gone(stage: GroqStage) -> None:
    error = stage.run(lambda model: failure(model.complete(check())), url=f"{stage.sim.base_url}/api")
    assert isinstance(error, ModelRefused)
    assert "GROQ_BASE_URL" in str(error)


def test_fields_that_do_not_fit_the_prompt_are_a_programming_error(stage: GroqStage) -> None:
    request = ModelRequest(CHECK_STATEMENT.name, {}, "openai/gpt-oss-20b", 600, ENOUGH_S, reply=StatementCheck)
    with pytest.raises(PromptFieldMismatch):
        stage.run(lambda model: model.complete(request))
