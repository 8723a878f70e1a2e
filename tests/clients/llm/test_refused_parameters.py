"""A parameter that a server refuses by name is left out or replaced, for all processes, until it expires."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from aiohttp import web
from redis import Redis

from clients.llm.completions.adaptations import MOST_TRIES, OMITTED, settings_for, told
from clients.llm.completions.learned_parameters import key_of, read_learned
from clients.llm.completions.providers import CompatibleModel
from clients.llm.protocol import ModelError, ModelRefused
from config.models import ModelInfo
from tests.clients.llm.refusals import NEVER, WORDINGS, Body, Wording, has, openai
from tests.clients.llm.test_lean import CHECK, COMPOSE, END, MODEL, WHOLE, event, last, served
from verify_material.rows import for_all_rows


class Server:
    """Answers what `wording` does not refuse, and keeps every body in `asked`."""

    def __init__(self, wording: Wording) -> None:
        self.wording = wording
        self.asked: list[Body] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.asked.append(body)
        if self.wording.refused(body):
            said = self.wording.said
            if said is None:
                return web.Response(text="<h1>Bad Request</h1>", status=self.wording.status, content_type="text/html")
            return web.json_response(said(body) if callable(said) else said, status=self.wording.status)
        if not body.get("stream"):
            return web.json_response(WHOLE)
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(event("ok") + END)
        return response


def scene(server: Server, act: Callable[[str], Awaitable[Any]]) -> Any:
    async def whole() -> Any:
        async with served(server.answer) as url:
            return await act(url)

    return asyncio.run(whole())


def model_at(url: str, redis_url: str | None = None, **info: Any) -> CompatibleModel:
    return CompatibleModel("", url, catalogue={MODEL: ModelInfo(**info)}, redis_url=redis_url)


def ask(wording: Wording, times: int = 1) -> tuple[list[Body], BaseException | None]:
    """The bodies that a server with this wording gets for so many calls, one after the other, and the last error."""
    server = Server(wording)

    async def act(url: str) -> BaseException | None:
        model = model_at(url, strict_schema=wording.strict, reasoning_effort=wording.effort)
        failed: BaseException | None = None
        for _ in range(times):
            try:
                await (last(model) if wording.streamed else model.complete(CHECK))
            except ModelError as error:
                failed = error
        await model.aclose()
        return failed

    return server.asked, scene(server, act)


@for_all_rows("wording", [wording for wording in WORDINGS if wording.calls != NEVER])
def test_a_refused_parameter_is_replaced_and_its_refusal_paid_for_once(wording: Wording) -> None:
    asked, failed = ask(wording, times=2)
    assert failed is None
    assert len(asked) == wording.calls + 1
    assert not wording.refused(asked[-1])
    assert asked[-1] == asked[-2]


@for_all_rows("wording", [wording for wording in WORDINGS if wording.calls == NEVER])
def test_a_refusal_of_something_else_is_told_after_one_request(wording: Wording) -> None:
    asked, failed = ask(wording)
    assert failed is not None
    assert len(asked) == 1


def by_name(name: str) -> Body:
    (wording,) = (wording for wording in WORDINGS if wording.name == name)
    return ask(wording)[0][-1]


def test_what_replaces_a_parameter_says_the_same() -> None:
    assert by_name("openai: use the newer name")["max_completion_tokens"] == 600
    assert by_name("deepseek: a range")["max_tokens"] == 512
    assert by_name("deepseek: the type is unavailable")["response_format"] == {"type": "json_object"}
    assert by_name("lm studio: a string, and the other form")["response_format"]["type"] == "json_schema"
    (message,) = by_name("vllm: gemma's template")["messages"]
    prompt = CHECK.text.rendered
    assert message == {"role": "user", "content": f"{prompt.system}\n\n{prompt.user}"}


def test_a_schema_that_no_format_carries_stands_in_the_prompt() -> None:
    body = by_name("no form at all, from the strict one")
    assert "response_format" not in body
    schema = json.loads(body["messages"][0]["content"].rpartition("schema: ")[2])
    assert schema["required"] == ["evidence", "differences", "explanation", "relation", "is_accurate", "confidence"]


def test_a_server_that_refuses_everything_is_asked_a_bounded_number_of_times() -> None:
    names = ["max_tokens", "max_completion_tokens", "temperature", "reasoning_effort", "response_format", "role"]
    refusing = Wording("all", lambda _: True, openai(f"not supported: {names}"), strict=True, effort="low")
    asked, failed = ask(refusing)
    assert isinstance(failed, ModelRefused)
    assert len(asked) <= MOST_TRIES
    assert len({json.dumps(body) for body in asked}) == len(asked)


NEWER = next(wording for wording in WORDINGS if wording.name == "openai: use the newer name")


def test_processes_share_what_one_of_them_learned(redis_url: str) -> None:
    server = Server(NEWER)

    async def act(url: str) -> dict[str, str]:
        for _ in range(3):  # each has a memory of its own, as a process has
            model = model_at(url, redis_url)
            await model.complete(CHECK)
            await model.aclose()
        stored = await asyncio.to_thread(read_learned, redis_url, url, [MODEL])
        redis: Any = Redis.from_url(redis_url)  # pyright: ignore[reportUnknownMemberType]
        with redis:
            assert 0 < redis.ttl(key_of(url, MODEL)) <= 86_400
            redis.delete(key_of(url, MODEL))
        return dict(stored[MODEL])

    assert scene(server, act) == {"room": "max_completion_tokens"}
    assert [has("max_tokens")(body) for body in server.asked] == [True, False, False, False]


def test_without_redis_each_process_learns_by_itself() -> None:
    server = Server(NEWER)

    async def act(url: str) -> None:
        model = model_at(url, "redis://127.0.0.1:1/0")
        for _ in range(3):
            await model.complete(CHECK)
        await model.aclose()

    scene(server, act)
    assert [has("max_tokens")(body) for body in server.asked] == [True, False, False, False]


def test_a_refusal_that_contradicts_what_was_learned_replaces_it() -> None:
    server = Server(NEWER)

    async def act(url: str) -> None:
        model = model_at(url)
        await model.complete(CHECK)
        server.wording = replace(NEWER, refused=has("max_completion_tokens"), said={"detail": "max_completion_tokens?"})
        await model.complete(CHECK)
        await model.complete(CHECK)
        await model.aclose()

    scene(server, act)
    sent = [next(name for name in body if name.startswith("max")) for body in server.asked]
    assert sent == ["max_tokens", *["max_completion_tokens"] * 2, "max_tokens", "max_tokens"]


def test_calls_at_once_are_each_refused_once_at_most() -> None:
    server = Server(NEWER)

    async def act(url: str) -> None:
        model = model_at(url)
        await asyncio.gather(*(model.complete(CHECK) for _ in range(10)))
        await model.complete(CHECK)
        await model.aclose()

    scene(server, act)
    assert sum(map(NEWER.refused, server.asked)) <= 10
    assert not NEWER.refused(server.asked[-1])


def test_a_limit_holds_only_for_requests_above_it() -> None:
    server = Server(next(wording for wording in WORDINGS if wording.name == "deepseek: a range"))

    async def act(url: str) -> None:
        model = model_at(url)
        await model.complete(CHECK)
        await model.complete(replace(CHECK, max_tokens=100))
        await last(model, COMPOSE)
        await model.aclose()

    scene(server, act)
    assert [body["max_tokens"] for body in server.asked] == [600, 512, 100, 512]


def test_what_was_learned_is_told_in_words() -> None:
    learned = {"temperature": OMITTED, "room": "max_completion_tokens", "response_format": "json_object"}
    assert told(learned) == (
        "max_completion_tokens instead of max_tokens; without temperature; response_format json_object"
    )
    assert settings_for(learned) == "extra_body: {temperature: null}, strict_schema: false"
