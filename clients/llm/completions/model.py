"""A server of chat completions: deadlines, estimates and errors around any transport of the wire format."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain
from uuid import uuid4

import structlog

from clients.llm.completions.adaptations import (
    FEW_TOKENS,
    MOST_TRIES,
    ROOM_FOR_THOUGHTS,
    THOUGHTS,
    Learned,
    adapted,
    room_in,
)
from clients.llm.completions.errors import FAILURES, JSON_REFUSED, model_error, refusal_of
from clients.llm.completions.event_stream import NoJson, read_pieces, read_whole, unpacked
from clients.llm.completions.learned_parameters import LearnedParameters
from clients.llm.completions.prompt_sizes import PromptCounts, PromptSizes
from clients.llm.completions.request_body import GROQ, Dialect, prompt_bytes, request_body
from clients.llm.completions.transport import Body, Transport
from clients.llm.completions.usage import ReplyTooLong
from clients.llm.completions.wire_format import Exchange, read_allowance
from clients.llm.protocol import (
    ModelError,
    ModelRefused,
    ModelReply,
    ModelReplyInvalid,
    ModelRequest,
    PromptCut,
    PromptText,
    StreamPart,
    Usage,
)
from clients.telemetry import meter
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

    def __init__(
        self, server: Server, *, catalogue: Mapping[str, ModelInfo], learned: LearnedParameters | None = None
    ) -> None:
        self._transport = server.transport
        self._dialect = server.dialect
        self._catalogue = catalogue
        self._sizes = PromptSizes()
        self._learned = learned or LearnedParameters()
        self._begin_in_thoughts: set[str] = set()
        self._counts = PromptCounts()
        self._deciding: dict[str, asyncio.Lock] = {}

    @property
    def provider(self) -> str:
        return self._dialect.provider

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Raises PromptCut, a ModelError, when the server read only a part of the prompt."""
        ends_at = asyncio.get_running_loop().time() + request.limit_s
        return await self._uncut(request, await self._whole(request), ends_at)

    async def _whole(self, request: ModelRequest) -> ModelReply:
        exchange = self._exchange(request, streamed=False)
        try:
            async with self._call(request, exchange), AsyncExitStack() as until_its_end:
                async with asyncio.timeout_at(exchange.deadline):
                    headers, content = await self._accepted(request, exchange, until_its_end)
                    plain = unpacked(headers, content, exchange.bounds.body_bytes)
                    values = read_whole(b"".join([piece async for piece in plain]))
                for value in values:
                    exchange.take(value)
                return exchange.reply()
        except ModelReplyInvalid as error:
            if error.code == JSON_REFUSED and error.text:
                # The model has replied, and the server rejects the form of the reply: our own reader decides whether it
                # is readable.
                return exchange.refused_reply(error.text, error)
            raise

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart]:
        """Raises PromptCut, a ModelError, when the server read only a part of the prompt."""
        ends_at = asyncio.get_running_loop().time() + request.limit_s
        async with self._call(request, self._exchange(request, streamed=True)) as exchange:
            exchange.waits = request.model in self._begin_in_thoughts
            async with AsyncExitStack() as until_its_end:
                async with asyncio.timeout_at(exchange.deadline):
                    headers, content = await self._accepted(request, exchange, until_its_end)
                values = read_pieces(unpacked(headers, content, exchange.bounds.stream_bytes))
                while (value := await _next(values, exchange)) is not None:
                    if part := exchange.take(value):
                        yield part
            reply = exchange.reply()
            if part := exchange.rest(reply):
                yield part
        yield StreamPart(reply=await self._uncut(request, reply, ends_at))

    def reserves(self, request: ModelRequest) -> int:
        size = prompt_bytes(request, self._info(request.model))
        return self._sizes.tokens(request.model, request.prompt, size) + request.max_tokens

    async def aclose(self) -> None:
        await self._transport.aclose()
        await self._learned.aclose()

    async def _accepted(
        self, request: ModelRequest, exchange: Exchange, until_its_end: AsyncExitStack
    ) -> tuple[Mapping[str, str], AsyncIterator[bytes]]:
        """Send the request in the form that its server is known to take, and again without any part that the server
        refuses by name.

        Returns the headers and the content of the answer, which is closed with `until_its_end`.
        """
        info, refused = self._info(request.model), list[Body]()

        def body_with(learned: Learned) -> Body:
            return request_body(request, info, self._dialect, streamed=exchange.streamed, learned=learned)

        known = learned = await self._learned.of(request.model)
        while True:
            body = body_with(learned)
            try:
                headers, content = await until_its_end.enter_async_context(
                    self._transport.answer(body, exchange.silence_s)
                )
            except FAILURES as error:
                refusal = refusal_of(error)
                refused.append(body)
                if refusal is None or len(refused) == MOST_TRIES:
                    raise
                # Another call may have found the answer meanwhile, so its result is tried first.
                latest = await self._learned.of(request.model)
                choices = chain([latest], adapted(refusal.status, refusal.body, body, learned))
                untried = next((choice for choice in choices if body_with(choice) not in refused), None)
                if untried is None:
                    raise
                learned = untried
            else:
                if learned is not known:
                    self._learned.add(request.model, known, learned)
                exchange.allowance = read_allowance(headers)
                exchange.bounds = replace(exchange.bounds, max_tokens=max(request.max_tokens, room_in(body)))
                return headers, content

    def _info(self, model: str) -> ModelInfo:
        return self._catalogue.get(model, _UNKNOWN)

    def _exchange(self, request: ModelRequest, *, streamed: bool) -> Exchange:
        size = prompt_bytes(request, self._info(request.model))
        exchange = Exchange.of(request, size, self._dialect, streamed=streamed)
        exchange.secrets = self._transport.secrets(request.model)
        return exchange

    @asynccontextmanager
    async def _call(self, request: ModelRequest, exchange: Exchange) -> AsyncGenerator[Exchange]:
        try:
            try:
                exchange.sent = True
                yield exchange
            finally:
                self._learn(request, exchange)
                await self._learn_thoughts(request.model, exchange)
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
            # The server's figure is not logged, because it may be any value at all.
            log.warning("impossible_usage", model=request.model)
            METER.count(meter.IMPOSSIBLE_USAGE, request.model)
        elif reported is not None:
            size, tokens = exchange.bounds.prompt_bytes, reported.prompt_tokens
            if not self._counts.is_doubtful(request.model, request.text.size, tokens):
                self._sizes.learn(request.model, request.prompt, size, tokens)

    async def _learn_thoughts(self, model: str, exchange: Exchange) -> None:
        """Note that this model's thoughts need more room than its reply, unless its server has refused that much room.
        Nothing is noted for Groq, which reserves whatever room is asked for."""
        if self._dialect is GROQ or not exchange.was_cut_in_thought or exchange.bounds.max_tokens <= FEW_TOKENS:
            return
        known = await self._learned.of(model)
        if THOUGHTS not in known:
            self._learned.add(model, known, {THOUGHTS: ROOM_FOR_THOUGHTS})

    async def _uncut(self, request: ModelRequest, reply: ModelReply, ends_at: float) -> ModelReply:
        size, tokens = request.text.size, reply.usage.prompt_tokens
        # Groq refuses a prompt that is too long instead of cutting it, and a second look costs a call.
        if reply.usage.estimated or self._dialect is GROQ:
            return reply
        if not self._counts.is_doubtful(request.model, size, tokens):
            learned = await self._learned.of(request.model)
            has_schema = self._info(request.model).strict_schema or "response_format" in learned
            self._counts.note_whole(request.model, size, tokens, has_schema=bool(request.reply) and has_schema)
            return reply
        # If there is no time to find out more, the reply counts.
        with suppress(TimeoutError):
            async with asyncio.timeout_at(ends_at), self._deciding.setdefault(request.model, asyncio.Lock()):
                # Another call may have decided meanwhile whether this count means a cut.
                is_open = self._counts.window(request.model, size, tokens) is None
                if is_open and self._counts.is_doubtful(request.model, size, tokens):
                    await self._decide(request, tokens, ends_at)
        if window := self._counts.window(request.model, size, tokens):
            raise PromptCut(window, reply)
        return reply

    async def _decide(self, request: ModelRequest, tokens: int, ends_at: float) -> None:
        """Send the prompt twice in one request, behind words that no server has kept, and note what the count means."""
        shown = request.text.rendered
        text = PromptText(request.prompt, request.fields)
        text.rendered = replace(shown, system=f"{uuid4()}\n{shown.system}", user=f"{shown.user}\n\n{shown.user}")
        seconds = ends_at - asyncio.get_running_loop().time()
        asked = replace(request, max_tokens=FEW_TOKENS, whole_s=max(0.0, seconds), reply=None, text=text)
        try:
            usage = (await self._whole(asked)).usage
        except ModelRefused:
            # A server that refuses a prompt that is too long does not cut it.
            self._counts.note_whole(request.model, request.text.size, tokens, is_proven=True)
            return
        except ModelError as error:  # usually because so few tokens hold no answer
            usage = error.usage or Usage(estimated=True)
        if not usage.estimated:
            self._counts.note_doubled(request.model, request.text.size, tokens, (text.size, usage.prompt_tokens))


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
        # The reply is complete; if its usage does not come, it is estimated.
        if exchange.is_finished and not isinstance(error, ReplyTooLong):
            return None
        raise
