"""A server of chat completions: deadlines, estimates and errors around any transport of the wire format."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import structlog

from clients.llm.completions.adaptations import MOST_TRIES, Learned, adapted
from clients.llm.completions.errors import FAILURES, JSON_REFUSED, model_error, refusal_of
from clients.llm.completions.learned_parameters import LearnedParameters
from clients.llm.completions.prompt_sizes import PromptSizes
from clients.llm.completions.request_body import Dialect, prompt_bytes, request_body
from clients.llm.completions.transport import Body, Transport
from clients.llm.completions.wire_format import Exchange, WireChunk, read_allowance
from clients.llm.protocol import ModelReply, ModelReplyInvalid, ModelRequest, StreamPart
from clients.telemetry import families
from clients.telemetry.meter import METER
from config.models import ModelInfo

log = structlog.get_logger()

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Server:
    """A server of chat completions: its transport and its dialect."""

    transport: Transport
    dialect: Dialect


class ChatCompletions:
    """A ChatModel."""

    def __init__(
        self, server: Server, *, catalogue: Mapping[str, ModelInfo], learned: LearnedParameters | None = None
    ) -> None:
        self._transport = server.transport
        self._dialect = server.dialect
        self._catalogue = catalogue
        self._sizes = PromptSizes()
        self._learned = learned or LearnedParameters()

    @property
    def provider(self) -> str:
        return self._dialect.provider

    async def complete(self, request: ModelRequest) -> ModelReply:
        exchange = self._exchange(request, streamed=False)

        def send(body: Body) -> Awaitable[tuple[Mapping[str, str], bytes]]:
            return self._transport.whole(body, exchange.bounds.body_bytes)

        try:
            async with self._call(request, exchange):
                headers, content = await self._accepted(request, exchange, send)
                exchange.allowance = read_allowance(headers)
                exchange.take(WireChunk.model_validate_json(content))
                return exchange.reply()
        except ModelReplyInvalid as error:
            if error.code == JSON_REFUSED and error.text:
                # The model has replied and the server did not like its form: whether it is readable is for our reader.
                return exchange.refused_reply(error.text, error)
            raise

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart]:
        async with self._call(request, self._exchange(request, streamed=True)) as exchange:
            async with AsyncExitStack() as until_its_end:

                def send(body: Body) -> Awaitable[tuple[Mapping[str, str], AsyncIterator[WireChunk]]]:
                    return until_its_end.enter_async_context(self._transport.pieces(body, exchange.bounds.stream_bytes))

                headers, chunks = await self._accepted(request, exchange, send)
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
        await self._learned.aclose()

    async def _accepted(self, request: ModelRequest, exchange: Exchange, send: Callable[[Body], Awaitable[_T]]) -> _T:
        """Send the request as its server is known to take it, and again without what it refuses by name."""
        info, refused = self._info(request.model), list[Body]()

        def body_with(learned: Learned) -> Body:
            return request_body(request, info, self._dialect, streamed=exchange.streamed, learned=learned)

        async with asyncio.timeout_at(exchange.deadline):
            known = learned = await self._learned.of(request.model)
            while True:
                body = body_with(learned)
                try:
                    answer = await send(body)
                except FAILURES as error:
                    refusal = refusal_of(error)
                    refused.append(body)
                    if refusal is None or len(refused) == MOST_TRIES:
                        raise
                    # First what another call has found out meanwhile.
                    latest = await self._learned.of(request.model)
                    choices = chain([latest], adapted(refusal.status, refusal.body, body, learned))
                    untried = next((choice for choice in choices if body_with(choice) not in refused), None)
                    if untried is None:
                        raise
                    learned = untried
                else:
                    if learned is not known:
                        self._learned.add(request.model, known, learned)
                    return answer

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
