"""Groq's SDK on aiohttp's transport. Its own retries are off: such hidden calls would escape limits and records."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, cast

import httpx
from groq import AsyncGroq, AsyncStream, DefaultAioHttpClient
from groq.types.chat import ChatCompletionChunk

from clients.llm.completions.transport import MOST_OF_REFUSAL, NOT_COMPRESSED, Body
from clients.llm.completions.usage import ReplyTooLong
from clients.llm.completions.wire_format import WireChunk

# The SDK's general call instead of `chat.completions.create`, which lacks `stream_options` and spends time converting
# arguments and reply without validating them.
_PATH = "/openai/v1/chat/completions"
_CONNECT_TIMEOUT_S = 5.0
_MOST_BYTES: ContextVar[int] = ContextVar("most_bytes", default=MOST_OF_REFUSAL)
"""Limit for the answer to this task's call."""


class SdkTransport:
    """A Transport. `root` is the server's address without `/openai/v1`."""

    def __init__(self, api_key: str, root: str, *, concurrency: int) -> None:
        # Only connecting has a timeout of its own; each call has a deadline for everything (see Exchange).
        timeout = httpx.Timeout(None, connect=_CONNECT_TIMEOUT_S)
        limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
        self._client = AsyncGroq(
            api_key=api_key,
            base_url=root,
            max_retries=0,
            timeout=timeout,
            default_headers={"accept-encoding": NOT_COMPRESSED},
            http_client=DefaultAioHttpClient(timeout=timeout, limits=limits, event_hooks={"response": [_bound]}),
        )

    async def whole(self, body: Body, most_bytes: int, silence_s: float) -> tuple[Mapping[str, str], bytes]:
        _MOST_BYTES.set(most_bytes)
        answer = await self._client.post(_PATH, cast_to=httpx.Response, body=body, options=_silent(silence_s))
        return answer.headers, answer.content

    @asynccontextmanager
    async def pieces(
        self, body: Body, most_bytes: int, silence_s: float
    ) -> AsyncGenerator[tuple[Mapping[str, str], AsyncIterator[WireChunk]]]:
        _MOST_BYTES.set(most_bytes)
        stream = await self._client.post(
            _PATH,
            cast_to=ChatCompletionChunk,
            body=body,
            options=_silent(silence_s),
            stream=True,
            stream_cls=AsyncStream[ChatCompletionChunk],
        )
        async with stream:
            yield stream.response.headers, _checked(stream)

    async def aclose(self) -> None:
        await self._client.close()


def _silent(silence_s: float) -> Any:
    return {"timeout": httpx.Timeout(None, connect=_CONNECT_TIMEOUT_S, read=silence_s)}


async def _checked(stream: AsyncStream[ChatCompletionChunk]) -> AsyncIterator[WireChunk]:
    async for chunk in stream:
        yield WireChunk.model_validate(chunk, from_attributes=True)


class _Bounded(httpx.AsyncByteStream):
    """The body up to a limit. An error body is truncated there; any other raises ReplyTooLong."""

    def __init__(self, response: httpx.Response, most_bytes: int) -> None:
        self._whole = response.stream
        self._is_error = response.is_error
        self._left = most_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in cast("httpx.AsyncByteStream", self._whole):
            self._left -= len(piece)
            if self._left < 0:
                if self._is_error:
                    return
                raise ReplyTooLong
            yield piece

    async def aclose(self) -> None:
        await cast("httpx.AsyncByteStream", self._whole).aclose()


async def _bound(response: httpx.Response) -> None:
    # Called before any of the body is read.
    encoding = response.headers.get("content-encoding", NOT_COMPRESSED)
    if encoding != NOT_COMPRESSED:
        # Compression was not requested, and the unpacked size is unknown: the body stays packed, and so is no valid
        # reply.
        del response.headers["content-encoding"]
    response.stream = _Bounded(response, MOST_OF_REFUSAL if response.is_error else _MOST_BYTES.get())
