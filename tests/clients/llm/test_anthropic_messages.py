"""Issue 37: an address that ends in `/messages` is asked in Anthropic's form, over HTTP."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from clients.llm.calling.request import read_judgement, read_stream
from clients.llm.completions.providers import CompatibleModel
from clients.llm.protocol import ModelError, ModelRateLimited, ModelRefused, ModelReplyInvalid, ModelUnavailable
from clients.llm.servers import models_address
from config.models import ModelInfo
from config.settings import Settings
from tests.clients.llm.test_lean import CHECK, COMPOSE
from tests.simulators.quirky import QuirkyServer, events
from verify_material.rows import for_all_rows

TEXT = "Returns within 30 days[†1]."
VERDICT = '{"evidence": ["Returns within 30 days."], "differences": [], "explanation": "It says so.", "relation": "supports", "is_accurate": true, "confidence": 0.9}'  # noqa: E501
USAGE = {"input_tokens": 300, "cache_read_input_tokens": 500, "cache_creation_input_tokens": 200, "output_tokens": 7}
STREAM: tuple[dict[str, Any], ...] = (
    {"type": "message_start", "message": {"model": "claude-x", "content": [], "usage": {**USAGE, "input_tokens": 900}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Or 60?"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "x"}},
    {"type": "ping"},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": TEXT[:9]}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": TEXT[9:]}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}},
    {"type": "message_stop"},
)


@asynccontextmanager
async def scene(info: ModelInfo) -> AsyncGenerator[tuple[QuirkyServer, CompatibleModel]]:
    async with QuirkyServer() as server:
        model = CompatibleModel("secret", f"{server.url}/messages", catalogue={CHECK.model: info, COMPOSE.model: info})
        try:
            yield server, model
        finally:
            await model.aclose()


def whole(stop: str = "end_turn", *content: dict[str, Any]) -> bytes:
    parts = content or ({"type": "thinking", "thinking": "Or 60?"}, {"type": "text", "text": VERDICT})
    told = {"type": "message", "role": "assistant", "model": "claude-x", "content": parts, "stop_reason": stop}
    return json.dumps({**told, "usage": USAGE}).encode()


def test_a_judgement_and_a_stream_come_as_from_any_other_server() -> None:
    async def act() -> None:
        async with scene(ModelInfo(strict_schema=True, extra_body={"thinking": {"type": "adaptive"}})) as (
            server,
            model,
        ):
            server.answers(whole())
            reply = await model.complete(CHECK)
            assert CHECK.reply is not None
            assert read_judgement(CHECK.reply, reply)
            assert (reply.usage.prompt_tokens, reply.usage.cached_tokens, reply.usage.completion_tokens) == (
                1000,
                500,
                7,
            )
            assert (server.headers["x-api-key"], server.headers["anthropic-version"]) == ("secret", "2023-06-01")
            assert "authorization" not in server.headers
            asked = server.asked
            assert [message["role"] for message in asked["messages"]] == ["user"]
            assert asked["system"] == CHECK.text.rendered.system
            assert asked["output_config"]["format"]["type"] == "json_schema"
            assert set(asked) == {
                "model",
                "messages",
                "system",
                "max_tokens",
                "temperature",
                "output_config",
                "thinking",
            }

            server.answers(events(*map(json.dumps, STREAM)), kind="text/event-stream")
            drafts: list[str] = []
            written = await read_stream(model, COMPOSE, drafts.append)
            assert (written.text, written.model, drafts[-1]) == (TEXT, "claude-x", TEXT)
            assert (written.usage.prompt_tokens, written.usage.completion_tokens, written.usage.estimated) == (
                1600,
                7,
                False,
            )
            assert not any("60" in draft for draft in drafts)
            assert (server.asked["stream"], "stream_options" in server.asked) == (True, False)

    asyncio.run(act())


@for_all_rows(
    ("status", "body", "kind", "said"),
    [
        (200, whole("max_tokens"), ModelReplyInvalid, "not complete"),
        (200, whole("refusal", {"type": "text", "text": ""}), ModelRefused, "refusal"),
        (401, ("authentication_error", "invalid x-api-key"), ModelRefused, "invalid x-api-key"),
        (400, ("invalid_request_error", "Your credit balance is too low"), ModelRefused, "credit balance"),
        (429, ("rate_limit_error", "Too many tokens"), ModelRateLimited, "Too many tokens"),
        (529, ("overloaded_error", "Overloaded"), ModelUnavailable, "Overloaded"),
        (200, ("overloaded_error", "Overloaded"), ModelUnavailable, "Overloaded"),
    ],
)
def test_a_failure_is_told_in_its_own_words(
    status: int, body: bytes | tuple[str, str], kind: type[ModelError], said: str
) -> None:
    async def act() -> None:
        async with scene(ModelInfo()) as (server, model):
            told = body
            if isinstance(told, tuple):
                told = json.dumps({"type": "error", "error": {"type": told[0], "message": told[1]}}).encode()
            server.answers(told, status=status)
            with pytest.raises(kind, match=said):
                await model.complete(CHECK)

    asyncio.run(act())


def test_its_models_are_listed_beside_the_messages() -> None:
    models = Settings().models.model_copy(
        update={"provider": "openai_compatible", "base_url": "https://a.test/v1/messages"}
    )
    assert models_address(Settings().model_copy(update={"models": models})) == "https://a.test/v1/models"
