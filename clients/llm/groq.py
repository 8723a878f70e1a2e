"""Groq through its SDK on aiohttp's transport. One instance per process, made after fork: it belongs to one event loop.

The SDK never retries here: its hidden calls would escape the limits and the records.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import httpx
from groq import AsyncGroq, AsyncStream, DefaultAioHttpClient
from groq.types.chat import ChatCompletionChunk

from clients.llm.groq_errors import FAILURES, model_error
from clients.llm.groq_wire import Exchange, WireChunk, request_body
from clients.llm.protocol import ModelReply, ModelReplyInvalid, ModelRequest, StreamPart
from config.models import ModelInfo

# The SDK's general call instead of `chat.completions.create`, which has no `stream_options` and converts arguments and
# reply at a cost, without checking them.
_PATH = "/openai/v1/chat/completions"
_CONNECT_TIMEOUT_S = 5.0


class GroqModel:
    """A ChatModel. At most `concurrency` calls are in flight; waiting for a slot is part of a call's `timeout_s`.

    `base_url` is the server's root; the `/openai/v1` that other clients want at its end is accepted and cut off.
    """

    def __init__(self, api_key: str, base_url: str, *, catalogue: Mapping[str, ModelInfo], concurrency: int) -> None:
        self._catalogue = catalogue
        self._slots = asyncio.Semaphore(concurrency)
        # Only connecting has a timeout of its own; each call has a deadline for everything (see Exchange).
        timeout = httpx.Timeout(None, connect=_CONNECT_TIMEOUT_S)
        limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
        self._client = AsyncGroq(
            api_key=api_key,
            base_url=base_url.rstrip("/").removesuffix("/openai/v1"),
            max_retries=0,
            timeout=timeout,
            http_client=DefaultAioHttpClient(timeout=timeout, limits=limits),
        )

    @property
    def provider(self) -> str:
        """The name that every result carries."""
        return "groq"

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Ask once and return the whole reply. Raises ModelError."""
        body = request_body(request, self._info(request.model))
        async with self._slot(Exchange.of(request, body, streamed=False)) as exchange:
            async with asyncio.timeout_at(exchange.deadline):
                answer = await self._client.post(_PATH, cast_to=httpx.Response, body=body)
            exchange.take(WireChunk.model_validate_json(answer.content))
            return exchange.reply()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart]:
        """Ask once for prose; the last part carries the complete reply. Raises ModelError."""
        body = request_body(request, self._info(request.model))
        body |= {"stream": True, "stream_options": {"include_usage": True}}
        async with self._slot(Exchange.of(request, body, streamed=True)) as exchange:
            async with asyncio.timeout_at(exchange.deadline):
                stream = await self._client.post(
                    _PATH,
                    cast_to=ChatCompletionChunk,
                    body=body,
                    stream=True,
                    stream_cls=AsyncStream[ChatCompletionChunk],
                )
            async with stream:
                _require_event_stream(stream.response, exchange)
                while chunk := await _next(stream, exchange.deadline):
                    if text := exchange.take(chunk):
                        yield StreamPart(text=text)
            yield StreamPart(reply=exchange.reply())

    async def aclose(self) -> None:
        """Release connections."""
        await self._client.close()

    def _info(self, model: str) -> ModelInfo:
        return self._catalogue.get(model, ModelInfo())

    @asynccontextmanager
    async def _slot(self, exchange: Exchange) -> AsyncGenerator[Exchange]:
        """Hold one of the slots during an exchange, and turn whatever breaks it into a ModelError."""
        try:
            async with asyncio.timeout_at(exchange.deadline):
                await self._slots.acquire()
            try:
                exchange.sent = True
                yield exchange
            finally:
                self._slots.release()
        except FAILURES as error:
            raise model_error(error, exchange) from error


def _require_event_stream(response: httpx.Response, exchange: Exchange) -> None:
    kind = response.headers.get("content-type", "nothing")
    if not kind.startswith("text/event-stream"):
        raise exchange.failed(ModelReplyInvalid, f"the server sent {kind} instead of a stream")


async def _next(stream: AsyncStream[ChatCompletionChunk], deadline: float) -> WireChunk | None:
    # The deadline is set around each step: a timeout that spans a `yield` would cancel the consumer's own code.
    async with asyncio.timeout_at(deadline):
        chunk = await anext(stream, None)
    return None if chunk is None else WireChunk.model_validate(chunk, from_attributes=True)
