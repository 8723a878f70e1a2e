"""A server of chat completions: deadlines, estimates and errors around any transport of the wire format."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from uuid import uuid4

import structlog

from clients.llm.completions.errors import FAILURES, model_error
from clients.llm.completions.prompt_sizes import PromptCounts, PromptSizes
from clients.llm.completions.request_body import GROQ, Dialect, prompt_bytes, request_body
from clients.llm.completions.transport import Transport
from clients.llm.completions.wire_format import Exchange, WireChunk, read_allowance
from clients.llm.protocol import (
    ModelError,
    ModelReply,
    ModelReplyInvalid,
    ModelRequest,
    PromptCut,
    PromptText,
    StreamPart,
    Usage,
)
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
        self._counts = PromptCounts()
        self._deciding = asyncio.Lock()

    @property
    def provider(self) -> str:
        return self._dialect.provider

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Raises PromptCut, a ModelError, when the server read only a part of the prompt."""
        ends_at = asyncio.get_running_loop().time() + request.timeout_s
        return await self._uncut(request, await self._whole(request), ends_at)

    async def _whole(self, request: ModelRequest) -> ModelReply:
        body = request_body(request, self._info(request.model), self._dialect)
        async with self._call(request, self._exchange(request, streamed=False)) as exchange:
            async with asyncio.timeout_at(exchange.deadline):
                headers, content = await self._transport.whole(body, exchange.bounds.body_bytes)
            exchange.allowance = read_allowance(headers)
            exchange.take(WireChunk.model_validate_json(content))
            return exchange.reply()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart]:
        """Raises PromptCut, a ModelError, when the server read only a part of the prompt."""
        ends_at = asyncio.get_running_loop().time() + request.timeout_s
        body = request_body(request, self._info(request.model), self._dialect)
        body |= {"stream": True, "stream_options": {"include_usage": True}}
        async with self._call(request, self._exchange(request, streamed=True)) as exchange:
            async with AsyncExitStack() as until_its_end:
                async with asyncio.timeout_at(exchange.deadline):
                    answer = await until_its_end.enter_async_context(
                        self._transport.pieces(body, exchange.bounds.stream_bytes)
                    )
                headers, chunks = answer
                exchange.allowance = read_allowance(headers)
                _require_event_stream(headers, exchange)
                while chunk := await _next(chunks, exchange.deadline):
                    if text := exchange.take(chunk):
                        yield StreamPart(text=text)
            reply = exchange.reply()
        yield StreamPart(reply=await self._uncut(request, reply, ends_at))

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
            size, tokens = exchange.bounds.prompt_bytes, reported.prompt_tokens
            if not self._counts.is_doubtful(request.model, request.text.size, tokens):
                self._sizes.learn(request.model, request.prompt, size, tokens)

    async def _uncut(self, request: ModelRequest, reply: ModelReply, ends_at: float) -> ModelReply:
        size, tokens = request.text.size, reply.usage.prompt_tokens
        # Groq refuses what is too long, and a second look costs a call.
        if reply.usage.estimated or self._dialect is GROQ:
            return reply
        if not self._counts.is_doubtful(request.model, size, tokens):
            self._counts.note_whole(request.model, size, tokens)
            return reply
        async with self._deciding:
            # An earlier call may have decided it meanwhile.
            is_open = self._counts.window(request.model, size, tokens) is None
            if is_open and self._counts.is_doubtful(request.model, size, tokens):
                doubled = await self._doubled(request, ends_at)
                if doubled is not None:
                    self._counts.note_doubled(request.model, size, tokens, doubled)
        if window := self._counts.window(request.model, size, tokens):
            raise PromptCut(window, reply)
        return reply

    async def _doubled(self, request: ModelRequest, ends_at: float) -> tuple[int, int] | None:
        """Size and count of the same prompt twice, behind words that no server has kept; None if it gives no count."""
        shown = request.text.rendered
        text = PromptText(request.prompt, request.fields)
        text.rendered = replace(shown, system=f"{uuid4()}\n{shown.system}", user=f"{shown.user}\n\n{shown.user}")
        seconds = ends_at - asyncio.get_running_loop().time()
        asked = replace(request, max_tokens=_FEW_TOKENS, timeout_s=max(0.0, seconds), reply=None, text=text)
        try:
            usage = (await self._whole(asked)).usage
        except ModelError as error:  # as a rule because so few tokens hold no answer
            usage = error.usage or Usage(estimated=True)
        return None if usage.estimated else (text.size, usage.prompt_tokens)


_UNKNOWN = ModelInfo()
_FEW_TOKENS = 100


def _require_event_stream(headers: Mapping[str, str], exchange: Exchange) -> None:
    kind = headers.get("content-type", "nothing")
    if not kind.startswith("text/event-stream"):
        raise exchange.failed(ModelReplyInvalid, f"the server sent {kind} instead of a stream")


async def _next(chunks: AsyncIterator[WireChunk], deadline: float) -> WireChunk | None:
    # The deadline is set around each step: a timeout that spans a `yield` would cancel the consumer's own code.
    async with asyncio.timeout_at(deadline):
        return await anext(chunks, None)
