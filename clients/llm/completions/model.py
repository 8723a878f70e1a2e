"""A server of chat completions: deadlines, estimates and errors around any transport of the wire format."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import structlog

from clients.llm.completions.errors import FAILURES, model_error
from clients.llm.completions.prompt_sizes import PromptSizes
from clients.llm.completions.request_body import Dialect, prompt_bytes, request_body
from clients.llm.completions.transport import Transport
from clients.llm.completions.wire_format import Exchange, WireChunk, read_allowance
from clients.llm.protocol import ModelReply, ModelReplyInvalid, ModelRequest, StreamPart
from clients.telemetry import families
from clients.telemetry.meter import METER
from config.models import ModelInfo

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Server:
    """A server of chat completions: its transport and its dialect."""

    transport: Transport
    dialect: Dialect


class ChatCompletions:
    """A ChatModel."""

    def __init__(self, server: Server, *, catalogue: Mapping[str, ModelInfo]) -> None:
        self._transport = server.transport
        self._dialect = server.dialect
        self._catalogue = catalogue
        self._sizes = PromptSizes()

    @property
    def provider(self) -> str:
        return self._dialect.provider

    async def complete(self, request: ModelRequest) -> ModelReply:
        body = request_body(request, self._info(request.model), self._dialect)
        async with self._call(request, self._exchange(request, streamed=False)) as exchange:
            async with asyncio.timeout_at(exchange.deadline):
                headers, content = await self._transport.whole(body, exchange.bounds.body_bytes, exchange.silence_s)
            exchange.allowance = read_allowance(headers)
            exchange.take(WireChunk.model_validate_json(content))
            return exchange.reply()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart]:
        body = request_body(request, self._info(request.model), self._dialect)
        body |= {"stream": True, "stream_options": {"include_usage": True}}
        async with self._call(request, self._exchange(request, streamed=True)) as exchange:
            async with AsyncExitStack() as until_its_end:
                async with asyncio.timeout_at(exchange.deadline):
                    answer = await until_its_end.enter_async_context(
                        self._transport.pieces(body, exchange.bounds.stream_bytes, exchange.silence_s)
                    )
                headers, chunks = answer
                exchange.allowance = read_allowance(headers)
                _require_event_stream(headers, exchange)
                while chunk := await _next(chunks, exchange.deadline):
                    if text := exchange.take(chunk):
                        yield StreamPart(text=text)
            yield StreamPart(reply=exchange.reply())

    def reserves(self, request: ModelRequest) -> int:
        size = prompt_bytes(request, self._info(request.model))
        return self._sizes.tokens(request.model, request.prompt, size) + request.max_tokens

    async def aclose(self) -> None:
        await self._transport.aclose()

    def _info(self, model: str) -> ModelInfo:
        return self._catalogue.get(model, _UNKNOWN)

    def _exchange(self, request: ModelRequest, *, streamed: bool) -> Exchange:
        size = prompt_bytes(request, self._info(request.model))
        return Exchange.of(request, size, self._dialect, streamed=streamed)

    @asynccontextmanager
    async def _call(self, request: ModelRequest, exchange: Exchange) -> AsyncGenerator[Exchange]:
        try:
            try:
                exchange.sent = True
                yield exchange
            finally:
                self._learn(request, exchange)
        except FAILURES as error:
            raise model_error(error, exchange) from error

    def _learn(self, request: ModelRequest, exchange: Exchange) -> None:
        reported = exchange.reported
        if reported is not None and reported.estimated:
            # The server's figure is not logged: it may be anything.
            log.warning("impossible_usage", model=request.model)
            METER.count(families.IMPOSSIBLE_USAGE, request.model)
        elif reported is not None:
            self._sizes.learn(request.model, request.prompt, exchange.bounds.prompt_bytes, reported.prompt_tokens)


_UNKNOWN = ModelInfo()


def _require_event_stream(headers: Mapping[str, str], exchange: Exchange) -> None:
    kind = headers.get("content-type", "nothing")
    if not kind.startswith("text/event-stream"):
        raise exchange.failed(ModelReplyInvalid, f"the server sent {kind} instead of a stream")


async def _next(chunks: AsyncIterator[WireChunk], deadline: float) -> WireChunk | None:
    # The deadline is set around each step: a timeout that spans a `yield` would cancel the consumer's own code.
    async with asyncio.timeout_at(deadline):
        return await anext(chunks, None)
