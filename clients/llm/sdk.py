"""Groq's SDK on aiohttp's transport. It never retries here: its hidden calls would escape limits and records."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager

import httpx
from groq import AsyncGroq, AsyncStream, DefaultAioHttpClient
from groq.types.chat import ChatCompletionChunk

from clients.llm.groq_wire import WireChunk
from clients.llm.transport import Body

# The SDK's general call instead of `chat.completions.create`, which has no `stream_options` and converts arguments and
# reply at a cost, without checking them.
_PATH = "/openai/v1/chat/completions"
_CONNECT_TIMEOUT_S = 5.0


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
            http_client=DefaultAioHttpClient(timeout=timeout, limits=limits),
        )

    async def whole(self, body: Body) -> tuple[Mapping[str, str], bytes]:
        """The headers and the JSON of a complete answer."""
        answer = await self._client.post(_PATH, cast_to=httpx.Response, body=body)
        return answer.headers, answer.content

    @asynccontextmanager
    async def pieces(self, body: Body) -> AsyncGenerator[tuple[Mapping[str, str], AsyncIterator[WireChunk]]]:
        """The headers and the chunks of a streamed answer."""
        stream = await self._client.post(
            _PATH,
            cast_to=ChatCompletionChunk,
            body=body,
            stream=True,
            stream_cls=AsyncStream[ChatCompletionChunk],
        )
        async with stream:
            yield stream.response.headers, _checked(stream)

    async def aclose(self) -> None:
        """Release connections."""
        await self._client.close()


async def _checked(stream: AsyncStream[ChatCompletionChunk]) -> AsyncIterator[WireChunk]:
    async for chunk in stream:
        yield WireChunk.model_validate(chunk, from_attributes=True)
