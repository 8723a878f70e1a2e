"""Statements of a model's server are believed within bounds: tokens, the length of a reply, waits (F4, F5)."""

import asyncio
import gzip
import itertools
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from clients.limiter.feedback import RateLimitFeedback
from clients.limiter.protocol import LimiterTerms, RetryAfter
from clients.llm.calling.request import cost_usd
from clients.llm.completions.providers import CompatibleModel, GroqModel
from clients.llm.completions.usage import Bounds, read_usage
from clients.llm.protocol import (
    Allowance,
    CallDeferred,
    ChatModel,
    ModelError,
    ModelRateLimited,
    ModelReply,
    ModelReplyInvalid,
    ModelUnavailable,
    Usage,
)
from config.models import ModelInfo
from tests.clients.limiter.stage import NOW, account, ticket
from tests.clients.llm.test_lean import CHECK, COMPOSE, END, MODEL, event, served
from verify_material.rows import for_all_rows

BOUNDS = Bounds(prompt_bytes=4_000, max_tokens=600)
OWN = Usage(1_000, 50, estimated=True)
NO_COUNT: list[Any] = [None, "many", "8", -1, -1_000_000, 1.5, float("nan"), True, [], {}]
TOO_MUCH: list[Any] = [10**9, 10**30, float("inf"), 1e30]


def read(told: object) -> Usage | None:
    return read_usage(told, BOUNDS, lambda: OWN)


@for_all_rows(
    ("prompt", "completion"),
    [*itertools.product(NO_COUNT + TOO_MUCH, [7]), *itertools.product([7], NO_COUNT + TOO_MUCH)],
)
def test_impossible_counts_are_replaced_by_ours(prompt: Any, completion: Any) -> None:  # F4
    usage = read({"prompt_tokens": prompt, "completion_tokens": completion})
    assert usage is not None
    assert usage.estimated
    beyond = [each for each in TOO_MUCH if each is completion]
    assert usage.completion_tokens == (600 if beyond else 7 if completion == 7 else 50)
    assert usage.prompt_tokens == (7 if prompt == 7 else 1_000)
    info = {MODEL: ModelInfo(price_in=0.1, price_cached=0.05, price_out=0.5)}
    assert 0 <= cost_usd(MODEL, usage, info) < 1


def test_what_is_possible_is_believed_and_parts_are_parts() -> None:  # F4
    assert read(None) is None
    assert read({"prompt_tokens": 900.0, "completion_tokens": 600}) == Usage(900, 600)
    odd = {"prompt_tokens_details": {"cached_tokens": 901}, "completion_tokens_details": {"reasoning_tokens": -5}}
    assert read({"prompt_tokens": 900, "completion_tokens": 6, **odd}) == Usage(900, 6)
    told = {"prompt_tokens_details": {"cached_tokens": 900}, "completion_tokens_details": "none"}
    assert read({"prompt_tokens": 900, "completion_tokens": 6, **told}) == Usage(900, 6, cached_tokens=900)


Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
CLIENTS = ["lean", "sdk", "compatible"]


def ask(client: str, answer: Answer, *, streamed: bool = False) -> ModelReply | ModelError:
    """The result of a client's call to a server with this answer."""

    async def whole() -> ModelReply | ModelError:
        async with served(answer, "/openai/v1" if client != "compatible" else "/v1") as url:
            model: ChatModel
            if client == "compatible":
                model = CompatibleModel("", url, catalogue={})
            else:
                model = GroqModel("key", url, catalogue={}, client="sdk" if client == "sdk" else "lean")
            try:
                if not streamed:
                    return await model.complete(CHECK)
                reply = [part async for part in model.stream(COMPOSE)][-1].reply
                assert reply is not None
                return reply
            except ModelError as error:
                return error
            finally:
                await model.aclose()

    return asyncio.run(whole())


def saying(body: object, status: int = 200) -> Answer:
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(text=json.dumps(body), status=status, content_type="application/json")

    return answer


def endless(kind: str, piece: bytes, sent: list[int], status: int = 200) -> Answer:
    """Sends `piece` repeatedly, up to 100 MB, and counts what could be sent."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(status=status, headers={"content-type": kind})
        await response.prepare(request)
        while sum(sent) < 100_000_000:
            await response.write(piece)
            sent.append(len(piece))
        return response

    return answer


@for_all_rows("client", CLIENTS)
@for_all_rows("usage", ["text", {"prompt_tokens": -5, "completion_tokens": 10**30}, {}, 5])
def test_a_reply_with_impossible_tokens_is_a_reply(client: str, usage: object) -> None:  # F4
    choice = {"message": {"content": "{}"}, "finish_reason": "stop"}
    reply = ask(client, saying({"choices": [choice], "usage": usage}))
    assert isinstance(reply, ModelReply)
    assert reply.text == "{}"
    assert reply.usage.estimated
    assert 0 < reply.usage.prompt_tokens < 10_000
    assert 0 <= reply.usage.completion_tokens <= 600


@for_all_rows("client", CLIENTS)
@for_all_rows("status", [200, 500])
def test_an_endless_answer_is_cut_off(client: str, status: int) -> None:  # F5
    sent: list[int] = []
    failed = ask(client, endless("application/json", b" " * 100_000, sent, status))
    assert isinstance(failed, ModelReplyInvalid if status == 200 else ModelUnavailable)
    assert sum(sent) < 20_000_000  # what the system's buffers hold and was never read


@pytest.mark.parametrize("client", CLIENTS)
def test_an_endless_stream_is_cut_off(client: str) -> None:  # F5
    sent: list[int] = []
    failed = ask(client, endless("text/event-stream", event("word " * 2_000), sent), streamed=True)
    assert isinstance(failed, ModelReplyInvalid)
    assert "more than was asked for" in str(failed)
    assert failed.text is not None
    assert len(failed.text) < 50_000
    sent.clear()
    comments = ask(client, endless("text/event-stream", b": ping\n" * 10_000, sent), streamed=True)
    assert isinstance(comments, ModelReplyInvalid)
    assert sum(sent) < 20_000_000


@pytest.mark.parametrize("client", CLIENTS)
def test_a_packed_answer_that_nobody_asked_for_is_not_unpacked(client: str) -> None:  # F5
    choice = {"message": {"content": "{}"}, "finish_reason": "stop"}
    packed = gzip.compress(json.dumps({"choices": [choice], "usage": {}}).encode() + b" " * 40_000_000)
    asked: list[str] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append(request.headers["accept-encoding"])
        return web.Response(body=packed, headers={"content-encoding": "gzip", "content-type": "application/json"})

    assert isinstance(ask(client, answer), ModelReplyInvalid)
    assert asked == ["identity"]


@pytest.mark.parametrize("client", CLIENTS)
def test_the_longest_reply_that_was_asked_for_is_read(client: str) -> None:  # F5
    text = "한" * 2_400
    choice = {"message": {"content": text, "reasoning": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 7, "completion_tokens": 600}
    reply = ask(client, saying({"choices": [choice], "usage": usage}))
    assert isinstance(reply, ModelReply)
    assert (reply.text, reply.usage) == (text, Usage(7, 600))

    async def tokens(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        envelope = {"id": "x" * 300, "system_fingerprint": "y" * 300}
        for _ in range(600):
            await response.write(event("한글 ", **envelope))
        await response.write(END)
        return response

    reply = ask(client, tokens, streamed=True)
    assert isinstance(reply, ModelReply)
    assert reply.text == ("한글 " * 600).rstrip()


async def test_no_refusal_is_taken_for_longer_than_the_ceiling() -> None:  # F4
    error = ModelRateLimited("no", retry_after_s=100_000.0)
    assert RateLimitFeedback.from_outcome(error, 60.0).refused == 60.0
    absurd = ModelRateLimited(f"on tokens per minute (TPM): Limit {10**30}, Used {10**30}")
    assert RateLimitFeedback.from_outcome(absurd, 60.0).kind_limit is None

    pauses = RetryAfter(60.0)
    await pauses.settle(await pauses.acquire("m", 5, NOW, patience_s=1), error)
    with pytest.raises(CallDeferred) as deferred:
        await pauses.acquire("m", 5, NOW, patience_s=1)
    assert deferred.value.wait_s <= 60.0


TOLD: list[RateLimitFeedback] = [
    RateLimitFeedback(0, True, refused=60.0),
    RateLimitFeedback(0, True, Allowance(limit_requests=1, remaining_requests=0)),
    RateLimitFeedback(0, True, refused=1.0, kind="tpd", kind_limit=1, kind_used=10**14),
    RateLimitFeedback(10**14, True, Allowance(limit_tokens=100, remaining_tokens=0)),
]


@pytest.mark.parametrize("told", TOLD, ids=["refusal", "requests-a-day", "tokens-a-day", "used"])
async def test_whatever_is_told_one_call_goes_within_the_ceiling_and_then_all(
    redis_url: str, told: RateLimitFeedback
) -> None:  # F4
    async with account(redis_url, settings=LimiterTerms(margin=0, longest_wait_s=60.0), tpm=250_000) as turned:
        first = ticket(50, 1.0)
        assert (await turned.take(first)).granted
        await turned.settle(first, told)
        second = ticket(50, 2.0)
        await turned.take(second)
        turned.turn(30.5)
        answer = await turned.take(second)
        if not answer.granted:
            assert answer.wait <= 30.0
            turned.turn(30.0)
            assert (await turned.take(second)).granted
        # The server says how it is: everything goes on.
        fine = Allowance(
            limit_tokens=250_000, remaining_tokens=249_000, limit_requests=500_000, remaining_requests=499_000
        )
        await turned.settle(second, RateLimitFeedback(50, True, fine, kind="tpd", kind_limit=10**9))
        turned.turn(0.5)
        for since in (3.0, 4.0, 5.0):
            each = ticket(50, since)
            assert (await turned.take(each)).granted
            await turned.settle(each, RateLimitFeedback(50, True, fine))
