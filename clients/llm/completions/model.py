"""A server of chat completions: deadlines, estimates and errors around any transport of the wire format."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import structlog

from clients.llm.completions.errors import FAILURES, model_error
from clients.llm.completions.event_stream import NoJson, read_pieces, read_whole, unpacked
from clients.llm.completions.prompt_sizes import PromptSizes
from clients.llm.completions.request_body import Dialect, prompt_bytes, request_body
from clients.llm.completions.transport import Transport
from clients.llm.completions.usage import ReplyTooLong
from clients.llm.completions.wire_format import Exchange, read_allowance
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
        self._begin_in_thoughts: set[str] = set()

    @property
    def provider(self) -> str:
        return self._dialect.provider

    async def complete(self, request: ModelRequest) -> ModelReply:
        body = request_body(request, self._info(request.model), self._dialect)
        async with self._call(request, self._exchange(request, streamed=False)) as exchange:
            async with asyncio.timeout_at(exchange.deadline), self._transport.answer(body) as (headers, content):
                exchange.allowance = read_allowance(headers)
                plain = unpacked(headers, content, exchange.bounds.body_bytes)
                values = read_whole(b"".join([piece async for piece in plain]))
            for value in values:
                exchange.take(value)
            return exchange.reply()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart]:
        body = request_body(request, self._info(request.model), self._dialect)
        body |= {"stream": True, "stream_options": {"include_usage": True}}
        async with self._call(request, self._exchange(request, streamed=True)) as exchange:
            exchange.waits = request.model in self._begin_in_thoughts
            async with AsyncExitStack() as until_its_end:
                async with asyncio.timeout_at(exchange.deadline):
                    answer = await until_its_end.enter_async_context(self._transport.answer(body))
                headers, content = answer
                exchange.allowance = read_allowance(headers)
                values = read_pieces(unpacked(headers, content, exchange.bounds.stream_bytes))
                while (value := await _next(values, exchange)) is not None:
                    if part := exchange.take(value):
                        yield part
            reply = exchange.reply()
            if part := exchange.rest(reply):
                yield part
            yield StreamPart(reply=reply)

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
                if exchange.begins_in_thought:
                    self._begin_in_thoughts.add(request.model)
        except NoJson as error:
            said = "the server answered with text that is not JSON"
            if error.is_page:
                said = f"the server answered with a web page; check {self._dialect.url_setting}"
            raise exchange.failed(ModelReplyInvalid, said) from error
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
_WAIT_FOR_USAGE_S = 2.0


async def _next(values: AsyncIterator[object], exchange: Exchange) -> object | None:
    deadline = exchange.deadline
    if exchange.is_finished:
        deadline = min(deadline, asyncio.get_running_loop().time() + _WAIT_FOR_USAGE_S)
    try:
        # The deadline is set around each step: a timeout that spans a `yield` would cancel the consumer's own code.
        async with asyncio.timeout_at(deadline):
            return await anext(values, None)
    except FAILURES as error:
        # The reply is complete, and a usage that does not come is estimated.
        if exchange.is_finished and not isinstance(error, ReplyTooLong):
            return None
        raise
