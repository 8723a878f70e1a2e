"""Groq's SDK on aiohttp's transport. Its own retries are off: such hidden calls would escape limits and records."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx
from groq import AsyncGroq, AsyncStream, DefaultAioHttpClient
from groq.types.chat import ChatCompletionChunk

from clients.llm.completions.transport import MOST_OF_REFUSAL, NOT_COMPRESSED, Body

# The SDK's general call instead of `chat.completions.create`, which lacks `stream_options` and spends time converting
# arguments and reply without validating them.
_PATH = "/openai/v1/chat/completions"
_CONNECT_TIMEOUT_S = 5.0


class SdkTransport:
    """A Transport. `root` is the server's address without `/openai/v1`."""

    def __init__(self, api_key: str, root: str) -> None:
        # Only connecting has a timeout of its own; each call has a deadline for everything (see Exchange).
        timeout = httpx.Timeout(None, connect=_CONNECT_TIMEOUT_S)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        self._client = AsyncGroq(
            api_key=api_key,
            base_url=root,
            max_retries=0,
            timeout=timeout,
            default_headers={"accept-encoding": NOT_COMPRESSED},
            http_client=DefaultAioHttpClient(timeout=timeout, limits=limits, event_hooks={"response": [_bound]}),
        )

    @asynccontextmanager
    async def answer(
        self, body: Body, silence_s: float
    ) -> AsyncGenerator[tuple[Mapping[str, str], AsyncIterator[bytes]]]:
        # The response is always opened as a stream, so that the SDK does not read its body.
        response = await self._client.post(
            _PATH,
            cast_to=httpx.Response,
            body=body,
            options=_silent(silence_s),
            stream=True,
            stream_cls=AsyncStream[ChatCompletionChunk],
        )
        raw = cast("httpx.Response", response)
        try:
            yield raw.headers, raw.aiter_raw()
        finally:
            await raw.aclose()

    def secrets(self, model: str) -> Sequence[str]:
        return [self._client.api_key]

    async def aclose(self) -> None:
        await self._client.close()


def _silent(silence_s: float) -> Any:
    return {"timeout": httpx.Timeout(None, connect=_CONNECT_TIMEOUT_S, read=silence_s)}


class _Bounded(httpx.AsyncByteStream):
    """The beginning of an error's body."""

    def __init__(self, whole: httpx.AsyncByteStream) -> None:
        self._whole = whole
        self._left = MOST_OF_REFUSAL

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._whole:
            self._left -= len(piece)
            if self._left < 0:
                return
            yield piece

    async def aclose(self) -> None:
        await self._whole.aclose()


async def _bound(response: httpx.Response) -> None:
    # This is called before any of the body is read. The SDK would read the whole body of an error, and unpack it.
    if response.is_error:
        response.headers.pop("content-encoding", None)
        response.stream = _Bounded(cast("httpx.AsyncByteStream", response.stream))
