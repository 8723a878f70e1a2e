"""How the lean client reads streams, from Groq and other servers of the format."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from aiohttp import web
from pydantic import SecretStr

from citewell_verify.prompting.judgements import CHECK_STATEMENT, GENERATE_ANSWER, StatementCheck
from clients.llm.completions.providers import CompatibleModel
from clients.llm.factory import make_model
from clients.llm.protocol import (
    ModelError,
    ModelRefused,
    ModelReply,
    ModelRequest,
    ModelTimedOut,
    ModelUnavailable,
    Usage,
)
from config.models import ModelInfo, ModelSettings
from config.settings import ConfigurationInvalid, Settings
from domain.query.workspace_rules import PLAIN
from tests.clients.groq_questions import IDK, QUESTION, SOURCES, STATEMENT
from verify_material.rows import for_all_rows

T = TypeVar("T")
MODEL = "llama"
USAGE = {"prompt_tokens": 7, "completion_tokens": 2}
WHOLE = {"choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}], "usage": USAGE}
CHECK = ModelRequest(
    CHECK_STATEMENT.name, {"sources": SOURCES, "statement": STATEMENT}, MODEL, 600, 30.0, reply=StatementCheck
)
COMPOSE = ModelRequest(
    GENERATE_ANSWER.name, {"sources": SOURCES, "question": QUESTION, "idk": IDK, "style": PLAIN}, MODEL, 600, 30.0
)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def served(handler: Handler, root: str = "/v1") -> AsyncGenerator[str]:
    """A server at `http://…` and `root` that answers every completion with `handler`."""
    app = web.Application()
    app.router.add_post(f"{root}/chat/completions", handler)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}{root}"
    finally:
        await runner.cleanup()


def play(handler: Handler, scene: Callable[[CompatibleModel], Awaitable[T]], *, key: str = "", **info: Any) -> T:
    """Run a scenario with a client of a server that uses `handler`."""

    async def whole() -> T:
        async with served(handler) as url:
            model = CompatibleModel(key, url, catalogue={MODEL: ModelInfo(**info)})
            try:
                return await scene(model)
            finally:
                await model.aclose()

    return asyncio.run(whole())


def streaming(*pieces: bytes) -> Handler:
    """Answers with an event stream that arrives in these pieces."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
            await asyncio.sleep(0.001)
        return response

    return answer


def event(content: str, **more: object) -> bytes:
    """A chunk, as a server sends it."""
    choice = {"delta": {"content": content}, "finish_reason": more.pop("finish_reason", None)}
    return b"data: " + json.dumps({"choices": [choice], **more}).encode() + b"\n\n"


async def last(model: CompatibleModel, request: ModelRequest = COMPOSE) -> ModelReply | None:
    """The whole reply of a stream."""
    return [part async for part in model.stream(request)][-1].reply


async def failure(call: Awaitable[object]) -> ModelError:
    """The error that a call must raise."""
    with pytest.raises(ModelError) as caught:
        await call
    return caught.value


END = event("", finish_reason="stop", usage=USAGE) + b"data: [DONE]\n\n"


@for_all_rows("size", [1, 3, 1_000])
@for_all_rows("end", [b"\n", b"\r\n"])
def test_a_stream_is_read_however_it_is_cut(size: int, end: bytes) -> None:
    sent = (b": ping\n\nevent: message\n" + event("환불 ") + event("ok") + END).replace(b"\n", end)
    reply = play(streaming(*(sent[at : at + size] for at in range(0, len(sent), size))), last)
    assert reply is not None
    assert (reply.text, reply.usage) == ("환불 ok", Usage(7, 2))


def test_two_halves_of_a_character_become_one() -> None:
    smile = "😀".encode("utf-16-be", "surrogatepass")
    high, low = (smile[at : at + 2].decode("utf-16-be", "surrogatepass") for at in (0, 2))
    reply = play(streaming(event(f"a{high}"), event(f"{low}b"), END), last)
    assert reply is not None
    assert reply.text == "a😀b"


def test_an_event_longer_than_any_line_buffer_is_read() -> None:
    long = "x" * 300_000
    reply = play(streaming(event(long), END), lambda model: last(model, replace(COMPOSE, max_tokens=8_000)))
    assert reply is not None
    assert reply.text == long


def test_a_stream_without_a_finish_reason_and_an_end_was_cut() -> None:
    error = play(streaming(event("half of", usage=USAGE)), lambda model: failure(last(model)))
    assert isinstance(error, ModelUnavailable)
    assert error.text == "half of"


@pytest.mark.parametrize("told", ['{"error": {"message": "out of memory"}}', '{"error": "out of memory"}'])
def test_an_error_in_the_midst_of_a_stream_ends_it(told: str) -> None:
    error = play(streaming(event("half"), f"data: {told}\n\n".encode()), lambda model: failure(last(model)))
    assert isinstance(error, ModelUnavailable)
    assert "out of memory" in str(error)


def test_who_is_stopped_closes_the_connection() -> None:
    begun, gone = asyncio.Event(), asyncio.Event()

    async def endless(request: web.Request) -> web.StreamResponse:
        response = await streaming(event("begun"))(request)
        begun.set()
        try:
            while True:
                await response.write(b": ping\n\n")
                await asyncio.sleep(0.01)
        except (asyncio.CancelledError, OSError):
            gone.set()
            raise

    async def stopped(model: CompatibleModel) -> None:
        reading = asyncio.ensure_future(last(model))
        async with asyncio.timeout(20):
            await begun.wait()
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            await gone.wait()

    play(endless, stopped)


@pytest.mark.parametrize("key", ["", "sk-planted"])
def test_a_compatible_server_is_asked_in_words_that_all_of_them_know(key: str) -> None:
    asked: list[tuple[str | None, dict[str, Any]]] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append((request.headers.get("authorization"), await request.json()))
        return web.json_response(WHOLE)

    reply = play(answer, lambda model: model.complete(CHECK), key=key)
    ((sent_key, body),) = asked
    assert (reply.text, reply.model, reply.usage) == ("{}", MODEL, Usage(7, 2))
    assert sent_key == (f"Bearer {key}" if key else None)
    assert body["max_tokens"] == 600
    assert body["response_format"] == {"type": "json_object"}
    assert not {"max_completion_tokens", "reasoning_effort"} & body.keys()


def test_what_the_catalogue_says_of_a_model_holds_for_a_compatible_server() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        body = await request.json()
        assert body["response_format"]["type"] == "json_schema"
        assert body["reasoning_effort"] == "low"
        return web.json_response(WHOLE)

    assert play(answer, lambda model: model.complete(CHECK), strict_schema=True, reasoning_effort="low")


@pytest.mark.parametrize(
    ("status", "advice"), [(401, "models.api_key"), (404, "models.base_url"), (307, "models.base_url")]
)
def test_a_refusal_names_the_settings_of_a_compatible_server_and_not_its_key(status: int, advice: str) -> None:
    async def answer(_: web.Request) -> web.StreamResponse:
        body = {"error": {"message": "no sk-planted"}}
        return web.json_response(body, status=status, headers={"location": "http://127.0.0.1:1/"})

    error = play(answer, lambda model: failure(model.complete(CHECK)), key="sk-planted")
    assert isinstance(error, ModelRefused)
    assert advice in str(error)
    assert "sk-planted" not in str(error)


def settings(**models: object) -> Settings:
    """Settings of a compatible server that no environment variable changes."""
    return Settings(models=ModelSettings.model_validate({"provider": "openai_compatible", **models}))


def provider(of: Settings) -> str:
    """The provider of the model that the settings choose."""

    async def made() -> str:
        model = make_model(of)
        await model.aclose()
        return model.provider

    return asyncio.run(made())


def test_a_compatible_server_needs_an_address_and_no_key() -> None:
    assert provider(settings(base_url="http://127.0.0.1:8000/v1")) == "openai_compatible"
    assert provider(settings(base_url="http://127.0.0.1:8000/v1", api_key=SecretStr("sk"))) == "openai_compatible"
    with pytest.raises(ConfigurationInvalid, match=r"models\.base_url"):
        provider(settings())


def test_a_password_in_the_address_is_shown_to_nobody() -> None:  # A8
    url = "http://reader:sk-planted@127.0.0.1:1/v1"

    async def asked() -> ModelError:
        model = CompatibleModel("", url, catalogue={})
        try:
            return await failure(model.complete(CHECK))
        finally:
            await model.aclose()

    told = str(asyncio.run(asked()))
    assert "cannot reach 127.0.0.1:1 " in told
    assert "sk-planted" not in told


def test_two_logins_for_one_request_are_refused_at_the_start() -> None:  # A8
    url = "http://reader:sk-planted@127.0.0.1:1/v1"
    assert provider(settings(base_url=url)) == "openai_compatible"
    with pytest.raises(ConfigurationInvalid, match=r"models\.api_key is set.*remove one") as refused:
        provider(settings(base_url=url, api_key=SecretStr("sk")))
    assert "sk-planted" not in str(refused.value)
    with pytest.raises(ConfigurationInvalid, match="GROQ_API_KEY is set"):
        provider(Settings(groq_api_key=SecretStr("sk"), groq_base_url=url, models=ModelSettings(provider="groq")))


def dripping(pieces: int, pause_s: float) -> Handler:
    """A stream that lives by comments for a while and then says what it has to."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        for _ in range(pieces):
            await response.write(b": still at it\n\n")
            await asyncio.sleep(pause_s)
        for content, reason in (("Yes.", None), ("", "stop")):
            chunk = {"choices": [{"delta": {"content": content}, "finish_reason": reason}], "usage": USAGE}
            await response.write(f"data: {json.dumps(chunk)}\n\n".encode())
        await response.write(b"data: [DONE]\n\n")
        return response

    return answer


def test_a_stream_that_lives_is_cut_by_silence_only_and_by_the_end_of_its_question() -> None:
    async def last(model: CompatibleModel, **times: float) -> str:
        try:
            return "".join([part.text async for part in model.stream(replace(COMPOSE, **times))])
        except ModelTimedOut as error:
            return str(error)

    living = dripping(8, 0.1)
    assert play(living, lambda model: last(model, timeout_s=0.4, whole_s=9.0)) == "Yes."
    assert "models.deadline_s" in play(living, lambda model: last(model, timeout_s=0.4, whole_s=0.5))
    assert "models.call_timeout_s" in play(dripping(2, 0.6), lambda model: last(model, timeout_s=0.3, whole_s=9.0))
